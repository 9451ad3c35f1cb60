"""What the tests cost, part by part: `run` measures a part, `table` prints CONTRIBUTING's table.

Usage: times.py run PART -- COMMAND…    runs it, keeps its log and its times in build/times
       times.py table                   the table of the parts that were run
       times.py slowest [PART]          its slowest groups of tests
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

FOLDER = Path(__file__).parents[1] / "build/times"
FAILED = FOLDER / "failed"
# Lines that say why a part failed, the most precise first.
_REASONS = (
    re.compile(r"^FAILED .*|^ERROR .*", re.MULTILINE),  # pytest
    re.compile(r"^(?:\[\d+\] )?\[  FAILED  \] .*(?:, where |\().*", re.MULTILINE),  # GoogleTest
    re.compile(
        r"^\t?\s*\d+ - .* \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\).*", re.MULTILINE
    ),  # ctest
    re.compile(r"^.*\berror:.*", re.MULTILINE),  # compilers, clang-tidy
    re.compile(r"^.*\.+Failed$", re.MULTILINE),  # pre-commit
)


def reason(log: str) -> str:
    """Why a part failed, in one line: the first line that matches, else the last one."""
    for pattern in _REASONS:
        lines = [match[0].strip() for match in pattern.finditer(log)]
        if lines:
            more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
            return lines[0] + more
    lines = log.strip().splitlines()
    return lines[-1] if lines else "it printed nothing"


def run(part: str, command: list[str]) -> int:
    """Run a part of the tests; its output goes to the terminal and into its log."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    FAILED.unlink(missing_ok=True)
    log = FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', part.lower()).strip('-')}.log"
    print(f"== {part}", flush=True)
    # Whoever starts this in the background has Ctrl-C ignored; tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    with log.open("wb") as kept:
        job = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert job.stdout is not None
        while piece := os.read(job.stdout.fileno(), 65536):  # not lines: progress is within one
            kept.write(piece)
            sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        code = job.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall_s, processor_s = time.monotonic() - began, used.ru_utime + used.ru_stime
    with (FOLDER / "parts.jsonl").open("a", encoding="utf-8") as parts:
        record = {"part": part, "wall_s": wall_s, "processor_s": processor_s, "code": code}
        parts.write(json.dumps(record) + "\n")
    if code:
        why = f"FAILED: {part}: {reason(log.read_text(encoding='utf-8', errors='replace'))}"
        FAILED.write_text(why + "\n", encoding="utf-8")
        print(f"{why}; see {log.relative_to(FOLDER.parents[1])}", flush=True)
    return code


def table() -> None:
    """The last run of each part, in the order in which they were first run."""
    lines = (FOLDER / "parts.jsonl").read_text(encoding="utf-8").splitlines()
    parts = {record["part"]: record for record in map(json.loads, lines)}
    print("| part | wall | processor |\n|---|---:|---:|")
    for name, record in parts.items():
        print(f"| {name} | {minutes(record['wall_s'])} | {minutes(record['processor_s'])} |")
    wall_s, processor_s = (
        sum(record[key] for record in parts.values()) for key in ("wall_s", "processor_s")
    )
    print(f"| sum | {minutes(wall_s)} | {minutes(processor_s)} |")


def minutes(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def slowest(part: str, most: int = 25) -> None:
    """Wall and processor times of the files of tests, summed over their tests."""
    path = FOLDER / f"{part}.xml"
    if not path.is_file():
        print(f"no {path}: `make test` or `make matrix` writes it")
        return
    root = ElementTree.parse(path).getroot()
    wall_s: defaultdict[str, float] = defaultdict(float)
    processor_s: defaultdict[str, float] = defaultdict(float)
    for test in root.iter("testcase"):
        name = str(test.get("classname"))
        wall_s[name] += float(test.get("time") or 0)
        for noted in test.iterfind("properties/property[@name='processor_s']"):
            processor_s[name] += float(noted.get("value") or 0)
    print("  wall  processor")
    for name in sorted(wall_s, key=wall_s.__getitem__, reverse=True)[:most]:
        print(f"{minutes(wall_s[name]):>6}  {minutes(processor_s[name]):>9}  {name}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", part, "--", *command] if command:
            sys.exit(run(part, command))
        case ["table"]:
            table()
        case ["slowest", *parts]:
            slowest(parts[0] if parts else "test")
        case _:
            sys.exit(__doc__)
