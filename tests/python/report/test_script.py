"""The script that draws is put together once, and a file of it that was cut off is not taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.report import write


def test_the_script_is_kept_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[str] = []

    def bundle(code: str) -> str:
        made.append(code)
        return "let text = '</script>';"

    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    monkeypatch.setattr("vl_convert.javascript_bundle", bundle)
    texts = []
    for cut in (False, False, True):
        write.vega.cache_clear()
        if cut:
            (kept,) = (tmp_path / "cache").iterdir()
            kept.write_text("let", encoding="utf-8")
        texts.append(write.vega())
    write.vega.cache_clear()
    assert len(made) == 2
    assert len(set(texts)) == 1 and "<\\/script>" in texts[0]


def test_a_cache_that_cannot_be_written_is_done_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("")
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    monkeypatch.setattr("vl_convert.javascript_bundle", lambda _: "draw();")
    write.vega.cache_clear()
    assert write.vega().startswith("draw();")
    write.vega.cache_clear()
