"""The guardian: a separate process that starts a job, supervises it and cleans up after it.

It runs in a bare interpreter (standard library only), forked per job by a process that has
loaded all this. The front end writes one JSON object to its stdin (see Orders) and keeps that pipe
open: when it closes, for whatever reason, the job ends. On stdout the guardian reports one object
per line: "progress" and "memory" while the driver runs, then "end".
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import select
import selectors
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from halocline.launch.elsewhere import Unprepared, other_hosts, prepare
from halocline.launch.leftovers import Left, clean, note_topologies
from halocline.launch.processes import (
    exit_status,
    is_ending,
    job_processes,
    mapped_shared_memory,
)
from halocline.launch.steps import steps_are_over
from halocline.launch.traces import read_trace
from halocline.launch.watch import ANSWER_BYTES, Orders, Rank, Watch

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

STARTUP_POLL_S = 0.1  # only until the driver's first message: nothing is measured earlier
FINISH_S = 5.0  # from the driver's last message to the launcher's end
RANK_END_S = 1.0  # from the launcher's early end to that of the rank that caused it
RANK_LOST_S = 3.0  # from a rank's early end to the launcher's: some launchers ignore it
LINE_BYTES = 2000

HEARTBEAT = re.compile(r"halocline: (?:started ranks=(\d+)|case (\d+)/(\d+) .*|complete)")
MEMORY = re.compile(r"halocline: memory bytes=(\d+) percent=(\d+)")
DRIVER_ERROR = "halocline-driver: "
PID_FILE = re.compile(r"rank-(\d+)\.pid")
ERROR_FILE = re.compile(r"rank-(\d+)\.error")


def serve(descriptor: int) -> None:
    """Fork guardians until the front end closes the socket with this descriptor.

    A request has a guardian's stdin, stdout, stderr and the lock on its job, held open as
    long as it lives; the answer is its pid, or the negative errno.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies of ended guardians
    # A front end that was killed may leave an answer unread.
    with socket.socket(fileno=descriptor) as requests, suppress(ConnectionError):
        while True:
            request, files, _, _ = socket.recv_fds(requests, 1, 4)
            if not request:
                return
            try:
                answer = os.fork()
            except OSError as error:
                answer = -(error.errno or 1)
            if answer == 0:
                requests.close()
                _become_guardian(files)
            for file in files:
                os.close(file)
            requests.sendall(answer.to_bytes(ANSWER_BYTES, "little", signed=True))


def _become_guardian(files: list[int]) -> NoReturn:
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for standard, file in enumerate(files[:3]):
            os.dup2(file, standard)
            os.close(file)
        main()
        status = 0
    except Exception:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)  # exit handlers belong to the server


def main() -> None:
    """Run one job from beginning to end."""
    line = sys.stdin.buffer.readline()
    if not line:
        return  # the front end is already gone; nothing has started
    orders = Orders(**json.loads(line))
    wake, wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # A stopped front end (Ctrl-Z) must not stop the deadlines: drop progress then.
    os.set_blocking(sys.stdout.fileno(), False)
    end = _supervise(orders, wake)
    os.set_blocking(sys.stdout.fileno(), True)
    _report({"event": "end", **end})


def _supervise(orders: Orders, wake: int) -> dict[str, Any]:
    began_s = time.monotonic()
    try:
        _prepare(orders)
        launcher = _start(orders)
    except Unprepared as problem:
        left = clean(Path(orders.directory))
        return {"cause": "host", "errors": [str(problem)], "unreached": left.hosts}
    except OSError as error:
        clean(Path(orders.directory))
        return {"cause": "launcher", "errors": [f"{orders.command[0]}: {error.strerror}"]}
    assert launcher.stdout is not None and launcher.stderr is not None
    watch = Watch(orders, launcher.pid, began_s)
    watch.expect_within(orders.start_s, "start")
    with selectors.DefaultSelector() as selector:
        for stream in (launcher.stdout, launcher.stderr):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ, bytearray())
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ, "front end")
        selector.register(wake, selectors.EVENT_READ, "signal")
        while not watch.cause:
            _step(watch, selector)
        _note_lost(watch, selector, selector.select(0))  # ranks that ended before the launcher
        if not watch.lost and _ended_early(watch):
            _await_rank(selector)
            _note_lost(watch, selector, selector.select(0))
        rank_errors = _rank_errors(watch.directory)  # before the directory is removed
        left = _end(watch)
        for key in list(selector.get_map().values()):
            while isinstance(key.data, bytearray) and _read(watch, selector, key):
                pass
    launcher.returncode = watch.status  # collected by _reap
    return {
        "cause": watch.cause,
        "status": watch.status,
        "complete": watch.complete,
        "world": watch.world,
        "case": watch.case,
        "cases": watch.cases,
        "lost": watch.lost,
        "ending": watch.ending,
        "stopped": sorted(watch.stopped),
        "survivors": left.processes,
        "unreached": left.hosts,
        "errors": watch.errors or rank_errors,
        "output": "\n".join(watch.tail),
    }


