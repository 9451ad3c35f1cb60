"""Settings per launch: layout, placement, binding, pages, flags, launcher, variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Configuration = tuple[tuple[str, str], ...]  # sorted by key; only non-default values

ENVIRONMENT = "env."
KEYS = ("layout", "placement", "binding", "pages", "flags", "launcher")
DEFAULT = "default"  # unchanged
UNSET = "unset"  # removes an environment variable
FILE = "file:"

PLACEMENTS = ("smp", "wrap", "folded")
PAGES = ("base", "huge")
SRUN = "srun"
LAUNCHERS = ("mpiexec", SRUN)

_DEFAULTS = {"placement": PLACEMENTS[0], "binding": "core", "launcher": LAUNCHERS[0]}

KEYS_ALLOWED = f"{', '.join(KEYS)}, {ENVIRONMENT}NAME"
_LAYOUT = re.compile(r"([1-9]\d{0,6})N([1-9]\d{0,6})P")
_CORES = re.compile(r"\d+(,\d+)*")
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
# No shell metacharacter and no path: an experiment file may come from anyone, and must
# not make the compiler run or load a program, or write elsewhere.
_OPTIONS = re.compile(r"-[\w+=:,.-]+( +-[\w+=:,.-]+)*", re.ASCII)
# Special inside double quotes, in which launchers pass variables' values to daemons.
_READ_BY_SHELLS = re.compile(r'[`$\\"]')
# Shells and launchers execute these.
_RUN_BY_OTHERS = re.compile(r"(BASH_)?ENV|(BASH|SHELL)OPTS|IFS|PS\d|\w*_(AGENT|EXEC(_\w*)?)", re.I)


@dataclass(frozen=True)
class Layout:
    """Nodes and ranks per node; 2N1P is two nodes with one rank each."""

    nodes: int
    ranks_per_node: int

    @property
    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    def __str__(self) -> str:
        return f"{self.nodes}N{self.ranks_per_node}P"


def layout(text: str) -> Layout | None:
    """The layout of a text like `2N1P`; None if it is not a layout."""
    match = _LAYOUT.fullmatch(text)
    return Layout(int(match[1]), int(match[2])) if match else None


def layout_of(configuration: Configuration, ranks: int) -> Layout:
    """The layout of a case: all ranks on one node unless its configuration says otherwise."""
    named = dict(configuration).get("layout")
    shape = layout(named) if named else Layout(1, ranks)
    if shape is None:
        raise ValueError(f"{named!r} is not a layout")
    return shape


def is_key(key: str) -> bool:
    """Whether a configuration can have this key."""
    if key.startswith(ENVIRONMENT):
        return _VARIABLE.fullmatch(key.removeprefix(ENVIRONMENT)) is not None
    return key in KEYS


def allowed(key: str, value: str) -> str | None:
    """The key's allowed values if this one is not allowed; None if it is."""
    problem: str | None = None
    if value == DEFAULT and key not in ("layout", *_DEFAULTS):
        return None
    match key:
        case "layout" if not layout(value):
            problem = "xNyP for x nodes with y ranks each, as in 1N2P, 2N1P"
        case "placement" if value not in PLACEMENTS and not re.match(f"{FILE}.", value):
            problem = f"{', '.join(PLACEMENTS)}, {FILE}PATH"
        case "binding" if value not in ("core", "none") and not _CORES.fullmatch(value):
            problem = "core, none, or a core for each rank of a node, as in 0,1"
        case "pages" if value not in PAGES:
            problem = f"{', '.join(PAGES)}, {DEFAULT}"
        case "flags" if not _OPTIONS.fullmatch(value):
            problem = (
                "compiler options that begin with -, of letters, digits and _+=:,.- only, "
                f"as in -O2 or -O3 -march=native; {DEFAULT}"
            )
        case "launcher" if value not in LAUNCHERS:
            problem = ", ".join(LAUNCHERS)
        case _ if key.startswith(ENVIRONMENT):
            if not value.isprintable() or _READ_BY_SHELLS.search(value):
                problem = f'one line of text without `, $, \\ and ", {UNSET}, {DEFAULT}'
            elif _RUN_BY_OTHERS.fullmatch(key.removeprefix(ENVIRONMENT)):
                problem = "variables that do not make shells or launchers run a program"
    return problem


def variables_of(settings: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """The environment variables among settings; None to unset one."""
    return {
        key.removeprefix(ENVIRONMENT): None if value == UNSET else value
        for key, value in settings
        if key.startswith(ENVIRONMENT) and value != DEFAULT
    }


def canonical(settings: Mapping[str, str], ranks: int, here: bool) -> Configuration:
    """The configuration without default values, so that equal cases compare equal.

    `here`: without hosts on a real machine, where all ranks are on one node anyway.
    """
    kept = dict(settings)
    shape = layout_of(tuple(settings.items()), ranks)
    if shape.nodes == 1 and here:
        kept.pop("layout", None)
    # Placement has no effect on one node, nor with one rank per node.
    same = PLACEMENTS if 1 in (shape.nodes, shape.ranks_per_node) else PLACEMENTS[:1]
    if shape.nodes == 1 or kept.get("placement") in same:
        kept.pop("placement", None)
    return tuple(
        (key, value)
        for key, value in sorted(kept.items())
        if value != DEFAULT and value != _DEFAULTS.get(key)
    )


def label(mpi: str, configuration: Configuration) -> str:
    """The label of a configuration's records: `mpich layout=2N1P`."""
    return " ".join([mpi, *(f"{key}={value}" for key, value in configuration)])


def built_name(mpi: str, flags: str | None) -> str:
    """The name of the library's driver with these compiler flags; None: the usual one."""
    return mpi if flags is None else label(mpi, (("flags", flags),))


def value_of(configuration: Configuration, ranks: int, key: str) -> str:
    """The value of a key, or its default."""
    if key == "layout":
        return str(layout_of(configuration, ranks))
    return dict(configuration).get(key, _DEFAULTS.get(key, DEFAULT))


def keys_of(configurations: Iterable[Configuration]) -> tuple[str, ...]:
    """Every key that one of the configurations has, sorted."""
    return tuple(sorted({key for configuration in configurations for key, _ in configuration}))
