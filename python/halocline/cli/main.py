"""The command `halocline`; the one place where errors become lines and exit codes."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from halocline import __version__
from halocline.cli import doctor, mpi, report, run, summary, survey
from halocline.cli import list as list_
from halocline.errors import Interrupted, RunFailed, UserError, UserErrors

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

app = typer.Typer(
    name="halocline",
    help="How this machine moves data, measured and explained.\n\nExample: halocline survey",
    add_completion=False,
    no_args_is_help=False,
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


app.command()(survey.survey)
app.command()(run.run)
app.command("list")(list_.list_)
app.command()(report.report)
app.command()(summary.summary)
app.command()(doctor.doctor)
app.add_typer(mpi.app, name="mpi")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough; the interpreter must not flush into the pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    command = typer.main.get_command(app)
    words = None if arguments is None else list(arguments)
    try:
        code = command.main(words, prog_name="halocline", standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except UserErrors as errors:
        return _fail(WRONG_USAGE, *errors.problems)
    except UserError as error:
        return _fail(WRONG_USAGE, error)
    except typer.TyperException as error:
        return _fail(WRONG_USAGE, _usage_problem(error))
    except RunFailed as error:
        return _fail(FAILED, error)
    except Interrupted as error:
        return _fail(INTERRUPTED, error)
    except KeyboardInterrupt:
        return _fail(INTERRUPTED, "interrupted")
    except BrokenPipeError:
        raise
    except SystemExit:
        raise BrokenPipeError from None  # so does Typer end when its own output is not read
    except Exception as error:
        return _fail(FAILED, _unexpected(error))


def _fail(code: int, *problems: Exception | str) -> int:
    for problem in problems:
        print("halocline:", " ".join(str(problem).split("\n")), file=sys.stderr)
    return code


def _usage_problem(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "halocline"
    # Pydantic's words for an error that one of Typer's own converters raised.
    what = error.format_message().rstrip(".").replace("Value error, ", "")
    return f"{what[:1].lower()}{what[1:]}; see `{command} --help`"


def _unexpected(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left on the disk of {error.filename}; free some space and try again"
    with tempfile.NamedTemporaryFile("w", prefix="halocline-", suffix=".log", delete=False) as log:
        traceback.print_exception(error, file=log)
    what = f"{type(error).__name__}: {error}"
    return f"unexpected error: {what}; please report it with {log.name}"