def _prepare(orders: Orders) -> None:
    """Prepare the job's other hosts while the front end lives, and send it their names.

    Unprepared if one of them cannot run the job.
    """
    directory = Path(orders.directory)
    if not other_hosts(directory):
        return
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        called = prepare(
            directory, orders.environment, orders.start_s, lambda: bool(selector.select(0))
        )
    _report({"event": "hosts", "called": called})


def _start(orders: Orders) -> subprocess.Popen[bytes]:
    libc = ctypes.CDLL(None)

    def die_with_the_guardian() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)

    return subprocess.Popen(
        orders.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=orders.directory,
        env=orders.environment,
        start_new_session=True,
        preexec_fn=die_with_the_guardian,  # noqa: PLW1509 (the guardian has no threads)
    )


def _step(watch: Watch, selector: selectors.BaseSelector) -> None:
    wait_s = max(0.0, watch.deadline_s - time.monotonic())
    if not watch.started:
        wait_s = min(wait_s, STARTUP_POLL_S)
        _note_files(watch)
    events = selector.select(wait_s)
    _meet_ranks(watch, selector)  # of two that ended, the one not met yet was the first
    _note_lost(watch, selector, events)
    for key, _ in events:
        if isinstance(key.data, bytearray):
            _read(watch, selector, key)
        elif key.data == "signal":
            _take_signals(watch, os.read(key.fd, 4096))
        elif key.data == "front end" and not os.read(key.fd, 4096):
            watch.cause = watch.cause or "front end"
    if time.monotonic() >= watch.deadline_s:
        watch.cause = watch.cause or watch.deadline_cause
    _meet_ranks(watch, selector)


def _note_lost(
    watch: Watch, selector: selectors.BaseSelector, events: list[tuple[selectors.SelectorKey, int]]
) -> None:
    for key, _ in events:
        if isinstance(key.data, int):
            selector.unregister(key.fileobj)
            os.close(key.fd)
            _lose(watch, key.data)


def _ended_early(watch: Watch) -> bool:
    """Whether the launcher has ended by itself with an error, before the driver was done."""
    status = watch.status or 0
    return watch.cause == "exit" and not watch.complete and os.WEXITSTATUS(status) != 0


def _rank_errors(directory: Path) -> list[str]:
    """The errors that ranks of this host left as files, a line each, by rank.

    Launchers may lose what was printed just before MPI_Abort.
    """
    errors: dict[int, str] = {}
    for path in directory.glob("rank-*.error"):
        match = ERROR_FILE.fullmatch(path.name)
        lines = path.read_bytes()[:LINE_BYTES].decode(errors="replace").splitlines()
        if match and lines:
            errors[int(match[1])] = f"rank {match[1]}: {lines[0]}"
    return [errors[rank] for rank in sorted(errors)]


def _await_rank(selector: selectors.BaseSelector) -> None:
    """Wait for a rank that is ending: the launcher sees its pipes close before it is gone."""
    ends = select.poll()
    for key in selector.get_map().values():
        if isinstance(key.data, int):
            ends.register(key.fd, select.POLLIN)
    ends.poll(1000 * RANK_END_S)


def _note_files(watch: Watch) -> None:
    processes = job_processes(watch.directory, os.getpid())
    watch.mapped |= mapped_shared_memory(processes)
    note_topologies(watch.directory, processes)


def _take_signals(watch: Watch, numbers: bytes) -> None:
    _reap(watch)
    if watch.status is not None:
        watch.cause = watch.cause or "exit"
    if any(number != signal.SIGCHLD for number in numbers):
        watch.cause = watch.cause or "guardian"


