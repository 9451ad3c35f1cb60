"""Hosts made of namespaces: what each has of its own, and how they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.hosts import Hosts, find, make, temporary_hosts
from halocline.hosts.record import (
    ENTER,
    Made,
    Process,
    boot,
    read,
    standing,
    standing_folder,
    started,
    write,
)

ENDED_WITHIN_S = 10.0


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    with temporary_hosts(2) as made:
        yield made


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A home in which no hosts are up, neither before the test nor after it."""
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path / "home"))
    yield
    make.down()


def on(hosts: Hosts, host: str, command: str) -> str:
    """What a command of the shell prints on a host."""
    assert hosts.agent is not None
    done = subprocess.run([hosts.agent, host, command], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def wait_until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + ENDED_WITHIN_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def processes_of(folder: Path) -> list[Process]:
    made = read(folder)
    assert made is not None
    return [made.keeper, *made.firsts]


@pytest.mark.launches
@pytest.mark.waits
def test_each_host_has_its_own_name_and_address(hosts: Hosts) -> None:
    assert hosts.names == ("host1", "host2")
    assert [on(hosts, name, "hostname") for name in hosts.names] == ["host1", "host2"]
    shown = [on(hosts, name, "ip -brief -4 address show dev eth0") for name in hosts.names]
    assert [line.split()[2] for line in shown] == [f"{own}/16" for own in hosts.addresses]


@pytest.mark.launches
@pytest.mark.waits
def test_hosts_know_each_other_by_name(hosts: Hosts) -> None:
    for name, address in zip(hosts.names, hosts.addresses, strict=True):
        assert on(hosts, "host1", f"getent hosts {name}").split() == [address, name]


@pytest.mark.launches
@pytest.mark.waits
@pytest.mark.parametrize("space", ["net", "uts", "ipc", "pid", "mnt"])
def test_each_host_has_namespaces_of_its_own(hosts: Hosts, space: str) -> None:
    seen = {on(hosts, name, f"readlink /proc/self/ns/{space}") for name in hosts.names}
    assert len(seen | {os.readlink(f"/proc/self/ns/{space}")}) == 3


@pytest.mark.launches
@pytest.mark.waits
def test_the_login_host_shares_processes_and_memory_with_this_machine(hosts: Hosts) -> None:
    assert on(hosts, "login", "hostname") == "login"
    for space, same in (("pid", True), ("ipc", True), ("net", False), ("uts", False)):
        own = os.readlink(f"/proc/self/ns/{space}")
        assert (on(hosts, "login", f"readlink /proc/self/ns/{space}") == own) is same


@pytest.mark.launches
@pytest.mark.waits
def test_processes_memory_and_network_devices_are_the_hosts_own(hosts: Hosts) -> None:
    assert on(hosts, "host1", "cat /proc/1/comm") == "host1"
    assert on(hosts, "host1", "ls /sys/class/net").split() == ["eth0", "lo"]
    on(hosts, "host1", "touch /dev/shm/mine")
    assert on(hosts, "host1", "ls /dev/shm") == "mine"
    assert on(hosts, "host2", "ls /dev/shm") == ""


@pytest.mark.launches
@pytest.mark.waits
def test_files_and_the_current_folder_are_this_machines(hosts: Hosts, tmp_path: Path) -> None:
    done = subprocess.run(
        [*hosts.entry[:1], "host1", "pwd"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(tmp_path)


@pytest.mark.launches
@pytest.mark.waits
def test_words_reach_a_program_as_they_are(hosts: Hosts) -> None:
    words = ["a b", "'", '"$HOME"', "*"]
    done = subprocess.run(
        [*hosts.entry[:1], "host2", "printf", "%s\n", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == words


@pytest.mark.launches
@pytest.mark.waits
def test_orphans_are_collected(hosts: Hosts) -> None:
    on(hosts, "host1", "(sleep 0.05 &) ; sleep 0.2")
    assert "Z" not in on(hosts, "host1", "grep -h ^State /proc/[0-9]*/status")


@pytest.mark.launches
@pytest.mark.waits
def test_the_network_is_shaped_both_ways(hosts: Hosts) -> None:
    with temporary_hosts(1, "250mbit") as slower:
        assert "rate 250Mbit burst 32" in on(slower, "host1", "tc qdisc show dev eth0")
        made = read(Path(slower.entry[0]).parent)
        assert made is not None
        inside = ["nsenter", "--target", str(made.keeper.pid), "--net"]
        shown = subprocess.run(
            [*inside, "tc", "qdisc"], capture_output=True, text=True, check=True
        ).stdout
    lines = [line for line in shown.splitlines() if "tbf" in line]
    assert [line.split()[4] for line in lines] == ["cable0", "cable1"]
    assert all("rate 250Mbit burst 32" in line for line in lines)


@pytest.mark.launches
@pytest.mark.waits
def test_the_ranks_cores_need_not_cut_packets(hosts: Hosts) -> None:
    shown = on(hosts, "host1", "ip -details -json link show eth0; tc -json qdisc show dev eth0")
    link, shape = (json.loads(line)[0] for line in shown.splitlines())
    assert link["gso_max_size"] < shape["options"]["burst"]


@pytest.mark.launches
@pytest.mark.waits
def test_a_message_goes_from_host_to_host(hosts: Hosts) -> None:
    receiver = (
        "import socket; s = socket.create_server(('host2', 7)); print('ready', flush=True); "
        "print(s.accept()[0].recv(5).decode())"
    )
    sender = "import socket; socket.create_connection(('host2', 7)).sendall(b'hello')"
    python, enter = sys.executable, hosts.entry[0]
    with subprocess.Popen(
        [enter, "host2", python, "-c", receiver], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        subprocess.run([enter, "host1", python, "-c", sender], check=True)
        assert child.stdout.read() == "hello\n"


@pytest.mark.launches
@pytest.mark.waits
def test_a_host_that_lost_its_power() -> None:
    with temporary_hosts(2) as hosts:
        first = processes_of(Path(hosts.entry[0]).parent)[-1]
        with subprocess.Popen([hosts.entry[0], "host2", "sleep", "60"]) as sleeper:
            os.kill(first.pid, signal.SIGKILL)
            assert sleeper.wait(ENDED_WITHIN_S) != 0
        assert wait_until(lambda: not first.lives)
        assert hosts.agent is not None
        done = subprocess.run(
            [hosts.agent, "host2", "true"], check=False, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (255, "the host host2 is down\n")
        assert on(hosts, "host1", "hostname") == "host1"


@pytest.mark.launches
@pytest.mark.waits
def test_nothing_is_left_of_temporary_hosts() -> None:
    with temporary_hosts(1) as hosts:
        folder = Path(hosts.entry[0]).parent
        processes = processes_of(folder)
        assert all(process.lives for process in processes)
    assert not any(process.lives for process in processes)
    assert not folder.exists()


@pytest.mark.launches
@pytest.mark.waits
@pytest.mark.parametrize("ending", ["temporary", "standing"])
def test_nothing_is_left_of_a_killed_maker(tmp_path: Path, ending: str) -> None:
    """Killed after the hosts are made, before they are ordered to stay."""
    block = "with make.temporary_hosts(1):" if ending == "temporary" else "if make.up(1):"
    program = f"""
import sys, time
from halocline.hosts import make
begin = make._begin
def begin_and_wait(keeper, folder, *wanted):
    made = begin(keeper, folder, *wanted)
    print(folder, flush=True)
    time.sleep(60)
make._begin = begin_and_wait
{block}
    pass
"""
    maker = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "HALOCLINE_HOME": str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert maker.stdout is not None
    folder = Path(maker.stdout.readline().strip())
    processes = processes_of(folder)
    maker.kill()
    maker.communicate()
    assert wait_until(lambda: not any(process.lives for process in processes))
    assert wait_until(lambda: not folder.exists())


@pytest.mark.launches
@pytest.mark.waits
@pytest.mark.usefixtures("own_home")
def test_hosts_stay_until_they_are_removed() -> None:
    program = "from halocline.hosts import make; make.up(2)"
    subprocess.run([sys.executable, "-c", program], check=True)
    made = standing()
    assert made is not None
    hosts = find("up")
    assert hosts == Hosts(
        names=("host1", "host2"),
        agent=standing_folder() / "agent",
        interface="eth0",
        addresses=made.addresses,
        entry=(str(standing_folder() / ENTER), "login"),
        rate=made.rate,
    )
    assert on(hosts, "host2", "hostname") == "host2"
    assert make.down() == made
    assert not any(process.lives for process in (made.keeper, *made.firsts))
    assert not standing_folder().exists()
    assert standing() is None
    assert make.down() is None


@pytest.mark.launches
@pytest.mark.waits
@pytest.mark.usefixtures("own_home")
def test_hosts_are_made_once() -> None:
    make.up(1)
    with pytest.raises(UserError, match="hosts are up already: host1; use them with --hosts up"):
        make.up(2)


@pytest.mark.usefixtures("own_home")
def test_no_hosts_are_up() -> None:
    with pytest.raises(UserError, match="--hosts up: no hosts are up; start two: `halocline hosts"):
        find("up")


@pytest.mark.launches
@pytest.mark.waits
@pytest.mark.usefixtures("own_home")
def test_a_record_of_hosts_that_are_gone_is_not_believed() -> None:
    made = make.up(1)
    make.down()
    standing_folder().mkdir(parents=True)
    # Another process may have the pid by now.
    write(Made(**{**vars(made), "keeper": Process(os.getpid(), made.keeper.began)}))
    assert standing() is None
    assert make.up(1).stands


@pytest.mark.usefixtures("own_home")
def test_a_keeper_that_ends_before_its_hosts_is_not_signalled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        began = started(sleeper.pid)
        assert began is not None
        keeper = Process(sleeper.pid, began)
        standing_folder().mkdir(parents=True)
        write(Made(standing_folder(), boot(), "1gbit", ("host1",), ("1",), keeper, ()))

        def ended(made: Made, limit_s: float) -> bool:
            """The keeper's end; a host's process is still there."""
            sleeper.wait()
            return False

        monkeypatch.setattr(make, "wait_until_ended", ended)
        hosts = make.down()
    assert sleeper.returncode == -signal.SIGTERM
    assert hosts is not None and hosts.names == ("host1",)
    assert not standing_folder().exists()


@pytest.mark.launches
@pytest.mark.waits
@pytest.mark.usefixtures("own_home")
def test_a_container_with_the_same_home_has_hosts_of_its_own() -> None:
    script = "from halocline.hosts.record import standing_folder; print(standing_folder())"
    alone = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    inside = subprocess.run(
        [*alone, sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert Path(inside.strip()).parent == standing_folder().parent
    assert Path(inside.strip()) != standing_folder()


def test_a_user_without_a_name_is_called_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container."""

    def unknown(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr("pwd.getpwuid", unknown)
    problem = str(make._refusal("unshare: Operation not permitted"))
    user = f"user {os.geteuid()}"
    assert problem.startswith(f"this machine does not allow {user} to start hosts: unshare: ")


@pytest.mark.parametrize(
    ("count", "rate", "problem"),
    [
        (0, "1gbit", "0 hosts; allowed: 1 to 200; "),
        (201, "1gbit", "201 hosts; allowed: 1 to 200; "),
        (2, "fast", "--rate: 'fast' is not a rate; allowed: a number with kbit, mbit or gbit; "),
        (2, "1gbit; rm", "--rate: '1gbit; rm' is not a rate; "),
    ],
)
def test_hosts_that_cannot_be(count: int, rate: str, problem: str) -> None:
    with pytest.raises(UserError) as caught, temporary_hosts(count, rate):
        pass
    assert str(caught.value).startswith(problem)


@pytest.mark.launches
@pytest.mark.waits
def test_nothing_is_left_if_no_keeper_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError), temporary_hosts(1):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(make, "_SYSTEM_PROGRAMS", ("/nowhere",))
    with pytest.raises(UserError) as caught, temporary_hosts(1):
        pass
    assert str(caught.value) == "the program ip is missing; install it: apt install iproute2"
