"""The hook for plain English finds banned words in prose, and only there."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("plain", ROOT / "tools" / "plain_english.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.md", "Install it beside MPICH.\n"),
        ("help.py", 'HELP = """Go on with a run."""\n'),
        ("error.py", 'raise ValueError(f"{word} is no setting")\n'),
        ("comment.py", "x = 1  # more time cannot mend it\n"),
    ],
)
def test_banned_words_are_found(hook: ModuleType, name: str, text: str) -> None:
    assert len(list(hook.findings(Path(name), text))) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.md", "Install it alongside MPICH; the comment without words is fine.\n"),
        ("names.py", "beside = mend(besides)\n"),
        ("CONTRIBUTING.md", "| fix | to repair a cause | mend |\n"),
    ],
)
def test_other_words_and_names_pass(hook: ModuleType, name: str, text: str) -> None:
    assert not list(hook.findings(Path(name), text))


def test_the_pages_pass(hook: ModuleType) -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*/*.md")]
    read = [page for page in pages if page.parent.name != "decisions"]
    assert len(read) > 40
    assert not [
        problem
        for page in read
        for problem in hook.findings(page, page.read_text(encoding="utf-8"))
    ]
