"""A page in headless Chromium: what it drew, and what it complained about."""

from __future__ import annotations

import re
import shutil
import subprocess
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
    """The page at that width; fails the test, with the command that mends it, without Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.fail("Chromium is not installed: apt-get install chromium", pytrace=False)
    name = f"{page.stem}-{width}-{'dark' if dark else 'light'}"
    picture = folder / f"{name}.png"
    words = [browser, *_FLAGS, f"--window-size={width},{height}", *([_DARK] if dark else [])]

    def run(task: str) -> tuple[str, str]:
        profile = f"--user-data-dir={folder / name}"
        done = subprocess.run(
            [*words, profile, task, page.as_uri()],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
        return done.stdout, done.stderr

    _, log = run(f"--screenshot={picture}")
    dom, more = run("--dump-dom")
    console = re.findall(r":CONSOLE[^\]]*\] (.*)", log + more)
    return Shown(dom, picture, tuple(console))
