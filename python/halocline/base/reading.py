"""Reading files back: errors name the file, the line, the field and the remedy."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from halocline.base.errors import UserError

Kind = TypeVar("Kind")

# Wide enough for any measurement, narrow enough that no sum or ratio overflows.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=2**62)]
Whole = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
Number = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Elapsed = Annotated[float, msgspec.Meta(ge=1e-15, le=1e9)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

_BETTER = {
    "Object missing required field": "missing field",
    "JSON is malformed": "not JSON",
    "Input data was truncated": "not JSON: it ends too early",
}
_DEPTH = 50  # nesting of lists and objects
_PLACED = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<field>.*)`)?", re.DOTALL)


def decoded(content: bytes | str, kind: type[Kind]) -> Kind:
    """JSON as this type; ValueError says briefly what is wrong, and in which field."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (ValueError, RecursionError) as error:
        raise ValueError(problem(error)) from None


def converted(content: object, kind: type[Kind]) -> Kind:
    """The same for an already parsed value."""
    try:
        return msgspec.convert(content, type=kind, dec_hook=_path)
    except (ValueError, RecursionError) as error:
        raise ValueError(problem(error)) from None


def _path(kind: type, content: object) -> object:
    if kind is Path and isinstance(content, str) and content and "\0" not in content:
        return Path(content)
    raise ValueError(f"expected {kind.__name__}")


def checked(content: object, depth: int = 0) -> None:
    """ValueError for JSON nested too deeply, or with numbers out of range."""
    if depth > _DEPTH:
        raise ValueError("it is nested too deeply")
    if isinstance(content, dict | list):
        for item in content.values() if isinstance(content, dict) else content:
            checked(item, depth + 1)
    elif isinstance(content, int | float) and not -1e30 <= content <= 1e30:
        raise ValueError("a number in it is out of range")


def is_json(line: bytes) -> bool:
    """Whether this is a complete JSON text, whatever its values."""
    try:
        json.loads(line)
    except RecursionError:
        return True
    except ValueError:  # includes invalid UTF-8
        return False
    return True


def problem(error: Exception) -> str:
    """A short description of the error: `launch: expected int, got str`."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    match = _PLACED.fullmatch(str(error))
    message, field = (match["what"], match["field"]) if match else (str(error), None)
    message = " ".join(message.replace("`", "").split())
    for words, better in _BETTER.items():
        message = message.replace(words, better)
    message = message[:1].lower() + message[1:]
    return f"{field}: {message}" if field else message


def content_of(path: Path, remedy: str) -> bytes:
    """The bytes of a file; UserError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", remedy=remedy) from None


def json_file(path: Path, kind: type[Kind], what: str, remedy: str) -> Kind:
    """The content of a JSON file; UserError `not {what}: …` if it is anything else."""
    try:
        return decoded(content_of(path, remedy), kind)
    except ValueError as error:
        raise UserError(f"not {what}: {error}", where=str(path), remedy=remedy) from None


def json_lines(path: Path, kind: type[Kind], what: str, remedy: str) -> list[Kind]:
    """The lines of an append-only file; an incomplete last line is ignored."""
    values: list[Kind] = []
    for number, line in enumerate(content_of(path, remedy).split(b"\n")[:-1], start=1):
        try:
            values.append(decoded(line, kind))
        except ValueError as error:
            where = f"{path}:{number}"
            raise UserError(f"not {what}: {error}", where=where, remedy=remedy) from None
    return values


def require_schema(schema: int, known: int, path: Path, remedy: str) -> None:
    """UserError for a file of another version of Halocline."""
    if schema != known:
        mismatch = f"schema {schema} instead of {known}"
        raise UserError(mismatch, where=str(path), remedy=remedy)


def toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text; ValueError, usually a TOMLDecodeError, says what is wrong."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:
        if isinstance(error, tomllib.TOMLDecodeError):
            raise
        raise ValueError("it has a number of thousands of digits") from None
