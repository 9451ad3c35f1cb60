"""Finds what breaks the order of the floors, in C++ and in Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

CPP_FLOORS = (
    "base",
    "mpi",
    "layout",
    "route",
    "protocol",
    "bundle",
    "numerics",
    "coupling",
    "measure",
    "workload",
    "driver",
    "api",
)
PYTHON_FLOORS = (
    "base",
    "specification",
    "slurm",
    "hosts",
    "launch",
    "mpi",
    "redistribution",
    "environment",
    "doctor",
    "samples",
    "summary",
    "campaign",
    "verify",
    "compare",
    "tune",
    "detect",
    "store",
    "model",
    "report",
    "profile",
    "findings",
    "cli",
)

_INCLUDE = re.compile(r'^\s*#\s*include\s*"halocline/([^/"]+)/', re.MULTILINE)
_CONDITION = re.compile(r"^\s*#\s*(?:el)?if(?:n?def)?\b(.*)$", re.MULTILINE)
_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def cpp_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in {".hpp", ".cpp", ".h"})


def cpp_violations(folder: Path) -> Iterator[str]:
    """One line for each thing in src/halocline that is on the wrong floor."""
    for file in cpp_files(folder):
        name = file.relative_to(folder)
        floor = name.parts[0]
        if floor not in CPP_FLOORS:
            yield f"{name}: no floor is called {floor}; allowed: {', '.join(CPP_FLOORS)}"
            continue
        text = file.read_text(encoding="utf-8")
        yield from (f"{name}: {problem}" for problem in _wrong_includes(floor, text))
        yield from (f"{name}: {problem}" for problem in _stray_mpi(name, text))


def _wrong_includes(floor: str, text: str) -> Iterator[str]:
    allowed = set(CPP_FLOORS[: CPP_FLOORS.index(floor) + 1])
    if floor == "layout":
        allowed.discard("mpi")  # pure arithmetic
    yield from (
        f"{floor}/ may not include {other}/"
        for other in _INCLUDE.findall(text)
        if other not in allowed
    )


def _stray_mpi(name: Path, text: str) -> Iterator[str]:
    code = _COMMENT_OR_TEXT.sub("", text)
    if name.parts[0] == "api":  # programs pass their communicators
        stray = set(re.findall(r"\bMPI_\w+", code)) - {"MPI_Comm"}
        yield from (f"{word} belongs into mpi/" for word in sorted(stray))
    elif name.parts[0] != "mpi":
        if re.search(r"#\s*include\s*<mpi\.h>", code):
            yield "only mpi/ may include <mpi.h>"
        yield from (f"{word} belongs into mpi/" for word in re.findall(r"\bMPI_\w+", code))
        if re.search(r"(?:\.|->)handle\(\)", code):
            yield "only mpi/ may ask for an MPI handle()"
    if name.parts[1:2] != ("compat",):
        conditions = (condition.strip() for condition in _CONDITION.findall(code))
        yield from (
            f"the conditional on {condition} belongs into {name.parts[0]}/compat/"
            for condition in conditions
            if condition != "__cplusplus"
        )


def defined(folder: Path, kind: str) -> dict[str, str]:
    """The objects `const KIND name{` or `= define<…>({`, each with its file's stem and `.name`."""
    pattern = re.compile(
        rf'^const {kind} (\w+)(?:| =\s+define<[^;]+?>\()\{{\s*\.name = "(\w+)"', re.MULTILINE
    )
    return {
        found[1]: f"{file.stem} {found[2]}"
        for file in cpp_files(folder)
        for found in pattern.finditer(file.read_text(encoding="utf-8"))
    }


def catalogued(file: Path) -> list[str]:
    """The names that a catalogue.inc lists."""
    return re.findall(
        r"^HALOCLINE_[A-Z]+\((\w+)\)$", file.read_text(encoding="utf-8"), re.MULTILINE
    )


def python_violations(package: Path) -> Iterator[str]:
    """One line for each import in the package that goes to a higher floor."""
    modules = {_module(package, file): file for file in sorted(package.rglob("*.py"))}
    for module, file in modules.items():
        floor = _floor(module)
        if floor is None:
            yield f"{module}: has no floor; give it one in tests/python/floors.py"
            continue
        for imported in _imports(ast.parse(file.read_text(encoding="utf-8")), module, modules):
            other = _floor(imported)
            if other is None or other > floor:
                yield f"{module} may not import {imported}"


def _module(package: Path, file: Path) -> str:
    parts = file.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _floor(module: str) -> int | None:
    """The index of the package that a module is in; the package of all is below the first."""
    package = module.partition(".")[0]
    if not package:
        return -1
    return PYTHON_FLOORS.index(package) if package in PYTHON_FLOORS else None


def _imports(tree: ast.AST, importer: str, modules: dict[str, Path]) -> Iterator[str]:
    """The package's modules that a module imports, at its top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names: Sequence[str] = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from a.b import c` imports the module a.b.c where there is one, else a name of a.b.
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if _inside(name) in modules else str(node.module) for name in whole]
        else:
            continue
        inside = (_inside(name) for name in names)
        yield from (name for name in inside if name is not None and name != importer)


def _inside(name: str) -> str | None:
    """The module's name inside the package; None for one of another package."""
    package, _, rest = name.partition(".")
    return rest if package == "halocline" else None
