"""Files as disks, editors and strangers leave them: damaged, but never at random twice."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from random import Random

# How many damaged inputs of each kind a test tries; more to search by hand: HALOCLINE_FUZZ=20000.
INPUTS = int(os.environ.get("HALOCLINE_FUZZ", "40"))

_VALUE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?|true|false|null')
_INSTEAD = (
    *(b"NaN", b"Infinity", b"1e999", b"0", b"-1", b"1.5", b"9" * 5000, b"18446744073709551616"),
    *(b"null", b"true", b'""', b'"x"', b'"\\u0000"', b'"\\ud800"', b'"../../x"', b'"\xff\xfe"'),
    *(b"[]", b"{}", b"[[]]", b"[1]", b'{"a": 1}', b"[" * 20_000),
)


def mutated(data: bytes, random: Random) -> bytes:
    """The data, damaged in one to three ways."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(_WAYS)(data, random)
    return data


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


def _with_another_value(data: bytes, random: Random) -> bytes:
    """Of JSON: a value, or a key, is something else."""
    found = list(_VALUE.finditer(data))
    if not found:
        return _flipped(data, random)
    one = random.choice(found)
    instead = random.choice((*_INSTEAD, random.choice(found).group()))
    return data[: one.start()] + instead + data[one.end() :]


_WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_flipped, _cut, _without_a_piece, _with_noise),
    *(_with_another_value, _with_another_value, _with_another_value),
)