def _reap(watch: Watch) -> None:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == watch.launcher:
                watch.status = ended[1]


def _read(watch: Watch, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> bool:
    """Read what one pipe holds now; returns whether more may follow."""
    pending: bytearray = key.data
    try:
        chunk = os.read(key.fd, 65536)
    except BlockingIOError:
        return False
    *lines, rest = (pending + (chunk or b"\n")).split(b"\n")
    pending[:] = rest[:LINE_BYTES]
    for line in lines:
        _take_line(watch, line[:LINE_BYTES].decode(errors="replace").rstrip())
    if not chunk:
        selector.unregister(key.fileobj)
    return bool(chunk)


def _take_line(watch: Watch, line: str) -> None:
    if line:
        watch.tail.append(line)
    if line.startswith(DRIVER_ERROR):
        watch.errors.append(line.removeprefix(DRIVER_ERROR))
    if memory := MEMORY.fullmatch(line):
        of_case = {"case": watch.case, "cases": watch.cases}
        _report({"event": "memory", **of_case, "bytes": int(memory[1]), "percent": int(memory[2])})
    heartbeat = HEARTBEAT.fullmatch(line)
    if heartbeat is None:
        return
    world, case, cases = heartbeat.groups()
    if world:
        watch.started = True
        _note_files(watch)
        watch.world = int(world)
        if watch.world != watch.orders.ranks:
            watch.cause = watch.cause or "world"
    elif case:
        if int(case) != watch.case:  # otherwise a heartbeat of a long case
            watch.case, watch.cases = int(case), int(cases)
            _report({"event": "progress", "case": watch.case, "cases": watch.cases})
    else:
        watch.complete = True
    if watch.complete:
        watch.expect_within(FINISH_S, "finish")
    elif not watch.lost:
        watch.expect_within(watch.orders.progress_s, "progress")


def _meet_ranks(watch: Watch, selector: selectors.BaseSelector) -> None:
    orders = watch.orders
    if not watch.started or not orders.pids_are_real or len(watch.ranks) >= orders.ranks:
        return
    met = {}
    for path in watch.directory.glob("rank-*.pid"):
        named = PID_FILE.fullmatch(path.name)
        if named is None or int(named[1]) in watch.ranks:
            continue
        trace = read_trace(path)
        if trace is None:
            continue
        pid = trace.pid_here(watch.directory)
        met[int(named[1])] = Rank(trace.pid, pid, gone=pid is None and trace.is_seen)
    watch.ranks.update(met)
    for rank, process in met.items():
        if process.gone:
            _lose(watch, rank)
        elif process.here is not None:
            # Kernels before 5.3 have no pidfd: the progress deadline then detects a lost rank.
            with suppress(OSError):
                selector.register(os.pidfd_open(process.here), selectors.EVENT_READ, rank)


def _lose(watch: Watch, rank: int) -> None:
    process = watch.ranks[rank]
    status = exit_status(process.here) if process.here is not None else None
    if not watch.lost:
        watch.ending = [
            {"rank": other, "pid": of_other.own}
            for other, of_other in watch.ranks.items()
            if other != rank and _is_ending(of_other)
        ]
    met_alive = not process.gone
    watch.lost.append({"rank": rank, "pid": process.own, "status": status, "met_alive": met_alive})
    if not watch.complete and len(watch.lost) == 1:
        watch.expect_within(RANK_LOST_S, "rank")


def _is_ending(process: Rank) -> bool:
    return process.gone or (process.here is not None and is_ending(process.here))


def _end(watch: Watch) -> Left:
    _reap(watch)
    if watch.status == 0:
        steps_are_over(watch.directory)
    states = job_processes(watch.directory, os.getpid())
    watch.stopped = [
        rank
        for rank, process in watch.ranks.items()
        if process.here is not None and states.get(process.here) == "T"
    ]
    return clean(
        watch.directory,
        ancestor=os.getpid(),
        launcher=watch.launcher if watch.status is None else None,
        mapped=watch.mapped,
        reap=lambda: _reap(watch),
    )


def _report(event: dict[str, Any]) -> None:
    line = json.dumps(event).encode() + b"\n"
    with suppress(BlockingIOError, BrokenPipeError):
        while line:
            line = line[os.write(sys.stdout.fileno(), line) :]
