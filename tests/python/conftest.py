"""Fixtures that several test files share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

HOSTS = Path(__file__).parents[1] / "data/hosts"


@pytest.fixture
def recorded_host(tmp_path: Path) -> Callable[[str], Path]:
    """Unpacks a recording of tests/data/hosts; gives the root below which its files lie."""

    def unpack(name: str) -> Path:
        contents: dict[str, list[str]] = {}
        for line in (HOSTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            path, _, content = line.partition(":")
            contents.setdefault(path, []).append(content)
        root = tmp_path / name
        for path, lines in contents.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return root

    return unpack
