"""Sizes and times as people write them."""

from __future__ import annotations

import pytest

from halocline.base.units import counted, duration_s, enumerated, size_bytes, size_text, sizes_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("8B", 8), ("4KiB", 4096), ("1.5 MiB", 1572864), ("1GiB", 2**30), ("1e3", 1000)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_bytes(text) == size


def test_ranges_double() -> None:
    assert sizes_bytes("1..8") == (1, 2, 4, 8)
    assert sizes_bytes("0..4") == (0, 1, 2, 4)
    assert sizes_bytes("3KiB..12KiB") == (3072, 6144, 12288)
    assert sizes_bytes("8..8") == (8,)


def test_ranges_take_steps() -> None:
    assert sizes_bytes("4..16+4") == (4, 8, 12, 16)
    assert sizes_bytes("0..2KiB+1KiB") == (0, 1024, 2048)
    assert sizes_bytes("8..8+1") == (8,)
    assert sizes_bytes("4..8000+4") == tuple(4 * integers for integers in range(1, 2001))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("4KB", "'4KB' has the unknown unit 'KB'"),
        ("1.5", "'1.5' is not a whole number of bytes"),
        ("-1", "'-1' is not a size"),
        ("", "'' is not a size"),
        ("8..", "'' is not a size"),
        (f"8..{10**21}+8", f"'8..{10**21}+8' has {10**21 // 8} sizes, more than 100000"),
        ("8..4", "'8..4' ends before it starts"),
        ("3..8", "'3..8' doubles from 3 without reaching 8"),
        ("4..9+4", "'4..9+4' steps from 4 without reaching 9"),
        ("4..8+0", "'4..8+0' has a step of 0"),
        ("4..8+", "'' is not a size"),
        ("0..1MiB+1", "'0..1MiB+1' has 1048577 sizes, more than 100000"),
    ],
)
def test_wrong_sizes(text: str, wrong: str) -> None:
    with pytest.raises(ValueError) as raised:
        sizes_bytes(text)
    assert str(raised.value) == wrong


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("170s", 170.0), ("2min", 120.0), ("1.5us", 1.5e-6), ("3 ms", 0.003), ("1h", 3600.0)],
)
def test_times(text: str, seconds: float) -> None:
    assert duration_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("3", "'3' has no unit"),
        ("3 days", "'3 days' has the unknown unit 'days'"),
        ("s", "'s' is not a time"),
    ],
)
def test_wrong_times(text: str, wrong: str) -> None:
    with pytest.raises(ValueError) as raised:
        duration_s(text)
    assert str(raised.value) == wrong


@pytest.mark.parametrize("size", [0, 1, 1000, 1024, 1536, 4096, 2**20, 3 * 2**30])
def test_size_texts_are_exact(size: int) -> None:
    assert size_bytes(size_text(size)) == size
    assert size_text(4096) == "4KiB"


def test_lists_and_counts_in_words() -> None:
    assert [enumerated("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert [counted(n, "call") for n in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]
    assert [counted(n, "launch") for n in (1, 2)] == ["1 launch", "2 launches"]
