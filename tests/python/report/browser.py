"""A page in headless Chromium: what it drew, and what it complained about."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--virtual-time-budget=30000",
)
_DARK = "--blink-settings=preferredColorScheme=0"
_TIMEOUT_S = 120


@dataclass(frozen=True)
class Shown:
    """The page after its scripts have run, a picture of it, and what its console said."""

    dom: str
    picture: Path
    console: tuple[str, ...]


def show(page: Path, folder: Path, *, width: int, height: int = 3000, dark: bool = False) -> Shown:
    """The page at that width; fails the test, with the remedy, without Chromium."""
    name = f"{page.stem}-{width}-{'dark' if dark else 'light'}"
    picture = folder / f"{name}.png"
    words = [_browser(), *_FLAGS, f"--window-size={width},{height}", *([_DARK] if dark else [])]

    def run(task: str) -> tuple[str, str]:
        for attempt in range(2):  # Chromium itself dies now and then, whatever it shows
            profile = folder / f"{name}{task.partition('=')[0]}-{attempt}"
            done = subprocess.run(
                [*words, f"--user-data-dir={profile}", task, page.as_uri()],
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
            if done.returncode >= 0:
                break
        done.check_returncode()
        return done.stdout, done.stderr

    _, log = run(f"--screenshot={picture}")
    dom, more = run("--dump-dom")
    return Shown(dom, picture, _console(log + more))


@dataclass(frozen=True)
class Looked:
    """A page as its reader meets it; then unfolded, what each figure drew, and what is cut off."""

    height_px: int  # folded
    answer_px: int  # where its first claim ends
    marks: dict[str, int]  # shapes of each figure
    cut: list[str]  # elements that reach beyond the right edge and do not scroll
    alike: list[str]  # names of rows that are shortened to the same text


_LOOK = """
<script>
addEventListener("load", () => setTimeout(() => {
  const height_px = document.documentElement.scrollHeight;
  const answer_px = document.querySelector(".claim")?.getBoundingClientRect().bottom ?? 1e9;
  for (const each of document.querySelectorAll("details")) each.open = true;
  setTimeout(() => {
    const marks = {}, cut = [], alike = [];
    for (const each of document.querySelectorAll(".figure")) {
      marks[each.id] = each.querySelectorAll("svg path, svg line, svg rect").length;
      const end = each.getBoundingClientRect().right + 1;
      for (const name of each.querySelectorAll(".role-legend-label text"))
        if (name.getBoundingClientRect().right > end) cut.push(`${each.id}: ${name.textContent}`);
      for (const axis of each.querySelectorAll(".role-axis-label")) {
        const names = [...axis.children].map((name) => name.textContent);
        alike.push(...names.filter((name, at) => name.includes("…") && names.indexOf(name) < at));
      }
    }
    for (const each of document.querySelectorAll("main *"))
      if (each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".scroll, svg, pre"))
        cut.push(each.outerHTML.slice(0, 80));
    const looked = {height_px, answer_px: Math.round(answer_px), marks, cut, alike};
    parent.postMessage([NUMBER, looked], "*");
  }, 20000);  // of virtual time, which stands still while figures are drawn
}, 2000));
</script>"""
_FRAMES = """<!doctype html><body style="margin: 0"></body><script>
const found = [];
addEventListener("message", ({ data: [number, one] }) => {
  found[number] = one;
  document.body.dataset.found = JSON.stringify(found);
});
</script>"""


def look(
    pages: Sequence[Path], folder: Path, *, width: int, dark: bool = False
) -> tuple[list[Looked], tuple[str, ...]]:
    """All pages at that width, in frames of one browser, and what its console said."""
    frames = []
    for number, page in enumerate(pages):
        acting = folder / f"frame-{number}.html"
        before, _, after = page.read_text(encoding="utf-8").rpartition("</body>")
        script = _LOOK.replace("NUMBER", str(number))
        acting.write_text(f"{before}{script}</body>{after}", encoding="utf-8")
        size = f"border: 0; width: {width}px; height: 900px"
        frames.append(f'<iframe src="{acting.name}" style="{size}"></iframe>')
    outer = folder / f"frames-{width}-{'dark' if dark else 'light'}.html"
    outer.write_text(_FRAMES + "".join(frames), encoding="utf-8")
    profile = f"--user-data-dir={folder / 'frames'}"
    size = f"--window-size={max(width, 500)},900"
    words = [_browser(), *_FLAGS, size, profile, *([_DARK] if dark else []), "--dump-dom"]
    done = subprocess.run(
        [*words, outer.as_uri()], capture_output=True, text=True, timeout=_TIMEOUT_S, check=True
    )
    found = re.search(r'data-found="([^"]*)"', done.stdout)
    assert found, done.stderr
    looked = [Looked(**each) for each in json.loads(html.unescape(found[1]))]
    return looked, _console(done.stderr)


def _browser() -> str:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.fail("Chromium is not installed: apt-get install chromium", pytrace=False)
    return browser


def _console(log: str) -> tuple[str, ...]:
    return tuple(re.findall(r":CONSOLE[^\]]*\] (.*)", log))
