"""The front end's guardians: forked by one process that has loaded what they need."""

from __future__ import annotations

import atexit
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path

import halocline
from halocline.launch.watch import ANSWER_BYTES

_SERVE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from halocline.launch.guardian import serve; serve(int(sys.argv[2]))"
)
_ANSWER_S = 60.0  # for a process that loads modules from a shared file system


class Guardian:
    """A running guardian: its pipes, and how to end it."""

    def __init__(
        self, pid: int, stdin: BufferedWriter, stdout: BufferedReader, stderr: BufferedReader
    ) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.pid = pid
        self._ended = False  # its pid may then be reused

    def terminate(self) -> None:
        """Let it end its job cleanly."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it at once; a later sweep cleans up after it."""
        self._signal(signal.SIGKILL)
        self._ended = True

    def rest(self, timeout_s: float) -> tuple[bytes, bytes]:
        """Close its stdin and read the rest of stdout and stderr; TimeoutError if it keeps running.

        It has ended, or is about to, when both are closed, as only it holds them.
        """
        with suppress(BrokenPipeError):
            self.stdin.close()
        said = {self.stdout: b"", self.stderr: b""}
        deadline_s = time.monotonic() + timeout_s
        with selectors.DefaultSelector() as unended:
            for stream in said:
                unended.register(stream, selectors.EVENT_READ, stream)
            while unended.get_map():
                left_s = deadline_s - time.monotonic()
                if left_s <= 0:
                    raise TimeoutError
                for key, _ in unended.select(left_s):
                    chunk = key.data.read1()
                    said[key.data] += chunk
                    if not chunk:
                        unended.unregister(key.data)
        self._ended = True
        return said[self.stdout], said[self.stderr]

    def close(self) -> None:
        """Close the pipes."""
        for stream in (self.stdin, self.stdout, self.stderr):
            with suppress(BrokenPipeError):
                stream.close()

    def _signal(self, number: int) -> None:
        if not self._ended:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


class _Server:
    """The process that forks them, and the socket to it; it ends when the socket is closed."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            package = str(Path(halocline.__file__).parents[1])
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _SERVE, package, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C must reach only the front end
                pass_fds=(theirs.fileno(),),
            )
        self._socket.settimeout(_ANSWER_S)
        atexit.register(self.end)

    def fork(self, files: list[int]) -> int:
        """Fork a guardian with these as its stdin, stdout, stderr and lock; returns its pid."""
        socket.send_fds(self._socket, [b"."], files)
        answer = self._socket.recv(ANSWER_BYTES)  # written at once, so read at once
        if len(answer) < ANSWER_BYTES:
            raise BrokenPipeError("the process that forks guardians has ended")
        pid = int.from_bytes(answer, "little", signed=True)
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        return pid

    def end(self) -> None:
        """End it; the guardians keep running."""
        self._process.kill()
        self._process.wait()
        self.forget()

    def forget(self) -> None:
        """Close this end of the socket only."""
        atexit.unregister(self.end)
        self._socket.close()


class _Servers:
    """The server shared by all threads, started on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: _Server | None = None
        os.register_at_fork(after_in_child=self._forget)

    def guardian(self, lock: int) -> Guardian:
        with self._lock:
            had_one = self._server is not None
            try:
                return self._guardian(lock)
            except OSError:
                if not had_one:
                    raise
            return self._guardian(lock)  # the server had been killed

    def _guardian(self, lock: int) -> Guardian:
        """With new pipes, so no output of a lost guardian is mistaken for this one's."""
        if self._server is None:
            self._server = _Server()
        try:
            return _forked(self._server, lock)
        except BaseException:
            # A late answer would be taken for the next one's.
            self._server.end()
            self._server = None
            raise

    def _forget(self) -> None:
        self._lock = threading.Lock()
        if self._server is not None:
            self._server.forget()
            self._server = None


def _forked(server: _Server, lock: int) -> Guardian:
    with ExitStack() as theirs, ExitStack() as ours:
        files: list[tuple[int, int]] = []
        for standard in range(3):
            readable, writable = os.pipe()
            mine, its = (writable, readable) if standard == 0 else (readable, writable)
            theirs.callback(os.close, its)
            ours.callback(os.close, mine)
            files.append((mine, its))
        pid = server.fork([*(its for _, its in files), lock])
        ours.pop_all()
    (stdin, _), (stdout, _), (stderr, _) = files
    return Guardian(pid, os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), os.fdopen(stderr, "rb"))


_SERVERS = _Servers()


def guardian(lock: int) -> Guardian:
    """A new guardian, which holds the lock of its job and waits for its orders.

    OSError if it cannot be started.
    """
    return _SERVERS.guardian(lock)
