"""The program of a profile, without launcher and number of ranks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from halocline.base.errors import UserError
from halocline.profile.profile import Profile

_LAUNCHERS = re.compile(r"(mpi(exec|run)|orterun|prterun|srun|aprun|ibrun|jsrun|smpirun)\b.*")
# Launcher options with their number of arguments; others take one if it is a number.
_VALUES = {"-genv": 2, "-env": 2, "-mca": 2, "--mca": 2, "-gmca": 2, "--gmca": 2}
_VALUED = {
    *("-n", "-np", "-c", "-N", "-ppn", "-f", "-x", "-p", "-t", "-hosts", "-host", "--host", "-H"),
    *("-machinefile", "--machinefile", "-hostfile", "--hostfile", "-bind-to", "--bind-to"),
    *("-map-by", "--map-by", "-wdir", "--wdir", "-launcher", "-iface", "-genvlist", "-platform"),
    *("-rf", "-rankfile", "--rankfile", "-rank-by", "--rank-by", "--prefix", "--tune", "--output"),
    *("-A", "-C", "-D", "-J", "-m", "-w", "--account", "--chdir", "--constraint", "--cpu-bind"),
    *("--distribution", "--error", "--exclude", "--export", "--gres", "--input", "--job-name"),
    *("--mem", "--mem-per-cpu", "--mpi", "--nodelist", "--partition", "--qos", "--reservation"),
}
_INTERPRETERS = re.compile(r"(python|perl|julia|ruby|Rscript|bash|sh)[\d.]*")


def program_of(command: Sequence[str]) -> str:
    """The program's file name, for a script not its interpreter's; or the workload's name."""
    rest = list(command)
    if rest and _LAUNCHERS.fullmatch(Path(rest[0]).name):
        rest = _after_options(rest[1:])
    if not rest:
        return ""
    name = Path(rest[0]).name
    if name == "halocline" and rest[1:3] == ["profile", "workload"]:
        return " ".join(rest[3:4]) or name
    if _INTERPRETERS.fullmatch(name):
        script = next((word for word in rest[1:] if not word.startswith("-")), "")
        return Path(script).name or name
    return name


def program_words(command: Sequence[str]) -> list[str]:
    """The words that may name programs: the launcher, its programs, and paths among arguments."""
    launched = _LAUNCHERS.fullmatch(Path(command[0]).name) is not None
    words = list(command[:1])
    programs = [command]
    if launched:
        parts = groupby(command[1:], ":".__eq__)
        programs = [_after_options(list(part)) for ends, part in parts if not ends]
    for own in programs:
        words += [word for at, word in enumerate(own) if at == 0 or "/" in word]
    return list(dict.fromkeys(words))


def check_alike(profiles: Sequence[Profile]) -> None:
    """UserError if the profiles are from different programs."""
    names = {program_of(profile.command): profile for profile in reversed(profiles)}
    if len(names) > 1:
        folders = ", ".join(f"{profile.folder} of {name}" for name, profile in names.items())
        raise UserError(
            f"these profiles are from different programs: {folders}",
            allowed="profiles of one program",
            remedy="write a report for each, or compare them anyway with --any",
        )


def _after_options(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        number_follows = at + 1 < len(words) and re.fullmatch(r"[\d:.,]+", words[at + 1])
        at += 1 + _VALUES.get(word, 1 if word in _VALUED or number_follows else 0)
    return words[at:]
