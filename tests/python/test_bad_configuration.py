"""Wrong configurations: a line for each problem, with its remedy, exit 2."""

from __future__ import annotations

import pytest

from bad_input import HEAD, Bad, file, reported_with_its_remedy
from conftest import Command

BAD = {
    "unknown variable": Bad(
        "run pingpong env.=8",
        ("env.=8: unknown configuration 'env.'; allowed: layout, placement, binding, pages,",),
    ),
    "flags that a shell would run": file(
        HEAD + "[configuration]\nflags = ['-O1 `touch PWNED`']\n",
        "5: flags '-O1 `touch PWNED`' is invalid; allowed: compiler options that begin with "
        "-, of letters, digits and _+=:,.- only, as in -O2 or -O3 -march=native; default; choose",
    ),
    "a variable that a shell would expand": Bad(
        "run pingpong env.PRTE_MCA_x=$(touch)",
        ("env.PRTE_MCA_x=$(touch): env.PRTE_MCA_x '$(touch)' is invalid; allowed: one line of",),
    ),
    "a variable to try that a shell would expand": Bad(
        "tune pingpong --try env.X=1,$(touch)",
        ("--try env.X='$(touch)'; allowed: one line of text without `, $, \\ and \", unset, ",),
    ),
    "a listed variable that a shell would expand": Bad(
        "tune pingpong --settings bad.toml",
        ("bad.toml: invalid list of settings: X '`touch`'; allowed: one line of text",),
        file='[[setting]]\nvariable = "X"\nvalues = ["1", "`touch`"]\n',
    ),
    "a side's variable that a shell would run": Bad(
        "compare --a env.BASH_ENV=x --b env.Y=1 pingpong",
        ("env.BASH_ENV=x; allowed: variables that do not make shells or launchers run a program",),
    ),
    "layout that is none": Bad(
        "run pingpong layout=2x1",
        (
            "layout=2x1: layout '2x1' is invalid; allowed: xNyP for x nodes with y ranks "
            "each, as in 1N2P, 2N1P; choose another value",
        ),
    ),
    "layout of no nodes": Bad(
        "run pingpong layout=0N2P", ("layout=0N2P: layout '0N2P' is invalid",)
    ),
    "layout twice": Bad(
        "run pingpong layout=1N2P,1N2P", ("layout=1N2P,1N2P: layout '1N2P' is given twice;",)
    ),
    "layout for other ranks": Bad(
        "run pingpong layout=2N2P --hosts a,b",
        ("layout=2N2P: 2N2P for pingpong; allowed: 2 ranks; use 2 ranks",),
    ),
    "ranks together with a layout": Bad(
        "run pingpong layout=1N2P --ranks 2",
        ("--ranks: ranks together with a layout; leave ranks out: 2N1P is two nodes with",),
    ),
    "several nodes without hosts": Bad(
        "run pingpong layout=1N2P,2N1P",
        (
            "layout=1N2P,2N1P: layout 2N1P without hosts; allowed: names as in a,b, a hostfile, "
            "slurm, up, made; add --hosts made: temporary hosts on this machine",
        ),
    ),
    "hosts without a layout": Bad(
        "run pingpong --hosts a,b",
        ("--hosts: hosts 'a,b' without a layout; add a layout, as in layout=2N1P: one rank",),
    ),
    "srun on no nodes": Bad(
        "run pingpong --launcher srun",
        (
            "--launcher: launcher srun without hosts and a layout; add --hosts slurm and "
            "layout=2N1P, or use `halocline submit`",
        ),
    ),
    "hosts of a simulated machine": Bad(
        "run pingpong layout=2N1P --machine two-nodes --hosts a,b",
        ("--hosts: hosts with the simulated machine 'two-nodes'; leave hosts out",),
    ),
    "pages of a simulated machine": Bad(
        "run pingpong pages=huge --machine two-nodes",
        (
            "pages=huge: pages on the simulated machine 'two-nodes'; allowed: layout, placement; "
            "leave pages out",
        ),
    ),
    "unknown placement": Bad(
        "run pingpong layout=2N1P --hosts a,b --placement warp",
        ("--placement: placement 'warp' is invalid; allowed: smp, wrap, folded, file:PATH;",),
    ),
    "placement on one node": Bad(
        "run pingpong placement=wrap",
        ("placement=wrap: a placement on one node; add a layout of several nodes, as in",),
    ),
    "unknown binding": Bad(
        "run pingpong binding=socket",
        ("binding=socket: binding 'socket' is invalid; allowed: core, none, or a core for each",),
    ),
    "binding of too few cores": Bad(
        "run pingpong binding=0 layout=1N2P",
        ("binding=0: binding 0 names 1 core for layout 1N2P; allowed: 2 cores; name a core",),
    ),
    "unknown pages": Bad(
        "run pingpong pages=small",
        ("pages=small: pages 'small' is invalid; allowed: base, huge, default;",),
    ),
    "flags that are none": Bad(
        "run pingpong flags=O2",
        ("flags=O2: flags 'O2' is invalid; allowed: compiler options that begin with -,",),
    ),
    "unknown launcher": Bad(
        "run pingpong --launcher ssh",
        ("--launcher: launcher 'ssh' is invalid; allowed: mpiexec, srun; choose another",),
    ),
    "several wrong configurations in a file": file(
        HEAD + "[configuration]\nlayouts = ['1N2P']\nenv.A-B = ['1']\nenv.UCX = [1.5]\n"
        "pages = 'huge'\nflags = []\n",
        "5: unknown configuration 'layouts'; allowed: layout, placement, binding, pages, flags, "
        "launcher, env.NAME; did you mean 'layout'?",
        "6: unknown configuration 'env.A-B'; allowed: layout,",
        "7: env.UCX 1.5 is not a string; put it in quotes",
        "8: pages is 'huge', not a list; write pages = [\"huge\"]",
        '9: flags is an empty list; write flags = ["-O2"] or leave it out',
    ),
    "environment that is no table": file(
        HEAD + "[configuration]\nenv = ['A']\n",
        "5: unknown configuration 'env'; allowed: layout, placement,",
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_bad_configuration(bad: Bad, command: Command) -> None:
    reported_with_its_remedy(bad, command)
