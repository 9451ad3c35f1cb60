from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest

from halocline.mpi import identity
from halocline.mpi.identity import Identity

Script = Callable[[str, str], Path]


def test_every_part_decides_the_key() -> None:
    one = Identity("wrapper", "show", "library", "compiler", "program")
    others = [replace(one, **{field.name: "other"}) for field in fields(Identity)]
    assert len({one.key, *(other.key for other in others)}) == len(others) + 1


@pytest.mark.launches
def test_a_wrapper_is_asked_for_its_compiler(standin: Path, script: Script, tmp_path: Path) -> None:
    compiler = script("c++", "echo 'c++ 12.2'; echo more")
    wrapper = script("mpicxx", f'[ "$1" = --showme ] && echo "{compiler} -lmpi"')
    library = tmp_path / "libmpi.so"
    library.write_bytes(b"first")
    before = identity.of_wrapper(wrapper, library, {})
    assert (before.wrapper, before.show) == (str(wrapper), f"{compiler} -lmpi")
    assert before.compiler == "c++ 12.2"
    library.write_bytes(b"second")
    after = identity.of_wrapper(wrapper, library, {})
    assert after == replace(before, library=after.library)
    assert after.key != before.key


def test_a_changed_source_changes_the_identity(standin: Path, script: Script) -> None:
    wrapper = script("mpicxx", "exit 1")
    before = identity.of_wrapper(wrapper, None, {})
    (standin / "src/halocline/new.hpp").write_text("", encoding="utf-8")
    after = identity.of_wrapper(wrapper, None, {})
    assert after == replace(before, program=after.program)
    assert after.program != before.program


def test_a_library_that_is_gone_differs_from_none(tmp_path: Path) -> None:
    assert identity.digest(None) == ""
    assert identity.digest(tmp_path / "none.so") == "gone"
