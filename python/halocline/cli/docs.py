"""`halocline docs`: the pages of this version, offline."""

from __future__ import annotations

import difflib
import html
import re
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from markdown_it import MarkdownIt
from rich.console import Console
from rich.markdown import Markdown

from halocline import __version__
from halocline.base.errors import UserError
from halocline.base.parts import part
from halocline.base.paths import cache_home

_SECTIONS = ("tutorial", "how-to", "reference", "explanation", "decisions")
_LINK = re.compile(r'href="(?!\w+:)([^"#]*)\.md(#[^"]*)?"')
_SHEET = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto }}
pre {{ overflow-x: auto; padding: .7rem; background: #8881 }}
table {{ display: block; overflow-x: auto; border-collapse: collapse }}
td, th {{ padding: .2rem .7rem; border-bottom: 1px solid #8886; text-align: left }}
img {{ max-width: 100% }}
</style></head><body>
<p><a href="{index}">All pages</a></p>
{body}</body></html>
"""


@dataclass(frozen=True)
class Page:
    """A page by its name, as in `reference/exit-codes`."""

    name: str
    file: Path

    @property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        return self.text.partition("\n")[0].removeprefix("# ")


def docs(
    page: Annotated[
        str | None, typer.Argument(help="A page's name, as in exit-codes.", show_default=False)
    ] = None,
    search: Annotated[
        str | None, typer.Option(help="Show the lines containing these words.", show_default=False)
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the page, or all of them, in a browser.")
    ] = False,
) -> None:
    """Print a page of the documentation, or list all of them; no network is needed.

    Example: halocline docs experiment-toml
    """
    all_pages = pages()
    if search is not None:
        _search(all_pages, search)
        return
    chosen = _chosen(all_pages, page) if page is not None else None
    if open_:
        folder = write_site(all_pages, cache_home() / "docs" / __version__)
        shown = folder / f"{chosen.name if chosen else 'index'}.html"
        print(shown)
        webbrowser.open(shown.as_uri())
    elif chosen is None:
        for section in _SECTIONS:
            print(f"{section}:")
            for entry in (entry for entry in all_pages if entry.name.startswith(f"{section}/")):
                print(f"  {entry.name.partition('/')[2]:30}  {entry.title}")
    elif sys.stdout.isatty():
        _print_rendered(chosen.text)
    else:
        print(chosen.text, end="")


def pages() -> tuple[Page, ...]:
    """All pages of this installation, section by section."""
    folder = part("_docs", "docs")
    if folder is None:
        raise UserError(
            "the documentation is missing from this installation", remedy="reinstall Halocline"
        )
    files = (file for section in _SECTIONS for file in sorted((folder / section).glob("*.md")))
    return tuple(Page(str(file.relative_to(folder).with_suffix("")), file) for file in files)


def _chosen(all_pages: tuple[Page, ...], name: str) -> Page:
    wanted = name.removesuffix(".md").removeprefix("docs/")
    fitting = [page for page in all_pages if wanted in (page.name, page.name.partition("/")[2])]
    if len(fitting) == 1:
        return fitting[0]
    names = [page.name.partition("/")[2] for page in all_pages]
    near = difflib.get_close_matches(wanted, names, 3, 0.4)
    raise UserError(
        f"{name!r} matches {len(fitting) or 'no'} page{'s' if len(fitting) > 1 else ''}",
        allowed=", ".join([page.name for page in fitting] or near) or None,
        remedy="list all with `halocline docs`, or use `halocline docs --search WORDS`",
    )


def _search(all_pages: tuple[Page, ...], words: str) -> None:
    wanted = words.lower().split()
    none = True
    for page in all_pages:
        for number, line in enumerate(page.text.splitlines(), start=1):
            if all(word in line.lower() for word in wanted):
                print(f"{page.name}:{number}: {line.strip()}")
                none = False
    if none:
        raise UserError(f"no line contains {words!r}", remedy="search for fewer or other words")


def _print_rendered(text: str) -> None:
    Console().print(Markdown(text))


def write_site(all_pages: tuple[Page, ...], folder: Path) -> Path:
    """The pages as HTML, with an index of them; the folder."""
    render = MarkdownIt("commonmark").enable("table").render
    lists = []
    for section in _SECTIONS:
        own = [page for page in all_pages if page.name.startswith(f"{section}/")]
        links = (
            f'<li><a href="{page.name}.html">{html.escape(page.title)}</a></li>' for page in own
        )
        lists.append(f"<h2>{section}</h2><ul>{''.join(links)}</ul>")
    sheets = {"index": _SHEET.format(title="Halocline", index="index.html", body="".join(lists))}
    for page in all_pages:
        body = _LINK.sub(r'href="\1.html\2"', render(page.text))
        sheets[page.name] = _SHEET.format(
            title=html.escape(page.title), index="../index.html", body=body
        )
    for name, text in sheets.items():
        file = folder / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder
