"""An experiment: what is to be measured, from a TOML file or from the words of a command line."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.cases import AxisValue
from halocline.catalogue import Catalogue
from halocline.configuration import ENVIRONMENT, KEYS
from halocline.errors import UserError, UserErrors
from halocline.spec_checks import (
    HERE,
    MOCK,
    SCHEMA,
    axes_of,
    check_tables,
    configuration_of,
    deadline_of,
    hosts_of,
    launches_of,
    machine_of,
    mpi_of,
    ranks_of,
    workloads_of,
)
from halocline.spec_values import Values
from halocline.toml_lines import lines_of


@dataclass(frozen=True)
class Experiment:
    """What is measured, where, and how exactly; an axis that is not given takes its default."""

    title: str
    workloads: tuple[str, ...]
    mpi: tuple[str, ...] = ("mpich",)
    machine: str = HERE
    ranks: tuple[int, ...] = (2,)
    axes: tuple[tuple[str, tuple[AxisValue, ...]], ...] = ()  # sorted by name
    configuration: tuple[tuple[str, tuple[str, ...]], ...] = ()  # swept; sorted by key
    hosts: str = ""  # where nodes come from: names, a hostfile, slurm or up; none: here
    half_width: float = 0.01  # relative, at 95 %
    launches_minimum: int = 8
    launches_maximum: int = 100
    budget_s: float = 150.0  # for each MPI library
    deadline_s: float = 60.0  # without progress

    @property
    def mocked(self) -> bool:
        """Whether times come from the machine's name instead of from a machine."""
        return self.machine.startswith(MOCK)

    @property
    def simulated(self) -> bool:
        """Whether the machine is a simulated one."""
        return self.machine != HERE and not self.mocked

    @property
    def here(self) -> bool:
        """Whether all ranks are on this one node: nothing else is asked for."""
        return not self.hosts and not self.simulated

    def toml(self) -> str:
        """The text that `load` reads as this same experiment."""
        axes = [f"{name} = {_list(values)}" for name, values in self.axes]
        settings = [f"{name} = {_list(values)}" for name, values in self.configuration]
        laid_out = "layout" in dict(self.configuration)  # then it fixes the ranks
        return "\n".join(
            [
                f"schema = {SCHEMA}",
                "[experiment]",
                f"title = {_quoted(self.title)}",
                f"workloads = {_list(self.workloads)}",
                f"mpi = {_list(self.mpi)}",
                f"machine = {_quoted(self.machine)}",
                *([] if laid_out else [f"ranks = {_list(self.ranks)}"]),
                *([f"hosts = {_quoted(self.hosts)}"] if self.hosts else []),
                *(["[axes]", *axes] if axes else []),
                *(["[configuration]", *settings] if settings else []),
                "[measure]",
                f"half_width = {self.half_width!r}",
                f"launches_minimum = {self.launches_minimum}",
                f"launches_maximum = {self.launches_maximum}",
                f'budget = "{self.budget_s!r}s"',
                f'deadline = "{self.deadline_s!r}s"',
                "",
            ]
        )


@dataclass(frozen=True)
class Known:
    """What an experiment may name; None: anything, as in the record of a run made elsewhere."""

    catalogue: Catalogue
    mpis: tuple[str, ...] | None = None
    machines: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Option:
    """A command-line option that stands for a key of the file; its value may be absent."""

    key: str
    name: str
    value: object | None


def load(path: Path, known: Known, options: Sequence[Option] = ()) -> Experiment:
    """The experiment of a TOML file, in which options replace what the file says.

    UserErrors names every problem with file, line and remedy.
    """
    text = _text(path)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _malformed(path, text, str(error)) from None
    lines = lines_of(text)
    tables = {name: dict(table) for name, table in content.items() if isinstance(table, dict)}
    settings = tables.get("configuration", {})
    if isinstance(settings.get("env"), dict):  # env.NAME = […] is a table of its own in TOML
        settings |= {f"{ENVIRONMENT}{name}": found for name, found in settings.pop("env").items()}
    replaced = _replace(tables, options)

    def place(key: str) -> tuple[int, str]:
        if (option := replaced.get(key.partition("[")[0])) is not None:
            return 0, option
        for name in (key, key.partition("[")[0], key.partition(".")[0]):
            if name in lines:
                return lines[name], f"{path}:{lines[name]}"
        return 0, str(path)

    values = Values(tables, place)
    check_tables(values, content)
    return _experiment(values, tables, known)


