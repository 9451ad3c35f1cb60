"""Values of an experiment's tables, checked one by one; problems are collected, not raised."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import cast

from halocline.base.errors import UserError
from halocline.base.paths import expanded
from halocline.base.units import SIZES_ALLOWED, TIMES_ALLOWED, duration_s, sizes_bytes
from halocline.specification.cases import AxisValue
from halocline.specification.catalogue import Axis
from halocline.specification.configuration import ENVIRONMENT, FILE, allowed

Tables = Mapping[str, Mapping[str, object]]

_EXAMPLES = {
    "layout": "2N1P",
    "placement": "wrap",
    "binding": "none",
    "pages": "huge",
    "flags": "-O2",
    "launcher": "mpiexec",
}


def nearest(word: str, choices: Iterable[str], otherwise: str) -> str:
    """A remedy: the probably intended choice, otherwise the given text."""
    close = difflib.get_close_matches(word, list(choices), n=1)
    return f"did you mean {close[0]!r}?" if close else otherwise


class Values:
    """Reads keys like `experiment.ranks`; problems are recorded with their place.

    `place` maps a key or list item to its line and the name of the place.
    """

    def __init__(
        self,
        tables: Tables,
        place: Callable[[str], tuple[int, str]],
        *,
        of_record: bool = False,  # of an existing run, maybe from elsewhere
    ) -> None:
        self._tables = tables
        self._of_record = of_record
        self._place = place
        self._problems: list[tuple[int, UserError]] = []

    @property
    def problems(self) -> tuple[UserError, ...]:
        """All problems, from the first line to the last."""
        return tuple(problem for _, problem in sorted(self._problems, key=lambda placed: placed[0]))

    def wrong(self, key: str, what: str, *, remedy: str, allowed: str | None = None) -> None:
        """Record a problem at the place of a key or list item; duplicates only once."""
        line, place = self._place(key)
        problem = UserError(what, where=place, allowed=allowed, remedy=remedy)
        if (line, str(problem)) not in [(at, str(other)) for at, other in self._problems]:
            self._problems.append((line, problem))

    def given(self, key: str) -> object | None:
        """The value of `table.name`, or the table of this name; None if missing."""
        if key in self._tables:
            return self._tables[key]
        table = self._table(key)
        return self._tables.get(table, {}).get(key.removeprefix(f"{table}."))

    def _table(self, key: str) -> str:
        """The table of a key; that of `part[0].axes.bytes` is `part[0].axes`."""
        tables = [table for table in self._tables if key.startswith(f"{table}.")]
        return max(tables, key=len, default=key.partition(".")[0])

    def _name(self, key: str) -> str:
        return key.removeprefix(f"{self._table(key)}.")

    def text(self, key: str, default: str) -> str:
        """A text that is not empty."""
        value = self.given(key)
        if value is None:
            return default
        if not _is_line(value):
            self.wrong(
                key,
                f"{self._name(key)} is {_shown(value)}, not one line of text",
                remedy="write one line in quotes",
            )
            return default
        return cast(str, value)

    def whole(self, key: str, default: int, low: int) -> int:
        """A whole number, `low` or more."""
        value = self.given(key)
        if value is None:
            return default
        if not _is_whole(value) or cast(int, value) < low:
            self._not_whole(key, self._name(key), value, low)
            return default
        return cast(int, value)

    def share(self, key: str, default: float) -> float:
        """A number from 0.0001, which the driver can still halve, up to but excluding 1."""
        value = self.given(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 1e-4 <= value < 1:
            problem = f"{self._name(key)} is {_shown(value)}"
            self.wrong(
                key, problem, allowed="0.0001 or more and less than 1", remedy="write 0.01 for ±1 %"
            )
            return default
        return float(value)

    def seconds(self, key: str, default: float) -> float:
        """A positive time with its unit."""
        value = self.given(key)
        if value is None:
            return default
        remedy = f'write {self._name(key)} with its unit, as in "170s"'
        if not isinstance(value, str):
            self.wrong(
                key, f"{self._name(key)} is {_shown(value)}", allowed=TIMES_ALLOWED, remedy=remedy
            )
            return default
        try:
            seconds = duration_s(value)
        except ValueError as error:
            self.wrong(key, f"{self._name(key)} {error}", allowed=TIMES_ALLOWED, remedy=remedy)
            return default
        if seconds <= 0:
            self.wrong(
                key, f"{self._name(key)} is {_shown(value)}", allowed="more than 0 s", remedy=remedy
            )
            return default
        return seconds

    def whole_list(self, key: str, default: tuple[int, ...], low: int) -> tuple[int, ...]:
        """A list of distinct whole numbers, each `low` or more."""
        numbers: list[int] = []
        for place, value in self._items(key, f"{self._name(key)} = [{low}]"):
            if not _is_whole(value) or cast(int, value) < low:
                self._not_whole(place, self._name(key), value, low)
            elif value in numbers:
                self._twice(place, self._name(key), value)
            else:
                numbers.append(cast(int, value))
        return tuple(numbers) or default

    def lines(self, key: str) -> tuple[str, ...]:
        """A list of texts of one line each."""
        lines: list[str] = []
        for place, value in self._items(key, f'{self._name(key)} = ["…"]'):
            if _is_line(value):
                lines.append(cast(str, value))
            else:
                problem = f"{self._name(key)} is {_shown(value)}, not one line of text"
                self.wrong(place, problem, remedy="write one line in quotes")
        return tuple(lines)

    def names(
        self, key: str, noun: str, default: tuple[str, ...], known: Collection[str] | None, or_: str
    ) -> tuple[str, ...]:
        """A list of distinct names, each among the known ones (if known)."""
        names: list[str] = []
        for place, value in self._items(key, f'{self._name(key)} = ["{next(iter(known or "…"))}"]'):
            if not isinstance(value, str):
                self.wrong(
                    place, f"{noun} {_shown(value)} is not a string", remedy="put it in quotes"
                )
            elif known is not None and value not in known:
                remedy = nearest(value, known, or_)
                self.wrong(
                    place, f"unknown {noun} {_shown(value)}", allowed=_listed(known), remedy=remedy
                )
            elif value in names:
                self._twice(place, noun, value)
            else:
                names.append(value)
        return tuple(names) or default

    def axis(
        self, name: str, key: str, axis: Axis | None, protocols: Collection[str]
    ) -> tuple[AxisValue, ...]:
        """The values of one axis: protocol names, its choices, or whole numbers in its range."""
        if axis is not None and axis.kind == "protocol":
            return self.names(key, "protocol", (), protocols, "see `halocline list protocols`")
        if axis is not None and axis.kind == "choice":
            return self.names(key, name, (), axis.choices, "choose another value")
        if axis is not None and axis.kind == "file":
            return self._files(name, key, axis)
        numbers: list[AxisValue] = []
        for place, value in self._items(key, f"{name} = [8]"):
            for number in self._numbers(place, name, value):
                if axis is not None and not axis.allows(number):
                    problem = "is not available" if axis.only else "is out of range"
                    self.wrong(
                        place,
                        f"{name} {_shown(value)} {problem}",
                        allowed=axis.allowed,
                        remedy="choose another value",
                    )
                    break
                if number in numbers:
                    self._twice(place, name, value)
                    break
                numbers.append(number)
        return tuple(numbers)

    def _files(self, name: str, key: str, axis: Axis) -> tuple[AxisValue, ...]:
        """Files by absolute path, as the ranks may start in another folder."""
        files: list[AxisValue] = []
        for place, value in self._items(key, f'{name} = ["{axis.default[0]}"]'):
            if value in axis.default:
                files.append(str(value))
                continue
            path = expanded(str(value)).absolute()
            remedy = f"make one with `{axis.made_by}`"
            if not (self._of_record or path.is_file()):
                self.wrong(place, f"{name} {_shown(value)} is not a file", remedy=remedy)
            elif len(str(path).split()) > 1:
                remedy = "move the file to a path without blanks"
                self.wrong(place, f"{name} {_shown(value)} has blanks in its path", remedy=remedy)
            elif str(path) in files:
                self._twice(place, name, value)
            else:
                files.append(str(path))
        return tuple(files)

    def settings(self, name: str, key: str) -> tuple[str, ...]:
        """The values of one key of the configuration."""
        texts: list[str] = []
        for place, value in self._items(key, f'{name} = ["{_EXAMPLES.get(name, "1")}"]'):
            # A variable's value is a text, whatever it looks like.
            text = str(value) if name.startswith(ENVIRONMENT) and _is_whole(value) else value
            if text == "":
                self.wrong(place, f"{name} is empty", remedy="give it a value, or leave it out")
            elif not isinstance(text, str):
                self.wrong(
                    place, f"{name} {_shown(value)} is not a string", remedy="put it in quotes"
                )
            elif (choices := allowed(name, text)) is not None:
                problem = f"{name} {_shown(text)} is invalid"
                self.wrong(place, problem, allowed=choices, remedy="choose another value")
            elif (kept := self._from_anywhere(name, text)) in texts:
                self._twice(place, name, text)
            else:
                texts.append(kept)
        return tuple(texts)

    def _from_anywhere(self, name: str, text: str) -> str:
        """A placement's file by its absolute path: a run may be resumed from another folder."""
        if name != "placement" or not text.startswith(FILE) or self._of_record:
            return text
        return f"{FILE}{expanded(text.removeprefix(FILE)).absolute()}"

    def unknown_keys(self, table: str, keys: Collection[str], *, remedy: str) -> None:
        """Record each key of a table that is not among these."""
        for name in self._tables.get(table, {}):
            if name not in keys:
                header = "[[part]]" if table.startswith("part[") else f"[{table}]"
                problem = f"unknown key {name!r} in {header}"
                self.wrong(
                    f"{table}.{name}",
                    problem,
                    allowed=_listed(keys),
                    remedy=nearest(name, keys, remedy),
                )

    def _items(self, key: str, example: str) -> list[tuple[str, object]]:
        value = self.given(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.wrong(
                key, f"{self._name(key)} is {_shown(value)}, not a list", remedy=f"write {example}"
            )
            return []
        if not value:
            self.wrong(
                key,
                f"{self._name(key)} is an empty list",
                remedy=f"write {example} or leave it out",
            )
        return [(f"{key}[{index}]", item) for index, item in enumerate(value)]

    def _numbers(self, place: str, name: str, value: object) -> tuple[int, ...]:
        if _is_whole(value):
            return (cast(int, value),)
        try:
            if not isinstance(value, str):
                raise ValueError(f"{_shown(value)} is not a whole number")
            return sizes_bytes(value)
        except ValueError as error:
            remedy = f"write {name} as 8, 4KiB, 1..4MiB or 4..64+4"
            self.wrong(place, f"{name} {error}", allowed=SIZES_ALLOWED, remedy=remedy)
            return ()

    def _not_whole(self, place: str, name: str, value: object, low: int) -> None:
        self.wrong(
            place,
            f"{name} is {_shown(value)}",
            allowed=f"a whole number, {low} or more",
            remedy=f"write {name} {low} or more",
        )

    def _twice(self, place: str, noun: str, value: object) -> None:
        self.wrong(place, f"{noun} {_shown(value)} is given twice", remedy="remove one of them")


def _listed(choices: Collection[str]) -> str:
    return ", ".join(choices) or "none here"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.splitlines() == [value]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
