"""`halocline docs`: the pages that come with the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import halocline
from conftest import Command
from documents import CHECKOUT
from halocline.cli.docs import pages, write_site


def test_all_pages_are_listed_with_their_titles(command: Command) -> None:
    out = command("docs").out
    files = sorted((CHECKOUT / "docs").glob("*/*.md"))
    assert len(files) > 60
    for file in files:
        title = file.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        assert re.search(rf"^  {file.stem} +{re.escape(title)}$", out, re.MULTILINE), file


@pytest.mark.parametrize(
    "name", ["exit-codes", "reference/exit-codes", "docs/reference/exit-codes.md"]
)
def test_a_page_is_printed(command: Command, name: str) -> None:
    whole = (CHECKOUT / "docs/reference/exit-codes.md").read_text(encoding="utf-8")
    assert command("docs", name).out == whole


def test_words_are_searched_for(command: Command) -> None:
    (line,) = command("docs", "--search", "SIGTERM 143 terminated").out.splitlines()
    assert line.startswith("reference/exit-codes:")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("exit-code",), "'exit-code' matches no page; allowed: exit-codes"),
        (("--search", "xyzzy plugh"), "no line contains 'xyzzy plugh'; search for"),
        (("CHANGELOG",), "'CHANGELOG' matches no page"),
    ],
)
def test_what_is_not_there(command: Command, words: tuple[str, ...], said: str) -> None:
    ended = command("docs", *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"halocline: {said}")


def test_in_a_browser_every_link_between_pages_leads_somewhere(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    shown = Path(command("docs", "exit-codes", "--open").out.strip())
    assert opened == [shown.as_uri()]
    site = shown.parents[1]
    for page in site.rglob("*.html"):
        for link in re.findall(r'href="([^":#]+\.html)', page.read_text(encoding="utf-8")):
            target = (page.parent / link).resolve()
            assert target.exists() or site not in target.parents, (page, link)
    assert "<table>" in shown.read_text(encoding="utf-8")


def test_a_package_has_them_beside_its_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "halocline"
    (package / "_docs/reference").mkdir(parents=True)
    (package / "_docs/reference/one.md").write_text("# One & all\n")
    monkeypatch.setattr(halocline, "__path__", [str(package)])
    (page,) = pages()
    assert (page.name, page.title) == ("reference/one", "One & all")
    assert "One &amp; all" in (write_site((page,), tmp_path / "site") / "index.html").read_text()


def test_no_message_names_a_file_that_only_the_clone_has() -> None:
    for file in (CHECKOUT / "python/halocline").rglob("*.py"):
        for line in file.read_text(encoding="utf-8").splitlines():
            is_message = '"' in line and not line.lstrip().startswith(("#", '"""'))
            assert not (is_message and re.search(r"docs/[a-z-]+/", line)), (file, line)
