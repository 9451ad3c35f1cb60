"""Damaged files: what disks, editors, other versions and strangers make of a file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

# How many damaged inputs of each kind a test tries; more to search by hand.
INPUTS = int(os.environ.get("HALOCLINE_FUZZ", "40"))

_VALUE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?|true|false|null')
_INSTEAD = (
    *(b"NaN", b"Infinity", b"-Infinity", b"nan", b"-inf", b"1e999", b"-1e308", b"5e-324", b"-0.0"),
    *(b"0", b"-1", b"2", b"1.5", b"9223372036854775807", b"18446744073709551616", b"9" * 5000),
    *(b"null", b"true", b"false", b'""', b'"x"', b'"\\u0000"', b'"\\ud800"', b'"1"', b'"../../x"'),
    *(b"[]", b"{}", b"[[]]", b"[1]", b'{"a": 1}', b"[" * 3000, b"[" * 20_000 + b"]" * 20_000),
    *(b'"' + b"y" * 300 + b'"', b'"\xff\xfe"', b'"a\\nb"', b'"\\u001b[31m"', b"1979-05-27"),
)
_OTHER_TYPES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 2**70, 1e308, 5e-324, "", "x", "\0"),
    *([], [[]], {}, [None], ["x"]),
)


def mutated(data: bytes, random: Random) -> bytes:
    """The data, damaged in one to three ways."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(_WAYS)(data, random)
    return data


def damaged(data: bytes, seed: str, inputs: int = INPUTS) -> Iterator[bytes]:
    """So many damaged versions, always the same ones."""
    random = Random(seed)
    for _ in range(inputs):
        yield mutated(data, random)


def _flipped(data: bytes, random: Random) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(random.choice((1, 1, 4, 64))):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _without_a_piece(data: bytes, random: Random) -> bytes:
    at, length = random.randrange(len(data) + 1), random.choice((1, 8, 512))
    return data[:at] + data[at + length :]


def _with_noise(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.randbytes(random.choice((1, 8, 512))) + data[at:]


def _line_twice(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return b"".join(lines)


def _without_a_line(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    del lines[random.randrange(len(lines))]
    return b"".join(lines)


def _in_other_order(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    random.shuffle(lines)
    return b"".join(lines)


def _with_another_value(data: bytes, random: Random) -> bytes:
    """Of JSON or TOML: a value, or a key, is something else."""
    found = list(_VALUE.finditer(data))
    if not found:
        return _flipped(data, random)
    one = random.choice(found)
    instead = random.choice((*_INSTEAD, random.choice(found).group()))
    return data[: one.start()] + instead + data[one.end() :]


def _with_another_field(data: bytes, random: Random) -> bytes:
    """Of lines of JSON: valid as JSON, but a field is gone, or has another type."""
    lines = data.split(b"\n") if data.count(b"\n") > 1 and data.startswith(b"{") else [data]
    at = random.randrange(len(lines))
    try:
        content = json.loads(lines[at])
        place, key = random.choice(list(_fields(content)))
    except (ValueError, IndexError, RecursionError):
        return _with_another_value(data, random)
    if random.random() < 0.3:
        del place[key]
    else:
        place[key] = random.choice(_OTHER_TYPES)
    lines[at] = json.dumps(content).encode()
    return b"\n".join(lines)


def _fields(content: Any) -> Iterator[tuple[Any, Any]]:
    """All places in lists and objects: what they are in, and the index or key there."""
    if isinstance(content, dict | list):
        for key in list(content) if isinstance(content, dict) else range(len(content)):
            yield content, key
            yield from _fields(content[key])


_WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_flipped, _cut, _without_a_piece, _with_noise, _line_twice, _without_a_line, _in_other_order),
    *(_with_another_value, _with_another_value, _with_another_value),
    *(_with_another_field, _with_another_field, _with_another_field),
)
