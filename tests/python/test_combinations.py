"""The page of combinations has every workload and protocol that there is, each with an outcome."""

from __future__ import annotations

import re
import runpy
from typing import Any

import pytest

from documents import CHECKOUT
from halocline.cli.here import own_catalogue
from halocline.specification.catalogue import from_json
from libraries import TOOLCHAINS

PAGE = CHECKOUT / "docs/reference/combinations.md"
RANKS = "2, 4, 8, 16"
REMEDY = (
    "update docs/reference/combinations.md with `make combinations ONLY=...`: "
    "a workload's name, or protocol=NAME"
)

Table = list[list[str]]


def rewritten(*runs: dict[str, Any]) -> str:
    """The page with these answers of `halocline verify` in it."""
    page = runpy.run_path(str(CHECKOUT / "tools/write_combinations.py"))["page"]
    return str(page(runs, PAGE.read_text(encoding="utf-8")))


def section(name: str) -> str:
    """What the page says about a library."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {name}\n")
    return rest.partition("\n## ")[0]


def tables(text: str) -> list[Table]:
    """The tables in it, as rows of cells; without the line below the head."""
    found: list[Table] = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in block.splitlines()]
        found.append([rows[0], *rows[2:]])
    return found


def test_the_page_has_a_section_for_each_library() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == list(TOOLCHAINS)


@pytest.mark.parametrize("name", TOOLCHAINS)
def test_every_workload_and_protocol_is_there(name: str) -> None:
    catalogue = from_json(own_catalogue())
    over = [each.name for each in catalogue.workloads if each.axis("protocol")]
    alone = [each.name for each in catalogue.workloads if not each.axis("protocol")]
    text = section(name)
    assert f", on {RANKS} ranks.\n" in text
    protocols, rest = tables(text)
    assert protocols[0] == ["protocol", *over], REMEDY
    shown = [row[0] for row in protocols[1:] + rest[1:]]
    expected = [each.name for each in catalogue.protocols] + alone
    changed = sorted(set(shown) ^ set(expected))
    assert shown == expected, f"{changed} changed; {REMEDY}"
    notes = re.findall(r"^(\d+)\. \S", text, re.MULTILINE)
    for row in [*protocols[1:], *rest[1:]]:
        assert len(row) in (len(over) + 1, 2)
        for cell in row[1:]:
            for part in cell.split("; "):
                said = re.fullmatch(r"(✓|–)(?: [\d, ]*\d)?(?: \[(\d+)\])?", part)
                assert said, (row[0], cell)  # whatever failed is not there
                assert said[1] == "✓" or said[2], (row[0], cell)  # a reason
                assert said[2] is None or said[2] in notes, (row[0], cell)


def test_the_page_is_what_its_tool_makes_of_it() -> None:
    assert rewritten() == PAGE.read_text(encoding="utf-8")


def test_an_answer_replaces_what_is_said_of_its_workloads_alone() -> None:
    failed = {"mpi": "mpich", "ranks": 2, "workload": "barrier", "protocol": ""}
    failed |= {"status": "failed", "reason": "a new one"}
    libraries = [{"name": "mpich", "library": "MPICH of tomorrow, package 1"}]
    text = rewritten({"libraries": libraries, "combinations": [failed]})
    assert "\nMPICH of tomorrow, on 2, 4, 8, 16 ranks.\n" in text
    (number,) = re.findall(r"^(\d+)\. a new one$", text, re.MULTILINE)
    assert text.count(f"| barrier | ✗ 2 [{number}] |\n") == 1
    assert text.count("| barrier | ✓ |\n") == len(TOOLCHAINS) - 1
    assert text.count("| bcast | ✓ |\n") == len(TOOLCHAINS)
