"""What is said of a profile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halocline.errors import UserError
from halocline.profile.program import check_alike, program_of
from halocline.profile.text import bytes_text, class_text, count_text, percent, rate_text, time_text
from halocline.profile.totals import Totals
from halocline.profile.words import compared, troubles, words
from profiles.made import made
from profiles.model import died, model


def said(totals: Totals) -> str:
    """All claims and their evidence, with plain spaces."""
    found = [f"{each.claim} {each.evidence}" for each in words(totals)]
    return "\n".join(found).replace("\N{NO-BREAK SPACE}", " ")


def test_the_costliest_place_and_who_comes_last() -> None:
    told = said(Totals(model(8)))
    assert "57 % of MPI time is Barrier at model.F90:31; rank 7 arrives last in 100 %" in told
    assert "28 % of MPI time is Allreduce at model.F90:415." in told
    assert "Rank 7 computes 34 % longer than the mean." in told


def test_calls_sizes_bytes_and_files() -> None:
    told = said(Totals(model(8)))
    assert "26 % of the time is MPI." in told
    assert "Most calls are Irecv 46 %, Isend 46 %," in told
    assert "56 % of the messages carry 64 B or less." in told
    assert "Each rank gives 55.8 MB at the mean, evenly" in told
    assert "446 MB in all: 99.9 % between 32 pairs of ranks" in told
    assert "File writes come in 3 bursts, at" in told


def test_ranks_that_differ_are_named() -> None:
    profile = model(4)
    sent = profile.calls.bytes_sent.copy()
    sent[profile.calls.rank == 2] //= 4
    told = said(Totals(replace(profile, calls=replace(profile.calls, bytes_sent=sent))))
    assert "unevenly: from 10.5 MB (rank 2) to 41.8 MB (rank 0)" in told


def test_a_program_that_hardly_uses_mpi() -> None:
    profile = made(1)
    idle = replace(profile, ranks=(replace(profile.ranks[0], mpi_ns=0),))
    assert said(Totals(idle)).startswith("The program spent no time in MPI.")


def test_runs_beside_each_other_in_order_of_ranks() -> None:
    several = [Totals(model(ranks)) for ranks in (8, 2, 4)]
    told = [each.claim for each in compared(several)]
    assert told == [
        "From 2 to 8 ranks the share of communication rises.",
        "The data moved by all ranks rise; by one rank, they rise.",
    ]
    assert compared([Totals(model(2)), Totals(model(2))]) == ()


def test_what_is_missing_is_told() -> None:
    assert troubles(Totals(model(4))) == ()
    assert troubles(Totals(died(4))) == (
        "the command ended with exit code 139",
        "rank 3 ended so: signal 11; the call in flight is not counted",
    )
    profile = made(2)
    full = replace(profile.ranks[0], merged_calls=7, untracked=2)
    told = troubles(Totals(replace(profile, ranks=(full, profile.ranks[1]))))
    assert [each.partition(" ")[0] for each in told] == ["7", "2"]


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("mpiexec -n 4 ./model", "model"),
        ("mpirun -np 4 --bind-to core -x A=1 /opt/bin/model -v", "model"),
        ("srun -N 2 --ntasks-per-node=4 ./model", "model"),
        ("mpiexec.hydra -genv A 1 -n 2 python3 -u run.py in.nc", "run.py"),
        ("./model", "model"),
        ("mpiexec --oversubscribe -n 2 ./model", "model"),
    ],
)
def test_the_program_of_a_command(command: str, program: str) -> None:
    assert program_of(command.split()) == program


def test_different_programs_do_not_stand_side_by_side() -> None:
    check_alike([made(2), made(8)])
    other = replace(made(2), command=("mpiexec", "-n", "2", "./ocean"))
    with pytest.raises(UserError) as raised:
        check_alike([made(2), other])
    assert str(raised.value).startswith(
        "profiles of different programs cannot stand side by side: made.profile of ocean, "
        "made.profile of model; allowed: profiles of one program; "
    )


def test_numbers_as_people_read_them() -> None:
    shares = (0, 0.0004, 0.004, 0.0512, 0.51, 0.9996, 1)
    texts = [percent(share).replace("\N{NO-BREAK SPACE}", " ") for share in shares]
    assert texts == ["0 %", "<0.1 %", "0.4 %", "5.1 %", "51 %", "99.9 %", "100 %"]
    plain = [bytes_text(8), bytes_text(8.2e9), rate_text(8e7), time_text(1.25e6), time_text(0)]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in plain] == [
        *("8 B", "8.20 GB", "80.0 MB/s", "1.25 ms", "0.00 ns"),
    ]
    assert count_text(1234567).split("\N{NO-BREAK SPACE}") == ["1", "234", "567"]
    assert [class_text(number) for number in (0, 1, 7, 13)] == ["0 B", "1 B", "64 B", "4 KiB"]
