"""MPI library settings to try: variables and their values, each with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from halocline.base.errors import UserError
from halocline.base.reading import content_of, converted, toml
from halocline.base.units import listed as values_listed
from halocline.specification.configuration import ENVIRONMENT, allowed, is_key

FILE = Path(__file__).with_name("settings.toml")
NONE = "none"  # in place of a file name: no library settings
_FORM = "[[setting]] with variable, values and optionally families, about, source"


@dataclass(frozen=True)
class Setting:
    """A configuration key with the values to try in addition to the default."""

    key: str
    values: tuple[str, ...]
    families: tuple[str, ...] = ()  # empty: for every library
    about: str = ""
    source: str = ""
    tried: bool = False  # by --try: also where the experiment fixes another value


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A `[[setting]]` of the file."""

    variable: str
    values: Annotated[list[str | int | float], msgspec.Meta(min_length=1)]
    families: tuple[str, ...] = ()
    about: str = ""
    source: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    setting: list[_Entry]


def read(path: Path = FILE) -> tuple[Setting, ...]:
    """All settings of a file; UserError if it is invalid."""
    try:
        text = content_of(path, "check the path after --settings").decode()
        return tuple(_setting(entry) for entry in converted(toml(text), _File).setting)
    except ValueError as error:
        problem = f"invalid list of settings: {error}"
        remedy = f"write it like {FILE}"
        raise UserError(problem, where=str(path), allowed=_FORM, remedy=remedy) from None


def _setting(entry: _Entry) -> Setting:
    key = _key(f"{ENVIRONMENT}{entry.variable}")
    values = tuple(map(str, entry.values))
    for value in values:
        if takes := allowed(key, value):
            raise ValueError(f"{entry.variable} {value!r}; allowed: {takes}")
    return Setting(key, values, entry.families, entry.about, entry.source)


def of_family(settings: Sequence[Setting], family: str) -> tuple[Setting, ...]:
    """The settings for the libraries of a family."""
    return tuple(
        setting for setting in settings if not setting.families or family in setting.families
    )


def from_words(words: Sequence[str]) -> tuple[Setting, ...]:
    """Settings such as `env.UCX_TLS=posix,sysv`; UserError for an invalid one."""
    settings = []
    for word in words:
        key, _, listed = word.partition("=")
        if not listed or not key.startswith(ENVIRONMENT) or not is_key(key):
            remedy = "write --try env.NAME=VALUE,VALUE; put protocol=… and so on after WORKLOAD"
            raise UserError(f"{word!r} is not a library setting", remedy=remedy)
        try:
            values = tuple(values_listed(listed))
        except ValueError as error:
            remedy = "write the values in one line, with commas between them"
            raise UserError(str(error), where=f"--try {key}=", remedy=remedy) from None
        for value in values:
            if takes := allowed(key, value):
                raise UserError(
                    f"--try {key}={value!r}", allowed=takes, remedy="choose another value"
                )
        settings.append(Setting(key, values, tried=True))
    return tuple(settings)


def _key(key: str) -> str:
    if not is_key(key):
        raise ValueError(f"{key.removeprefix(ENVIRONMENT)!r} is not a variable name")
    return key
