"""What is tried of an MPI library: variables and their values, each with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.configuration import ENVIRONMENT, allowed, is_key
from halocline.errors import UserError
from halocline.reading import content_of, toml
from halocline.units import listed as values_listed

FILE = Path(__file__).with_name("settings.toml")
NONE = "none"  # instead of a file: no library settings
_FORM = "[[setting]] with variable, values and, if you like, families, about, source"


@dataclass(frozen=True)
class Setting:
    """A key of the configuration with the values to try; the default is tried anyway."""

    key: str
    values: tuple[str, ...]
    families: tuple[str, ...] = ()  # none: for every library
    about: str = ""
    source: str = ""


def read(path: Path = FILE) -> tuple[Setting, ...]:
    """All settings of a file; UserError if it is none."""
    try:
        text = content_of(path, "check the path after --settings").decode()
        return tuple(_setting(entry) for entry in toml(text).get("setting", []))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"not a list of settings: {type(error).__name__} {error}"
        remedy = f"write it like {FILE}"
        raise UserError(what, where=str(path), allowed=_FORM, remedy=remedy) from None


def _setting(entry: dict[str, object]) -> Setting:
    variable, values, families = entry["variable"], entry["values"], entry.get("families", [])
    if not isinstance(values, list) or not values or not isinstance(families, list):
        raise ValueError(f"values of {variable}: {values!r}")
    key = _key(f"{ENVIRONMENT}{variable}")
    for value in values:
        if takes := allowed(key, str(value)):
            raise ValueError(f"{variable} {str(value)!r}; allowed: {takes}")
    return Setting(
        key=key,
        values=tuple(map(str, values)),
        families=tuple(map(str, families)),
        about=str(entry.get("about", "")),
        source=str(entry.get("source", "")),
    )


def of_family(settings: Sequence[Setting], family: str) -> tuple[Setting, ...]:
    """Those for the libraries of a family."""
    return tuple(each for each in settings if not each.families or family in each.families)


def from_words(words: Sequence[str]) -> tuple[Setting, ...]:
    """Settings such as `env.UCX_TLS=posix,sysv`; UserError for what is none."""
    found = []
    for word in words:
        key, _, listed = word.partition("=")
        if not listed or not key.startswith(ENVIRONMENT) or not is_key(key):
            remedy = "write --try env.NAME=VALUE,VALUE; protocol=… and so on stand after WORKLOAD"
            raise UserError(f"{word!r} is nothing to try", remedy=remedy)
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
        found.append(Setting(key, values))
    return tuple(found)


def _key(key: str) -> str:
    if not is_key(key):
        raise ValueError(f"{key.removeprefix(ENVIRONMENT)!r} is no variable")
    return key
