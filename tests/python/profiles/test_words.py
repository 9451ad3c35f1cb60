"""What is said of a profile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halocline.base.errors import UserError
from halocline.profile.profile import FileInput
from halocline.profile.program import check_alike, program_of, program_words
from halocline.profile.text import bytes_text, class_text, count_text, percent, rate_text, time_text
from halocline.profile.totals import Totals
from halocline.profile.words import compared, troubles, words
from profiles.made import CALL_NS, made
from profiles.model import FUNCTIONS, SECOND_NS, died, model, on_cores


def said(totals: Totals) -> str:
    """All claims and their evidence, with plain spaces."""
    found = [f"{each.claim} {each.evidence}" for each in words(totals)]
    return "\n".join(found).replace("\N{NO-BREAK SPACE}", " ")


def test_the_costliest_place_and_who_comes_last() -> None:
    text = said(Totals(model(8)))
    assert "57 % of MPI time is Barrier at model.F90:31; rank 7 arrives last in 100 %" in text
    assert "29 % of MPI time is Allreduce at model.F90:415." in text
    assert "Rank 7 computes 34 % longer than the mean." in text


def test_calls_sizes_bytes_and_files() -> None:
    text = said(Totals(model(8)))
    assert "26 % of the time is MPI." in text
    assert "Most calls are Irecv 46 %, Isend 46 %," in text
    assert "56 % of the messages carry 64 B or less." in text
    assert "Ranks send 55.8 MB on average, evenly" in text
    assert "446 MB in total: 99.9 % between 32 pairs of ranks" in text
    assert "File writes come in 3 bursts, at" in text


def test_ranks_without_a_core_are_reported_first() -> None:
    profile = model(4)
    spin = [replace(each, host=0, mpi_ns=int(0.998 * each.wall_ns)) for each in profile.ranks]
    busy = on_cores(replace(profile, ranks=tuple(spin)), 2, 0.21, 0.785)
    first, second, *_ = said(Totals(busy)).splitlines()
    assert first.startswith(
        "The ranks had a processor for 21 % of their time and waited for a core for 78 %. "
        "50.4 s of processor time in 240 s of 4 ranks on 2 cores."
    )
    assert "is MPI; for 79 % of all time in MPI the rank was not running." in second
    assert Totals(busy).rank_idle_ns.sum() == pytest.approx(0.79 * 240e9, rel=0.01)
    # Where the kernel does not report who waited, more ranks than cores are a reason to say so.
    assert "waited for a core for up to 79 %" in said(Totals(on_cores(busy, 2, 0.21, -1)))
    for fine in (on_cores(busy, 4, 0.21, 0.01), on_cores(busy, 4, 0.21, -1)):
        assert "waited for a core" not in said(Totals(fine))
        assert not Totals(fine).rank_idle_ns.any()


def test_time_of_several_threads_is_said_to_be_a_sum() -> None:
    profile = model(4)
    assert "threads" not in said(Totals(profile))
    many = [replace(each, threads=16, mpi_ns=5 * each.wall_ns) for each in profile.ranks]
    text = said(Totals(replace(profile, ranks=tuple(many))))
    assert "each in MPI on average, summed over up to 16 threads. Of that: " in text


def test_who_computes_longest_is_known_beside_threads_that_wait_in_mpi() -> None:
    profile = model(2)
    helped = replace(profile.ranks[0], threads=4, mpi_ns=3 * profile.ranks[0].wall_ns)
    text = said(Totals(replace(profile, ranks=(helped, profile.ranks[1]))))
    assert "Rank 1 computes 100 % longer than the mean." in text


def test_one_short_burst_lies_within_the_run() -> None:
    profile = model(2)
    late = FileInput.of(
        rank=[0],
        file=[0],
        operation=[FileInput.OPERATIONS.index("write")],
        bin_start_ns=[profile.ranks[0].wall_ns * 99 // 100],
        count=[1],
        bytes=[1_000_000],
        time_ns=[1000],
    )
    text = said(Totals(replace(profile, io=late, io_bin_ns=10_000_000)))
    assert "File writes come in one burst, at 99 % of the run" in text
    assert "100 MB/s" in text


def test_beginning_and_ending_mpi_is_no_communication() -> None:
    profile = model(2)
    calls = profile.calls
    setup = np.isin(calls.function, [FUNCTIONS.index("MPI_Init"), FUNCTIONS.index("MPI_Finalize")])
    slow = replace(calls, time_ns=np.where(setup, 30 * SECOND_NS, calls.time_ns))
    more_ns = 60 * SECOND_NS - int(calls.time_ns[setup & (calls.rank == 0)].sum())
    late = [
        replace(each, wall_ns=each.wall_ns + more_ns, mpi_ns=each.mpi_ns + more_ns)
        for each in profile.ranks
    ]
    share = Totals(profile).share_of_communication
    found = Totals(replace(profile, calls=slow, ranks=tuple(late)))
    assert found.share_of_communication == pytest.approx(share, rel=0.01)
    assert "MPI_Init and MPI_Finalize, 60.0 s each, are not in the share" in said(found)
    assert "Of that: Init" not in said(found) and " Finalize " not in said(found)
    assert "of MPI time is Init" not in said(found)
    shares = [line for line in said(Totals(profile)).splitlines() if "of MPI time is" in line]
    assert [line for line in said(found).splitlines() if "of MPI time is" in line] == shares


def test_who_comes_last_is_of_all_collectives_called_from_a_place() -> None:
    """Rank 0 calls from one line and the others from another: they are last in turn."""
    profile = made(2, calls=10)
    arrivals, calls = profile.arrivals, profile.calls
    late = np.where((arrivals.sequence % 2 == 1) & (arrivals.rank == 0), 2 * CALL_NS, 0)
    apart = replace(
        profile,
        arrivals=replace(
            arrivals,
            site=np.where(arrivals.rank == 0, 2, 3),
            enter_ns=arrivals.enter_ns + late,
            leave_ns=arrivals.leave_ns + late,
        ),
        calls=replace(calls, site=np.where(calls.rank == 0, 2, 3)),
    )
    text = said(Totals(apart))
    assert "arrives last in 50 % of them" in text
    assert "arrives last in 100 % of them" not in text


def test_a_program_with_sessions_has_other_calls_that_begin_and_end_mpi() -> None:
    profile = model(1)
    names = {"MPI_Init": "MPI_Session_init", "MPI_Finalize": "MPI_Session_finalize"}
    functions = tuple(names.get(name, name) for name in profile.functions)
    text = said(Totals(replace(profile, functions=functions)))
    assert "1 rank ran for" in text
    assert "MPI_Session_init and MPI_Session_finalize, " in text
    assert "MPI_Init and MPI_Finalize, " not in text
    assert "MPI_Init and MPI_Finalize, " in said(Totals(profile))


def test_ranks_that_differ_are_named() -> None:
    profile = model(4)
    sent = profile.calls.bytes_sent.copy()
    sent[profile.calls.rank == 2] //= 4
    text = said(Totals(replace(profile, calls=replace(profile.calls, bytes_sent=sent))))
    assert "unevenly: from 10.5 MB (rank 2) to 41.8 MB (rank 0)" in text


def test_a_program_that_hardly_uses_mpi() -> None:
    profile = made(1)
    idle = replace(profile, ranks=(replace(profile.ranks[0], mpi_ns=0),))
    assert said(Totals(idle)).startswith("The program spent no time in MPI.")


def test_runs_beside_each_other_in_order_of_ranks() -> None:
    several = [Totals(model(ranks)) for ranks in (8, 2, 4)]
    claims = [each.claim for each in compared(several, ("8", "2", "4"))]
    assert claims == [
        "From 2 to 8 ranks the share of communication rises.",
        "Bytes moved by all ranks rise; bytes per rank rise.",
    ]


def test_two_runs_on_as_many_ranks_are_compared_with_each_other() -> None:
    slow = model(2)
    calls = replace(slow.calls, time_ns=slow.calls.time_ns // 2)
    ranks = tuple(
        replace(each, started_ns=each.started_ns // 2, wall_ns=each.wall_ns // 2)
        for each in slow.ranks
    )
    fast = replace(slow, calls=calls, ranks=ranks)
    names = ("mpich, 2 ranks", "intel, 2 ranks")
    (statement,) = compared([Totals(slow), Totals(fast)], names)
    assert statement.claim == "intel takes 0.50 times as long as mpich."
    assert "on 2 ranks, one run each, so no interval exists. MPI takes" in statement.evidence
    (statement,) = compared([Totals(slow), Totals(on_cores(fast, 1, 0.21, 0.785))], names)
    assert "Ranks waited for a core, which may explain the whole difference." in statement.evidence
    assert compared([Totals(slow)] * 3, ("a", "b", "c")) == ()


def test_missing_measurements_are_reported() -> None:
    assert troubles(Totals(model(4))) == ()
    assert troubles(Totals(died(4))) == (
        "the command ended with exit code 139",
        "rank 3 did not finish normally: signal 11; the call in flight is not counted",
    )
    (of_missing,) = troubles(Totals(replace(model(4), missing=(4, 5))))
    assert of_missing.startswith("ranks 4, 5 of 6 left no profile: the totals lack what they did.")
    profile = made(2)
    full = replace(profile.ranks[0], merged_calls=7, untracked=2)
    lines = troubles(Totals(replace(profile, ranks=(full, profile.ranks[1]))))
    assert [each.partition(" ")[0] for each in lines] == ["7", "2"]
    lost = replace(profile.ranks[0], lost_calls=200)
    (of_lost,) = troubles(Totals(replace(profile, ranks=(lost, profile.ranks[1]))))
    assert "200 calls of 1 000 are not in the totals" in of_lost.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("mpiexec -n 4 ./model", "model"),
        ("mpirun -np 4 --bind-to core -x A=1 /opt/bin/model -v", "model"),
        ("srun -N 2 --ntasks-per-node=4 ./model", "model"),
        ("mpiexec.hydra -genv A 1 -n 2 python3 -u run.py in.nc", "run.py"),
        ("srun --partition debug --account=acct --mem 4G --job-name write ./model", "model"),
        ("./model", "model"),
        ("mpiexec --oversubscribe -n 2 ./model", "model"),
        ("halocline profile workload coupled days=1 --mpi=intel", "coupled"),
        ("./model profile workload", "model"),
        ("mpiexec -n 2 ./model profile workload in.nc", "model"),
    ],
)
def test_the_program_of_a_command(command: str, program: str) -> None:
    assert program_of(command.split()) == program


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("mpiexec -n 4 ./bench write", ["mpiexec", "./bench"]),
        ("./model test", ["./model"]),
        ("mpiexec -n 1 sea mount : -n 2 ./air su", ["mpiexec", "sea", "./air"]),
        ("numactl --cpunodebind=0 ./model", ["numactl", "./model"]),
        ("srun --partition debug -A acct -J write ./model", ["srun", "./model"]),
        ("mpirun --rankfile su -n 2 ./model", ["mpirun", "./model"]),
        ("./model 1 : su", ["./model"]),
    ],
)
def test_arguments_are_no_programs(command: str, words: list[str]) -> None:
    """Systems have programs that are called write, mount and su."""
    assert program_words(command.split()) == words


def test_different_programs_do_not_stand_side_by_side() -> None:
    check_alike([made(2), made(8)])
    other = replace(made(2), command=("mpiexec", "-n", "2", "./ocean"))
    with pytest.raises(UserError) as raised:
        check_alike([made(2), other])
    assert str(raised.value).startswith(
        "these profiles are from different programs: made.profile of ocean, "
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
