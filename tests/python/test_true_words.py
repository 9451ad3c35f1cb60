"""Statements of help and pages, compared with the code that they describe."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import halocline.specification.survey as survey
from floors import CPP_FLOORS, PYTHON_FLOORS
from halocline.cli.main import app
from halocline.specification.experiment import Experiment

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def options(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every option of every command below this one, with the command's words."""
    for parameter in command.params:
        yield " ".join(words), parameter
    if isinstance(command, typer.core.TyperGroup):
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from options(command.get_command(context, name), (*words, name))


@pytest.fixture(scope="module")
def every_option() -> list[tuple[str, Any]]:
    return list(options(typer.main.get_command(app)))


def test_budgets_in_help_are_the_defaults(every_option: list[tuple[str, Any]]) -> None:
    about = {words: each.help for words, each in every_option if "--budget" in each.opts}
    budget = tomllib.loads(survey.FILE.read_text(encoding="utf-8"))["measure"]["budget"]
    assert about["survey"].endswith(f"Default: {budget}.")
    assert about["run"].endswith(f"Default: {Experiment.budget_s:g}s.")


def test_options_that_pages_name_exist(every_option: list[tuple[str, Any]]) -> None:
    known = {name for _, each in every_option for name in (*each.opts, *each.secondary_opts)}
    known |= {"--help", "--install-completion", "--show-completion"}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*/*.md")]
    named = [
        (page.name, option)
        for page in pages
        if page.parent.name != "decisions"
        for line in re.findall(r"`halocline [^`]*`|^\$ halocline .*$", page.read_text(), re.M)
        for option in re.findall(r"(?<= )--[a-z][a-z-]*", line.partition(" -- ")[0])
    ]
    assert len(named) > 100
    assert not [each for each in named if each[1] not in known]


def test_contributing_lists_the_floors() -> None:
    assert tuple(re.findall(r"^\| `(\w+)/` \|", CONTRIBUTING, re.M)) == CPP_FLOORS
    packages = CONTRIBUTING.partition("one package for each station")[2]
    assert tuple(re.findall(r"^\| `(\w+)` \|", packages, re.M)) == PYTHON_FLOORS


def test_contributing_lists_the_targets_of_make() -> None:
    targets = re.findall(r"^\| `make (\w+)` \|", CONTRIBUTING, re.M)
    rules = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert targets and set(targets) <= set(rules)


def test_every_variable_of_the_environment_has_its_line() -> None:
    page = (ROOT / "docs/reference/environment-variables.md").read_text(encoding="utf-8")
    files = [*(ROOT / "python/halocline").rglob("*.py"), *(ROOT / "src").rglob("*.cpp")]
    read = {
        name for file in files for name in re.findall(r'"(HALOCLINE_[A-Z_]+)"', file.read_text())
    }
    assert read and read == set(re.findall(r"^\| `(HALOCLINE_[A-Z_]+)` \|", page, re.M))
