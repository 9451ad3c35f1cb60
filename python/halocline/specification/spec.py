"""Reads an experiment from a TOML file or from a command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.base.errors import UserError, UserErrors
from halocline.base.reading import toml
from halocline.base.toml_text import lines_of
from halocline.base.units import listed as values_listed
from halocline.specification.cases import AxisValue
from halocline.specification.catalogue import Catalogue
from halocline.specification.checks import (
    check_tables,
    deadline_of,
    hosts_of,
    launches_of,
    machine_of,
    mpi_of,
    path_of,
)
from halocline.specification.configuration import ENVIRONMENT, KEYS
from halocline.specification.experiment import Experiment, Part, is_simulated
from halocline.specification.part import Scope, axes_of, part_of, workloads_of
from halocline.specification.values import Values


@dataclass(frozen=True)
class Known:
    """Names allowed in an experiment; None: any, as in the record of a run from elsewhere."""

    catalogue: Catalogue
    mpis: tuple[str, ...] | None = None
    machines: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Option:
    """A command-line option for a key of the file; its value may be absent."""

    key: str
    name: str
    value: object | None


def load(path: Path, known: Known, options: Sequence[Option] = ()) -> Experiment:
    """The experiment of a TOML file; options override the file.

    UserErrors names every problem with file, line and remedy.
    """
    text = _text(path)
    try:
        content = toml(text)
    except ValueError as error:
        raise _malformed(path, text, str(error)) from None
    lines = lines_of(text)
    tables = _tables(content)
    replaced = _replace(tables, options)

    def place(key: str) -> tuple[int, str]:
        if (option := replaced.get(_without_item(key))) is not None:
            return 0, option
        while key:
            for name in (key, _without_item(key)):
                if name in lines:
                    return lines[name], f"{path}:{lines[name]}"
            key = key.rpartition(".")[0]
        return 0, str(path)

    values = Values(tables, place, of_record=known.mpis is None)
    check_tables(values, content)
    if (option := replaced.get("experiment.ranks")) and not any(map(_takes_ranks, _scopes(tables))):
        remedy = f"leave {option} out: each part has its own ranks or layout"
        values.wrong("experiment.ranks", "ranks that no part takes", remedy=remedy)
    return _experiment(values, tables, known)


def from_words(
    workload: str, words: Sequence[str], known: Known, options: Sequence[Option] = ()
) -> Experiment:
    """The experiment of `WORKLOAD axis=value …` and options; UserErrors names every problem."""
    parsed = _Words(workload, words)
    parsed.places |= _replace(parsed.tables, options)
    return _experiment(parsed.values(), parsed.tables, known, parsed.problems)


def axes_from_words(
    workload: str, words: Sequence[str], catalogue: Catalogue
) -> tuple[tuple[str, ...], dict[str, tuple[AxisValue, ...]]]:
    """Workloads and values of their axes alone; UserErrors names every problem."""
    parsed = _Words(workload, words)
    values = parsed.values()
    scope = Scope("experiment", "experiment.ranks", _keys(parsed.tables, "axes"), {})
    workloads = workloads_of(values, scope, catalogue)
    axes = axes_of(values, scope, workloads, catalogue)
    for key in parsed.tables["configuration"]:
        remedy = f"leave {key} out, or measure with `halocline run`"
        values.wrong(f"configuration.{key}", f"{key} is not an axis", remedy=remedy)
    if parsed.problems or values.problems:
        raise UserErrors([*parsed.problems, *values.problems])
    return workloads, dict(axes)


class _Words:
    """The words of a command line as the tables of an experiment file."""

    def __init__(self, workload: str, words: Sequence[str]) -> None:
        self._workload = workload
        self.tables: dict[str, dict[str, Any]] = {
            "experiment": {"workloads": workload.split(",")},
            "axes": {},
            "configuration": {},
        }
        self.places = {"experiment.workloads": "WORKLOAD"}
        self.problems: list[UserError] = []
        for word in words:
            self._take(word)

    def values(self) -> Values:
        return Values(
            self.tables, lambda key: (0, self.places.get(_without_item(key), self._workload))
        )

    def _take(self, word: str) -> None:
        name, _, listed = word.partition("=")
        table = "configuration" if name in KEYS or name.startswith(ENVIRONMENT) else "axes"
        if not (name and listed):
            remedy = "write axis=value, as in bytes=8,4KiB or protocol=send_recv"
            self.problems.append(
                UserError(f"{word!r} is not of the form axis=value", remedy=remedy)
            )
        elif name in self.tables[table]:
            remedy = f"write {name}= once, with all its values"
            self.problems.append(UserError(f"axis {name!r} is given twice", remedy=remedy))
        else:
            try:
                self.tables[table][name] = values_listed(listed)
            except ValueError as error:
                remedy = "write the values in one line, with commas between them"
                self.problems.append(UserError(str(error), where=f"{name}=", remedy=remedy))
            self.places[f"{table}.{name}"] = word


def _default_launches(machine: str) -> tuple[int, int]:
    """A simulation repeats itself to the last bit: a second launch proves that."""
    if is_simulated(machine):
        return 2, 2
    return Experiment.launches_minimum, Experiment.launches_maximum


def _experiment(
    values: Values,
    tables: Mapping[str, Mapping[str, object]],
    known: Known,
    problems: Sequence[UserError] = (),
) -> Experiment:
    scopes = _scopes(tables)
    machine = machine_of(values, known.machines)
    hosts = hosts_of(values, machine, any("layout" in scope.settings for scope in scopes))
    parts = [part_of(values, scope, machine, hosts, known.catalogue) for scope in scopes]
    several = scopes[0].table != "experiment"
    own = Part("", ()) if several else parts[0]
    minimum, maximum = launches_of(values, *_default_launches(machine))
    experiment = Experiment(
        title=values.text("experiment.title", " and ".join(part.title for part in parts)),
        workloads=own.workloads,
        mpi=mpi_of(values, machine, known.mpis),
        machine=machine,
        ranks=own.ranks,
        axes=own.axes,
        configuration=own.configuration,
        hosts=hosts,
        notes=values.lines("experiment.notes"),
        parts=tuple(parts) if several else (),
        half_width=values.share("measure.half_width", Experiment.half_width),
        launches_minimum=minimum,
        launches_maximum=maximum,
        budget_s=values.seconds("measure.budget", Experiment.budget_s),
        deadline_s=deadline_of(values, Experiment.deadline_s),
        path=path_of(values, Experiment.path),
    )
    if problems or values.problems:
        raise UserErrors([*problems, *values.problems])
    return experiment


def _tables(content: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """The file's tables by name; those of its parts are `part[0]`, `part[0].axes` and so on."""
    tables = {name: dict(table) for name, table in content.items() if isinstance(table, dict)}
    parts = content.get("part")
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        if isinstance(part, dict):
            tables[f"part[{index}]"] = dict(part)
            for name in ("axes", "configuration"):
                if isinstance(part.get(name), dict):
                    tables[f"part[{index}].{name}"] = dict(part[name])
    for name, table in tables.items():
        if name.endswith("configuration") and isinstance(table.get("env"), dict):
            # env.NAME = […] is a table of its own in TOML.
            variables = table.pop("env")
            table |= {f"{ENVIRONMENT}{variable}": value for variable, value in variables.items()}
    return tables


