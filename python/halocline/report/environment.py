"""The recorded environment as text: one line, and in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from halocline.base.quantities import size_label
from halocline.report.cells import bytes_text
from halocline.specification.experiment import HERE

_NOT_FOR_PEOPLE = ("schema", "catalogue")
_UNKNOWN = "unknown"
# Limits of this process: nothing recorded means no limit.
_GRANTED = "allotment"


def machine_line(environment: Mapping[str, Any], machine: str) -> str:
    """The machine in one line: model, cores, memory, host, system."""
    processor, memory = environment.get("processor", {}), environment.get("memory", {})
    cores, total = processor.get("cores"), memory.get("total_bytes")
    words = (
        "" if machine == HERE else f"simulated machine {machine}, computed on:",
        processor.get("model") or "unknown processor",
        f"{cores} cores" if cores else "",
        f"{total / 2**30:.0f} GiB" if total else "",
        f"host {environment['host']}" if environment.get("host") else "",
        environment.get("distribution") or "",
        f"Linux {environment['kernel']}" if environment.get("kernel") else "",
    )
    return ", ".join(filter(None, words)).replace(":,", ":")


def environment_sections(
    environment: Mapping[str, Any],
) -> dict[str, tuple[tuple[str, str], ...]]:
    """Everything recorded, by section; single values come first, as `host`."""
    shown = {key: value for key, value in environment.items() if key not in _NOT_FOR_PEOPLE}
    alone = {key: value for key, value in shown.items() if not isinstance(value, dict | list)}
    sections = {"host": tuple(_flat(alone, ()))}
    for key, value in shown.items():
        if isinstance(value, dict | list):
            pairs = tuple(_flat(value, ())) or (("", "none"),)
            if key == _GRANTED:
                pairs = tuple((name, text.replace(_UNKNOWN, "no limit")) for name, text in pairs)
            sections[key.replace("_", " ")] = pairs
    return sections


def _flat(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _flat(item, (*path, str(key)))
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for number, item in enumerate(value, start=1):
            yield from _flat(item, (*path, str(number)))
    else:
        yield _named(path, value)


def _named(path: tuple[str, ...], value: Any) -> tuple[str, str]:
    name = " ".join(path)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # Recorded names contain the units; readers expect them next to the number.
    if name.endswith("_bytes"):
        return _words(name, "_bytes"), _bytes(value) if number else _text(value)
    if name.endswith("_hz"):
        return _words(name, "_hz"), f"{value / 1e9:.3f} GHz" if number else _text(value)
    if name.endswith("_share"):
        return _words(name, "_share"), f"{100 * value:.3f} %" if number else _text(value)
    return (name if name.isupper() else name.replace("_", " ")), _text(value)


def _words(name: str, unit: str) -> str:
    return name.removesuffix(unit).replace("_", " ")


def _bytes(value: float) -> str:
    return bytes_text(value) if value >= 2**20 else size_label(int(value))


def _text(value: Any) -> str:
    if value is None or value == "":
        return _UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value) or "none"
    if isinstance(value, dict):
        return "none"
    return str(value)
