"""The command `halocline`: its commands, each imported when called, and their exit codes.

The one place where errors become lines.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.completion import shell_complete
from typer.core import CompletionItem, TyperGroup  # type: ignore[attr-defined]

from halocline import __version__
from halocline.base.errors import (
    Interrupted,
    RunFailed,
    Terminated,
    Undecided,
    UserError,
    UserErrors,
    stopped_by,
)
from halocline.base.paths import cache_home, data_home
from halocline.cli import streams

# In a few words each, for `halocline --help`.
COMMANDS = {
    "survey": "Characterise communication on this machine; write a report.",
    "run": "Measure a workload, or an experiment from a TOML file.",
    "submit": "Submit an experiment as a Slurm batch job.",
    "list": "List workloads, protocols, machines and MPI libraries.",
    "report": "Write the HTML report of one or several runs.",
    "summary": "Print a run's figures with 95 % confidence intervals.",
    "compare": "Compare two sides: which is faster, by how much, how sure.",
    "selftest": "Measure how far to trust verdicts on this machine.",
    "tune": "Find the best protocol, packing and settings for a workload.",
    "verify": "Check every payload over every protocol, without timing.",
    "detect": "Detect eager limit, packets, half bandwidth, saturation.",
    "model": "Fit latency, bandwidth and contention models; predict.",
    "findings": "Answer the papers' claims.",
    "doctor": "Report what would spoil a measurement here.",
    "docs": "Print a page of the documentation.",
    "profile": "Profile any MPI program, unmodified.",
    "mpi": "List, install and adopt MPI libraries.",
    "hosts": "Start hosts on this machine, to measure between nodes.",
}


class Commands(TyperGroup):
    """A group whose commands are modules of `halocline.cli`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return command(cmd_name) if cmd_name in COMMANDS else None

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=about)
            for name, about in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@cache
def command(name: str) -> Any:
    """A command of `halocline`."""
    module = import_module(f"halocline.cli.{name}")
    around = typer.Typer(rich_markup_mode=None, add_completion=False, callback=_nothing)
    if (group := getattr(module, "app", None)) is not None:
        around.add_typer(group, name=name)
    else:
        # `list` is a Python builtin.
        function = getattr(module, name, None) or getattr(module, f"{name}_")
        around.command(name)(function)
    return typer.main.get_group(around).commands[name]


def _nothing() -> None:
    """With a callback, also a Typer of one command is a group."""


DONE, FAILED, WRONG_USAGE, UNDECIDED = 0, 1, 2, 3
_COMPLETE = "_HALOCLINE_COMPLETE"  # what the scripts of --install-completion set
INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM

# System errors about a path that the user gave.
_OF_THE_PATH = (
    *(errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR),
    *(errno.EISDIR, errno.ELOOP, errno.EEXIST),
)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_OTHER_PATH = "name another file or folder, or change its permissions"
_OWN_PATH = "set HALOCLINE_HOME to a folder for installed and built files that can be written"
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), 127)}  # terminals act on these
_SHOWN = 60  # characters at each end of a word that is not a path
_LONG_WORD = re.compile(r"\S{1000,}")