def _scopes(tables: Mapping[str, Mapping[str, object]]) -> list[Scope]:
    """Where the parts are written; without parts, the experiment itself."""
    common = _keys(tables, "configuration")
    names = [name for name in tables if re.fullmatch(r"part\[\d+\]", name)]
    if not names:
        return [Scope("experiment", "experiment.ranks", _keys(tables, "axes"), common)]
    scopes: list[Scope] = []
    for name in names:
        own = "ranks" in tables[name]
        inherited = {key: at for key, at in common.items() if not (own and key == "layout")}
        settings = {**inherited, **_keys(tables, f"{name}.configuration")}
        ranks = f"{name}.ranks" if own else "experiment.ranks"
        scopes.append(Scope(name, ranks, _keys(tables, f"{name}.axes"), settings))
    return scopes


def _takes_ranks(scope: Scope) -> bool:
    """Whether a part is on the experiment's number of ranks: neither its own nor a layout's.

    An experiment without parts is refused where its layout is read.
    """
    alone = scope.table == "experiment"
    return alone or (scope.ranks == "experiment.ranks" and "layout" not in scope.settings)


def _keys(tables: Mapping[str, Mapping[str, object]], table: str) -> dict[str, str]:
    return {name: f"{table}.{name}" for name in tables.get(table, ())}


def _without_item(key: str) -> str:
    """`experiment.ranks` of `experiment.ranks[1]`."""
    return re.sub(r"\[\d+\]$", "", key)


def _replace(tables: dict[str, dict[str, Any]], options: Sequence[Option]) -> dict[str, str]:
    """Put the options' values into the tables; returns the options' names by key."""
    given = [option for option in options if option.value is not None]
    for option in given:
        table, name = option.key.split(".")
        tables.setdefault(table, {})[name] = option.value
    return {option.key: option.name for option in given}


def _text(path: Path) -> str:
    remedy = "name an experiment file, or a workload from `halocline list workloads`"
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text", remedy=remedy) from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", remedy=remedy) from None


def _malformed(path: Path, text: str, message: str) -> UserError:
    match = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    problem = message[: match.start()] if match else message
    line = int(match[1]) if match and match[1] else text.count("\n") + 1
    remedy = "correct this line; put text in quotes, lists in [ ]"
    return UserError(f"not TOML: {problem}", where=f"{path}:{line}", remedy=remedy)
