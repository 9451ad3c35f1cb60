"""`halocline hosts`: hosts built from namespaces on this machine."""

from __future__ import annotations

import json
import os
import signal
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from halocline.base.errors import UserError
from halocline.cli.options import help_alone
from halocline.hosts import RATE, make
from halocline.hosts.record import ENTER, LOGIN, Made, standing

app = typer.Typer(
    invoke_without_command=True,
    callback=help_alone,
    help="Simulate hosts with namespaces on this machine, to measure without a cluster."
    "\n\nExample: halocline hosts up 2",
)

_SCHEMA = 1


@app.command()
def up(
    count: Annotated[int, typer.Argument(metavar="N", help=f"How many, 1 to {make.MOST}.")],
    rate: Annotated[str, typer.Option(help="Network rate to and from each host.")] = RATE,
) -> None:
    """Start hosts; they run until `halocline hosts down`.

    Each has its own name, network, processes and shared memory, but this machine's files and cores.

    Example: halocline hosts up 2 --rate 1gbit
    """
    hosts = make.up(count, rate)
    print(f"{', '.join(hosts.names)}: up, {hosts.rate} between them; use them with --hosts up")


@app.command()
def down() -> None:
    """Stop the hosts and every process on them.

    Example: halocline hosts down
    """
    hosts = make.down()
    print(f"{', '.join(hosts.names)}: down" if hosts else "no hosts are up")


@app.command("list")
def list_hosts(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show running hosts and the first process of each; SIGKILL to it acts like a power cut.

    Example: halocline hosts list --json
    """
    hosts = standing()
    facts = _facts(hosts) if hosts else []
    if as_json:
        print(json.dumps({"schema": _SCHEMA, "hosts": facts}, indent=2))
        return
    if not hosts:
        print("no hosts are up; start two with `halocline hosts up 2`")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("name", "address", "rate", "pid", "status"):
        table.add_column(title)
    for host in facts:
        status = "[green]up" if host["up"] else "[red]down"
        table.add_row(host["name"], host["address"], host["rate"], str(host["pid"]), status)
    Console().print(table)


# Options after the host belong to its program.
_AS_GIVEN = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@app.command("exec", context_settings=_AS_GIVEN)
def execute(
    host: Annotated[str, typer.Argument(help=f"A host's name, or {LOGIN}.")],
    command: Annotated[list[str], typer.Argument(help="A program and its arguments.")],
) -> None:
    """Run a program on a host and return its exit code.

    The host `login` is on the same network, but shares this machine's processes and memory.

    Example: halocline hosts exec host1 ip address
    """
    hosts = standing()
    if hosts is None:
        raise UserError("no hosts are up", remedy="start two with `halocline hosts up 2`")
    names = (LOGIN, *hosts.names)
    if host not in names:
        raise UserError(
            f"no host is called {host}", allowed=", ".join(names), remedy="choose one of them"
        )
    if not hosts.firsts[names.index(host)].lives:
        raise UserError(
            f"the host {host} is down",
            remedy="restart all: `halocline hosts down`, then `halocline hosts up N`",
        )
    enter = hosts.folder / ENTER
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and programs inherit that
    os.execv(enter, [str(enter), host, *command])


def _facts(made: Made) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "address": address,
            "rate": made.rate,
            "pid": first.pid,
            "up": first.lives,
        }
        for name, address, first in zip(made.names, made.addresses, made.firsts[1:], strict=True)
    ]
