"""The two programs for made hosts: `enter HOST WORD…` and `agent HOST COMMAND…`."""

from __future__ import annotations

import shlex

from halocline.hosts.network import INTERFACE
from halocline.hosts.reachable import Hosts
from halocline.hosts.record import AGENT, ENTER, LOGIN, Made

_LOGIN_SPACES = "--net --uts --mount"
_HOST_SPACES = f"{_LOGIN_SPACES} --ipc --pid"

_ENTER = """\
#!/bin/sh
# {enter} HOST WORD...: run the program WORD... on a host, in the current folder.
lives() {{
  read -r line <"/proc/$1/stat" && set -- "$2" $line
  [ "${{23}}" = "$1" ] && [ "$4" != Z ]  # a zombie has no namespaces
}}
host=$1
shift
case $host in
{cases}
*) echo "no host is called $host; allowed: {names}" >&2; exit 255 ;;
esac
lives "$pid" "$began" 2>/dev/null || {{ echo "the host $host is down" >&2; exit 255; }}
[ /proc/self/ns/user -ef "/proc/$pid/ns/user" ] || spaces="$spaces --user --preserve-credentials"
exec nsenter --target "$pid" $spaces -- \\
    /bin/sh -c 'cd "$0" 2>/dev/null; exec "$@"' "$PWD" "$@"
"""

_AGENT = """\
#!/bin/sh
# {agent} HOST COMMAND...: run a command of the shell on a host, as ssh does.
host=$1
shift
exec {enter} "$host" /bin/sh -c "$*"
"""


def enter_script(made: Made) -> str:
    """Runs a program on a host."""
    cases = [
        f"{name}) pid={first.pid} began={first.began} spaces='{spaces}' ;;"
        for name, first, spaces in zip(
            (LOGIN, *made.names),
            made.firsts,
            (_LOGIN_SPACES, *[_HOST_SPACES] * len(made.names)),
            strict=True,
        )
    ]
    return _ENTER.format(
        enter=ENTER,
        cases="\n".join(cases),
        names=", ".join((LOGIN, *made.names)),
    )


def agent_script(made: Made) -> str:
    """Runs a shell command on a host."""
    return _AGENT.format(agent=AGENT, enter=shlex.quote(str(made.folder / ENTER)))


def hosts_of(made: Made) -> Hosts:
    """The made hosts as a launcher needs them."""
    return Hosts(
        names=made.names,
        agent=made.folder / AGENT,
        interface=INTERFACE,
        addresses=made.addresses,
        entry=(str(made.folder / ENTER), LOGIN),
        rate=made.rate,
    )
