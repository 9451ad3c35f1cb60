"""JSON into the classes of a profile: a wrong type is reported with its place."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Shape = TypeVar("Shape")


def shaped(kind: type[Shape], content: Any, where: str = "$") -> Shape:
    """An object of this class; ValueError if the content has another shape."""
    if not isinstance(content, dict):
        raise ValueError(f"{where} is {_short(content)}, not an object")
    hints = get_type_hints(kind)
    found = {}
    for one in fields(kind):  # type: ignore[arg-type]
        if one.name in content:
            found[one.name] = _value(hints[one.name], content[one.name], f"{where}.{one.name}")
        elif one.default is MISSING:
            raise ValueError(f"{where} lacks {one.name}")
    return kind(**found)


def _value(kind: Any, content: Any, where: str) -> Any:
    if is_dataclass(kind):
        return shaped(kind, content, where)  # type: ignore[arg-type]
    if get_origin(kind) is tuple and isinstance(content, list):
        (each, _) = get_args(kind)
        return tuple(_value(each, one, f"{where}[{at}]") for at, one in enumerate(content))
    if get_origin(kind) is Literal and content in get_args(kind):
        return content
    if kind is str and isinstance(content, str):
        return content.encode(errors="replace").decode()  # arguments may be invalid text
    if type(content) in (kind, *get_args(kind)):
        return content
    raise ValueError(f"{where} is {_short(content)}")


def _short(content: Any) -> str:
    text = repr(content)
    return text if len(text) <= 30 else f"{text[:30]}…"
