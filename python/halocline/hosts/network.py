"""The network between hosts: a switch, a cable to each, a rate both ways. Standard library only."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

INTERFACE = "eth0"
_SWITCH = "switch"
_NETWORK_BITS = 16
# A larger burst lets short messages exceed the rate; the latency only bounds the queue.
_SHAPE = "tbf rate {rate} burst 32kb latency 50ms"
# Segment size handed over in one piece, as to a network card with segmentation offload. Segments
# larger than the burst are split in software, packet by packet, on the ranks' cores.
_SEGMENTED_BYTES = 30_000


def address(number: int) -> str:
    """The address of the host with this number, from 1."""
    return f"10.88.{number // 250}.{number % 250 + 1}"


def make_switch() -> None:
    """Make a bridge in this process's network namespace."""
    quiet_ipv6()
    _run(["ip", "-batch", "-"], [f"link add {_SWITCH} type bridge", f"link set {_SWITCH} up"])


def plug_in(hosts: Mapping[int, str], rate: str) -> None:
    """Connect the switch to each host: `hosts` maps a pid in the host to its address."""
    cables = {pid: f"cable{number}" for number, pid in enumerate(hosts)}
    shape = _SHAPE.format(rate=rate)
    links = []
    for pid, cable in cables.items():
        links.append(f"link add {cable} type veth peer name {INTERFACE} netns {pid}")
        links.append(f"link set {cable} gso_max_size {_SEGMENTED_BYTES} master {_SWITCH} up")
    _run(["ip", "-batch", "-"], links)
    _run(
        ["tc", "-batch", "-"], [f"qdisc add dev {cable} root {shape}" for cable in cables.values()]
    )
    for pid, own in hosts.items():
        inside = ["nsenter", "--target", str(pid), "--net"]
        _run(
            [*inside, "ip", "-batch", "-"],
            [
                "link set lo up",
                f"addr add {own}/{_NETWORK_BITS} dev {INTERFACE}",
                f"link set {INTERFACE} gso_max_size {_SEGMENTED_BYTES} up",
            ],
        )
        _run([*inside, "tc", "-batch", "-"], [f"qdisc add dev {INTERFACE} root {shape}"])


def quiet_ipv6() -> None:
    """Disable link-local addresses, which some libraries would try to use."""
    for which in ("all", "default"):
        setting = Path(f"/proc/sys/net/ipv6/conf/{which}/disable_ipv6")
        if setting.exists():
            setting.write_text("1")


def _run(command: Sequence[str], lines: Sequence[str]) -> None:
    done = subprocess.run(
        command, input="\n".join(lines) + "\n", check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["it failed without an error message"])[0]
        raise OSError(0, said, " ".join(command))
