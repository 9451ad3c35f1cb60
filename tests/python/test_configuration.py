"""Configurations: what a launch is besides its cases."""

from __future__ import annotations

import pytest

from halocline.specification.configuration import (
    Layout,
    allowed,
    canonical,
    is_key,
    keys_of,
    label,
    layout,
    layout_of,
    value_of,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1N2P", Layout(1, 2)),
        ("12N32P", Layout(12, 32)),
        ("0N2P", None),
        ("2N0P", None),
        ("2n1p", None),
        ("2N1P ", None),
        ("N1P", None),
        ("2N", None),
    ],
)
def test_layouts(text: str, found: Layout | None) -> None:
    assert layout(text) == found
    if found:
        assert str(found) == text
        assert found.ranks == found.nodes * found.ranks_per_node


def test_the_layout_of_a_case_is_one_node_unless_it_says_otherwise() -> None:
    assert layout_of((), 4) == Layout(1, 4)
    assert layout_of((("layout", "2N2P"), ("pages", "huge")), 4) == Layout(2, 2)


@pytest.mark.parametrize("key", ["layout", "flags", "env.UCX_TLS", "env._x1"])
def test_keys(key: str) -> None:
    assert is_key(key)


@pytest.mark.parametrize("key", ["layouts", "env", "env.", "env.1X", "env.A-B", "ENV.X", "env.Ä"])
def test_no_keys(key: str) -> None:
    assert not is_key(key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("placement", "folded"),
        ("placement", "file:order.txt"),
        ("binding", "core"),
        ("binding", "0,12,3"),
        ("pages", "base"),
        ("flags", "-O3 -march=native"),
        ("launcher", "srun"),
        ("env.X", "unset"),
        ("env.X", "a b,c"),
        ("env.X", "default"),
        ("pages", "default"),
        ("flags", "default"),
    ],
)
def test_values(key: str, value: str) -> None:
    assert allowed(key, value) is None


_FLAGS = (
    "compiler options that begin with -, of letters, digits and _+=:,.- only, as in -O2 or "
    "-O3 -march=native; default"
)
_VALUES = 'one line of text without `, $, \\ and ", unset, default'


@pytest.mark.parametrize(
    ("key", "value", "choices"),
    [
        ("placement", "file:", "smp, wrap, folded, file:PATH"),
        ("binding", "default", "core, none, or a core for each rank of a node, as in 0,1"),
        ("layout", "default", "xNyP for x nodes with y ranks each, as in 1N2P, 2N1P"),
        ("binding", "0,", "core, none, or a core for each rank of a node, as in 0,1"),
        ("flags", "- O2", _FLAGS),
        ("flags", "-O2\n", _FLAGS),
        ("env.X", "a\nb", _VALUES),
    ],
)
def test_no_values(key: str, value: str, choices: str) -> None:
    assert allowed(key, value) == choices


@pytest.mark.parametrize(
    "value",
    [
        *("-O1 `touch X`", "-O1 $(touch X)", "-O1;touch", "-O1 &touch", "-O1|touch", "-O1\ntouch"),
        *("-D'X'", '-D"X"', "-D$X", "-D\\x", "-O1 #", "-O1 ~", "-O1 *", "-O1 >x", "-O1 (x)"),
        *("-fplugin=/x.so", "-B/x", "-specs=../x", "-O1 x.o", "-wrapper sh,-c,touch", "@x"),
    ],
)
def test_flags_that_a_shell_or_the_compiler_would_run(value: str) -> None:
    assert allowed("flags", value) == _FLAGS


def test_flags_of_several_compilers() -> None:
    for value in (
        "-Ofast  -flto=auto -fno-math-errno -mtune=cortex-a72+crypto -std=c++20 -DX=1.5",
        "-xCORE-AVX512 -qopt-zmm-usage=high -fp-model=fast -Wl,-z,now --param=max-unroll-times=4",
    ):
        assert allowed("flags", value) is None


@pytest.mark.parametrize("value", ["$(touch X)", "`touch X`", "$HOME", 'a"b', "a\\b"])
def test_values_that_a_shell_would_expand(value: str) -> None:
    """Open MPI hands on variables of its own between double quotes on a command line."""
    assert allowed("env.PRTE_MCA_foo", value) == _VALUES


def test_values_that_shells_leave_alone() -> None:
    for value in ("1:0-64;2:65-128", "^cma,self", "a 'b' & c | d", "\N{MICRO SIGN}"):
        assert allowed("env.I_MPI_ADJUST_BCAST", value) is None


@pytest.mark.parametrize(
    "name", ["BASH_ENV", "ENV", "PS4", "OMPI_MCA_plm_rsh_agent", "I_MPI_HYDRA_BOOTSTRAP_EXEC"]
)
def test_variables_that_name_a_program_to_run(name: str) -> None:
    refused = "variables that do not make shells or launchers run a program"
    assert allowed(f"env.{name}", "x") == refused


def test_what_is_the_default_anyway_is_left_out() -> None:
    plain = {"layout": "1N2P", "placement": "wrap", "binding": "core", "launcher": "mpiexec"}
    assert canonical(plain, 2, True) == ()
    assert canonical(plain, 2, False) == (("layout", "1N2P"),)
    spread = {"placement": "smp", "layout": "2N1P", "env.X": "unset", "pages": "base"}
    assert canonical(spread, 2, False) == (
        ("env.X", "unset"),
        ("layout", "2N1P"),
        ("pages", "base"),
    )
    wrapped = {"placement": "wrap", "layout": "2N2P", "binding": "none"}
    assert dict(canonical(wrapped, 4, True)) == wrapped
    assert canonical({"pages": "default", "flags": "default", "env.X": "default"}, 2, True) == ()
    one_each = {"placement": "folded", "layout": "4N1P"}
    assert canonical(one_each, 4, True) == (("layout", "4N1P"),)
    listed = {"placement": "file:order", "layout": "4N1P"}
    assert dict(canonical(listed, 4, True)) == listed


def test_labels_and_values() -> None:
    several = (("env.X", "1"), ("layout", "2N1P"))
    assert label("mpich", ()) == "mpich"
    assert label("mpich", several) == "mpich env.X=1 layout=2N1P"
    assert [value_of((), 2, key) for key in ("layout", "placement", "launcher", "env.X")] == [
        *("1N2P", "smp", "mpiexec", "default")
    ]
    assert [value_of(several, 2, key) for key in ("layout", "env.X")] == ["2N1P", "1"]
    assert keys_of([(), several, (("pages", "huge"),)]) == ("env.X", "layout", "pages")