def from_words(
    workload: str, words: Sequence[str], known: Known, options: Sequence[Option] = ()
) -> Experiment:
    """The experiment of `WORKLOAD axis=value …` and options; UserErrors names every problem."""
    tables: dict[str, dict[str, Any]] = {
        "experiment": {"workloads": workload.split(",")},
        "axes": {},
        "configuration": {},
    }
    places = {"experiment.workloads": "WORKLOAD"}
    problems: list[UserError] = []
    for word in words:
        name, _, listed = word.partition("=")
        table = "configuration" if name in KEYS or name.startswith(ENVIRONMENT) else "axes"
        if not (name and listed):
            remedy = "write axis=value, as in bytes=8,4KiB or protocol=send_recv"
            problems.append(UserError(f"{word!r} is not an axis with its values", remedy=remedy))
        elif name in tables[table]:
            remedy = f"write {name}= once, with all its values"
            problems.append(UserError(f"axis {name!r} is given twice", remedy=remedy))
        else:
            tables[table][name] = next(csv.reader([listed]))  # "a,b",c: a,b and c
            places[f"{table}.{name}"] = word
    places |= _replace(tables, options)
    values = Values(tables, lambda key: (0, places.get(key.partition("[")[0], workload)))
    return _experiment(values, tables, known, problems)


def _default_launches(machine: str) -> tuple[int, int]:
    """A simulation repeats itself to the last bit: a second launch shows it, a third nothing."""
    if machine == HERE or machine.startswith(MOCK):
        return Experiment.launches_minimum, Experiment.launches_maximum
    return 2, 2


def _experiment(
    values: Values,
    tables: Mapping[str, Mapping[str, object]],
    known: Known,
    problems: Sequence[UserError] = (),
) -> Experiment:
    workloads = workloads_of(values, known.catalogue)
    machine = machine_of(values, known.machines)
    configuration = configuration_of(values, tuple(tables.get("configuration", ())), machine)
    layouts = dict(configuration).get("layout", ())
    minimum, maximum = launches_of(values, *_default_launches(machine))
    experiment = Experiment(
        title=values.text("experiment.title", " and ".join(workloads)),
        workloads=workloads,
        mpi=mpi_of(values, machine, known.mpis),
        machine=machine,
        ranks=ranks_of(values, workloads, layouts, known.catalogue),
        axes=axes_of(values, tuple(tables.get("axes", ())), workloads, known.catalogue),
        configuration=configuration,
        hosts=hosts_of(values, machine, layouts),
        half_width=values.share("measure.half_width", Experiment.half_width),
        launches_minimum=minimum,
        launches_maximum=maximum,
        budget_s=values.seconds("measure.budget", Experiment.budget_s),
        deadline_s=deadline_of(values, Experiment.deadline_s),
    )
    if problems or values.problems:
        raise UserErrors([*problems, *values.problems])
    return experiment


def _replace(tables: dict[str, dict[str, Any]], options: Sequence[Option]) -> dict[str, str]:
    """Put the options' values into the tables; their names by the keys that they replace."""
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
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    what = message[: found.start()] if found else message
    line = int(found[1]) if found and found[1] else text.count("\n") + 1
    remedy = "correct this line; texts stand in quotes, lists in [ ]"
    return UserError(f"not TOML: {what}", where=f"{path}:{line}", remedy=remedy)


def _quoted(text: str) -> str:
    # JSON's escapes are also TOML's, except that TOML wants DEL escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: Sequence[AxisValue]) -> str:
    return "[" + ", ".join(_quoted(v) if isinstance(v, str) else str(v) for v in values) + "]"