app = typer.Typer(
    name="halocline",
    cls=Commands,
    help="How this machine moves data, measured and explained.\n\nExample: halocline survey",
    # Also those of each command.
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _halocline(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"halocline {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    0 done, 1 failed, 2 wrong usage, 3 a gate undecided, 130 or 143 interrupted.
    """
    streams.secure()
    with _sigterm_raised():
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
    sys.exit(code)


@contextmanager
def _sigterm_raised() -> Iterator[None]:
    def terminate(*_: object) -> NoReturn:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(app)
    if wanted := os.environ.get(_COMPLETE):
        return shell_complete(command, {}, "halocline", _COMPLETE, wanted)
    try:
        _check_text(arguments)
        try:
            # Not command.main(), which exits silently on Ctrl-C.
            with command.make_context("halocline", arguments) as context:
                code = command.invoke(context)
        finally:
            sys.stdout.flush()  # what cannot be written is this command's error
        return code if isinstance(code, int) else DONE
    except typer.Exit as end:
        return end.exit_code
    except UserErrors as errors:
        return _fail(WRONG_USAGE, *errors.problems)
    except UserError as error:
        return _fail(WRONG_USAGE, error)
    except typer.TyperException as error:
        return _fail(WRONG_USAGE, _usage_problem(error))
    except RunFailed as error:
        return _fail(FAILED, error)
    except Undecided as error:
        return _fail(UNDECIDED, error)
    except Interrupted as error:
        return _fail(_code_of(error.__cause__), error)
    except KeyboardInterrupt as stop:
        return _fail(_code_of(stop), stopped_by(stop))
    except OSError as error:
        if error.errno in _OF_THE_PATH and error.filename is not None:
            own = error.errno in _FORBIDDEN and _is_own(error.filename)
            remedy = _OWN_PATH if own else _OTHER_PATH
            return _fail(WRONG_USAGE, f"{error.filename}: {error.strerror}; {remedy}")
        return _fail(FAILED, _unexpected(error))
    except UnicodeEncodeError as error:  # a folder's name, such as the current one's
        shown = repr(str(error.object)[-_SHOWN:].encode("utf-8", "surrogateescape"))[1:]
        return _fail(WRONG_USAGE, f"{shown} is not UTF-8 text; rename that file or folder")
    except Exception as error:
        return _fail(FAILED, _unexpected(error))


def _is_own(path: str | bytes) -> bool:
    """Whether it is in a folder of Halocline's own, or one on the way there."""
    try:
        homes = (data_home(), cache_home())
    except UserError:
        return False
    own = Path(os.fsdecode(path))
    return any(
        own.is_relative_to(home) or own in (home.parent, home.parent.parent) for home in homes
    )


def _check_text(arguments: Sequence[str]) -> None:
    """UserError for words that are not valid text: paths and names are written into reports."""
    for word in arguments:
        try:
            word.encode()
        except UnicodeEncodeError:
            shown = repr(os.fsencode(word))[1:]
            raise UserError(f"{shown} is not UTF-8 text", remedy="rename it") from None


def _code_of(stop: BaseException | None) -> int:
    return TERMINATED if isinstance(stop, Terminated) else INTERRUPTED


def _fail(code: int, *problems: Exception | str) -> int:
    for problem in problems:
        line = " ".join(str(problem).split("\n")).translate(_CONTROL)
        print("halocline:", _LONG_WORD.sub(_shortened, line), file=sys.stderr)
    return code


def _shortened(word: re.Match[str]) -> str:
    return f"{word[0][:_SHOWN]}…{word[0][-_SHOWN:]}"


# What Pydantic calls a word that is none.
_NUMBERS = {"int_parsing": "a whole number", "float_parsing": "a number"}


def _usage_problem(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "halocline"
    option = max(getattr(getattr(error, "param", None), "opts", ("",)), key=len)
    details = getattr(error.__cause__, "errors", None)  # where Typer converts with Pydantic
    for wrong in details() if details else ():
        if kind := _NUMBERS.get(wrong["type"]):
            return f"{option}: {wrong['input']!r} is not {kind}; see `{command} --help`"
    # Pydantic's prefix for an error from one of Typer's converters.
    message = error.format_message().rstrip(".").replace("Value error, ", "")
    return f"{message[:1].lower()}{message[1:]}; see `{command} --help`"


def _unexpected(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        disk = f" of {error.filename}" if error.filename else ""
        return f"no space left on the disk{disk}; free some space and try again"
    with tempfile.NamedTemporaryFile("w", prefix="halocline-", suffix=".log", delete=False) as log:
        traceback.print_exception(error, file=log)
    message = f"{type(error).__name__}: {error}"
    return f"unexpected error: {message}; please report it with {log.name}"
