"""Line numbers of keys and items, in every way to write them."""

from __future__ import annotations

from halocline.base.reading import toml
from halocline.base.toml_text import lines_of, text_of

TEXT = '''schema = 1
experiment.title = """
two = "lines" # [not a table]
"""
[axes] # bytes = 3
"bytes" = [0, "4KiB", # ] , 1
  [1, 2], 'a]',

  8]
[measure]
half_width = { low = 1,
  high = [2] }
budget = "2min"
'''


def test_lines_of_keys_and_items() -> None:
    assert lines_of(TEXT) == {
        "schema": 1,
        "experiment.title": 2,
        "axes": 5,
        "axes.bytes": 6,
        "axes.bytes[0]": 6,
        "axes.bytes[1]": 6,
        "axes.bytes[2]": 7,
        "axes.bytes[3]": 7,
        "axes.bytes[4]": 9,
        "measure": 10,
        "measure.half_width": 11,
        "measure.budget": 13,
    }


def test_tables_of_an_array_are_counted() -> None:
    text = "[[part]]\na = 1\n[part.axes]\nb = [\n2]\n[[part]]\n[part.axes]\nb = [3]\n[end]\n"
    assert lines_of(text) == {
        "part[0]": 1,
        "part[0].a": 2,
        "part[0].axes": 3,
        "part[0].axes.b": 4,
        "part[0].axes.b[0]": 5,
        "part[1]": 6,
        "part[1].axes": 7,
        "part[1].axes.b": 8,
        "part[1].axes.b[0]": 8,
        "end": 9,
    }


def test_written_text_is_read_back_with_whatever_is_in_it() -> None:
    content = {
        "title": 'a\x7f"\\\n€',
        "axes": {"bytes": [8, 64]},
        "part": [{"title": "x"}, {"title": ""}],
    }
    text = text_of(content, ("a\nb\x01", "c"))
    assert text.startswith("# a b?\n# c\n")
    assert toml(text) == content
