"""Where calls were made: function, file and line, from the programs' debug data."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from halocline.profile.profile import Site

_TIMEOUT_S = 120.0


def resolved(sites: Sequence[Site]) -> tuple[Site, ...]:
    """The sites resolved by addr2line; unchanged without it or without debug data."""
    tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")
    if tool is None:
        return tuple(sites)
    by_module = defaultdict(list)
    for index, site in enumerate(sites):
        if not site.line and Path(site.module).is_file():
            by_module[site.module].append(index)
    named = list(sites)
    for module, indices in by_module.items():
        # A return address may already be on the next line.
        offsets = [f"{sites[index].offset - 1:#x}" for index in indices]
        for index, (function, place) in zip(indices, _ask(tool, module, offsets), strict=False):
            named[index] = _with(sites[index], function, place)
    return tuple(named)


def _ask(tool: str, module: str, offsets: Sequence[str]) -> list[tuple[str, str]]:
    try:
        answer = subprocess.run(
            [tool, "-f", "-C", "-e", module],
            input="\n".join(offsets),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        ).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return []
    return list(zip(answer[::2], answer[1::2], strict=False))


def _with(site: Site, function: str, place: str) -> Site:
    file, _, number = place.partition(" (")[0].rpartition(":")
    return replace(
        site,
        function="" if function == "??" else function,
        file="" if file in ("", "??") else file,
        line=int(number) if number.isdigit() and file not in ("", "??") else 0,
    )
