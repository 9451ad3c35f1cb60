"""Run a command under the profiler. Its output and exit code do not change."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from halocline.base.errors import Terminated, UserError
from halocline.profile import store
from halocline.profile.library import functions, profiler
from halocline.profile.profile import Profile
from halocline.profile.program import program_words

FOLDER = "HALOCLINE_PROFILE_FOLDER"
TRACE = "HALOCLINE_PROFILE_TRACE"
_EXAMPLE = "halocline profile -- mpiexec -n 4 PROGRAM"
_ELF = b"\x7fELF"
_DYNAMIC, _INTERPRETER = 2, 3  # program header types
_FLAGS_1, _PIE = 0x6FFFFFFB, 0x08000000  # a dynamic section entry, and a bit of it
_GRACE_S = 10.0
_GLIBC = (2, 35)


def record(
    command: Sequence[str], folder: Path | None, trace_events: int = 0
) -> tuple[int, Profile | None]:
    """Run the command; returns its exit code and the profile, now in the folder.

    The profile is None if the command failed before calling MPI.
    """
    check_linker()
    programs = _checked(command)
    name = (programs[-1] if programs else Path(command[0])).name
    place = _new_folder(folder, name)
    _write_job(place, command)
    try:
        code = _run(command, {**os.environ, **variables(place, trace_events)})
        if not store.recorded(place):
            _complain_of_nothing(place, command, code)
            store.discard(place)
            return code, None
        profile = store.gather(place, code)
    except UserError:
        store.discard(place)
        raise
    try:
        store.save(profile)
    except OSError as error:
        print(
            f"halocline profile: {place} stays as written by its processes, as it cannot be merged "
            f"there: {error.strerror}",
            file=sys.stderr,
        )
    return code, profile


def _write_job(place: Path, command: Sequence[str]) -> None:
    try:
        store.write_job(place, command, functions())
    except OSError as error:
        store.discard(place)
        raise UserError(
            f"cannot be written: {error.strerror}",
            where=str(place),
            remedy="choose a folder with space for the profile: --output FOLDER",
        ) from None


def _complain_of_nothing(place: Path, command: Sequence[str], code: int) -> None:
    if without := store.without_room(place):
        raise UserError(
            f"nothing was recorded: {without} process{'es' * (without > 1)} had no space for a "
            f"profile; the command ended with exit code {code}",
            where=str(place),
            remedy="free disk space, raise `ulimit -f`, or choose another --output FOLDER",
        )
    if code == 0:
        raise UserError(
            f"no process of {command[0]} called MPI",
            remedy="profile a program that is linked dynamically with an MPI library; where it "
            f"runs, also in a container or on other nodes, there must be {profiler()} and {place}",
        )


def variables(folder: Path, trace_events: int = 0) -> dict[str, str]:
    """Environment variables that make programs write their profile into the folder."""
    audits = [os.environ.get("LD_AUDIT", ""), str(profiler())]
    return {
        FOLDER: str(folder.absolute()),
        TRACE: str(trace_events),
        "LD_AUDIT": ":".join(filter(None, audits)),
    }


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    try:
        child = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise UserError(
            f"{command[0]} cannot be run: {error.strerror}", remedy=f"try: {_EXAMPLE}"
        ) from None
    while True:
        try:
            code = child.wait()
            return code if code >= 0 else 128 - code
        except Terminated:
            child.send_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            # The terminal also sent it to the command, which decides how to exit.
            _wait_or_end(child)


def _wait_or_end(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(timeout=_GRACE_S)
    except subprocess.TimeoutExpired:
        child.terminate()


def check_linker() -> None:
    """UserError for an older glibc, which slows down every call with an auditor, and breaks some
    programs."""
    name = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else None
    version = tuple(map(int, re.findall(r"\d+", name or "")))
    if version < _GLIBC:
        raise UserError(
            f"the profiler needs glibc {_GLIBC[0]}.{_GLIBC[1]} or newer; this system has "
            f"{name or 'another C library'}",
            remedy="profile on a newer system, or in a container with one",
        )


def _checked(command: Sequence[str]) -> list[Path]:
    """The programs that the command names; UserError for those that cannot be profiled."""
    if shutil.which(command[0]) is None:
        raise UserError(f"program {command[0]} not found", remedy=f"try: {_EXAMPLE}")
    programs = []
    for word in program_words(command):
        path = shutil.which(word)
        if path is None or not _is_elf(Path(path)):
            continue
        program = Path(path)
        mode = program.stat().st_mode
        if mode & (stat.S_ISUID | stat.S_ISGID):
            raise UserError(
                f"{program} runs with its owner's rights (setuid), which cannot be profiled",
                remedy="profile a copy without that bit",
            )
        if not _interpreted(program):
            if _is_library(program):
                continue  # an argument, such as a plugin
            raise UserError(
                f"{program} is linked statically, so the profiler cannot intercept its calls",
                remedy="link it dynamically, without -static",
            )
        programs.append(program)
    return programs


def _is_elf(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(4) == _ELF
    except OSError:
        return False


def _interpreted(file: Path) -> bool:
    """Whether the program names a dynamic linker."""
    return _INTERPRETER in _parts(file)


def _is_library(file: Path) -> bool:
    """Whether it is a shared object; a static-pie program is marked in its dynamic section."""
    if _DYNAMIC not in (parts := _parts(file)):
        return False
    at, size = parts[_DYNAMIC]
    with file.open("rb") as stream:
        stream.seek(at)
        entries = struct.iter_unpack("<QQ", stream.read(size // 16 * 16))
        return not any(tag == _FLAGS_1 and value & _PIE for tag, value in entries)


def _parts(file: Path) -> dict[int, tuple[int, int]]:
    """The offset and size of each kind of segment in a 64-bit ELF file."""
    with file.open("rb") as stream:
        head = stream.read(64)
        at, size, number = (
            int.from_bytes(head[begin:end], "little")
            for begin, end in ((32, 40), (54, 56), (56, 58))
        )
        stream.seek(at)
        table = stream.read(size * number)
    rows = (table[index * size : (index + 1) * size] for index in range(number))
    fields = (struct.unpack_from("<I4xQ16xQ", row) for row in rows)
    return {kind: (offset, length) for kind, offset, length in fields}


def _new_folder(folder: Path | None, name: str) -> Path:
    if folder is not None:
        candidates = iter([folder])
    else:
        numbered = (Path(f"{name}-{number}.profile") for number in range(2, 10000))
        candidates = iter([Path(f"{name}.profile"), *numbered])
    for place in candidates:
        try:
            place.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise UserError(
                f"cannot be made: {error.strerror}",
                where=str(place),
                remedy="choose another folder: --output FOLDER",
            ) from None
        return place
    raise UserError(
        "already exists", where=str(folder or name), remedy="choose another: --output FOLDER"
    )
