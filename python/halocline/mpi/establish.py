"""Set up an MPI library: check it, build its driver, and check that too."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.paths import cache_home
from halocline.base.toolchain import Family
from halocline.mpi import identity
from halocline.mpi.build import abi_driver, abi_driver_path, abi_wrapper, build, driver_path
from halocline.mpi.lock import Say
from halocline.mpi.proof import Launch, Proof, compile_probe, prove, run_probe
from halocline.mpi.records import Record


@dataclass(frozen=True)
class Recipe:
    """The input for setting up a library.

    `wrapper` is None if the driver for the standard ABI runs on the library. Of several
    possible `launchers`, the first one that starts two ranks in one world is used.
    """

    family: Family | None
    wrapper: Path | None
    launchers: tuple[Path, ...]
    settings: Mapping[str, str]


def establish(name: str, recipe: Recipe, say: Say) -> Record:
    """Check the library and build what it needs; UserError says what does not work."""
    wrapper, settings = recipe.wrapper, recipe.settings
    if wrapper is None:
        # With which it may be built anew with other flags, also where it is missing.
        compiler = identity.of_wrapper(abi_wrapper(), None, {}).compiler
        launcher, driver = recipe.launchers[0], abi_driver(say)
        say(f"{name}: starting two ranks with {launcher}")
        proof = prove(Launch(recipe.family, launcher, settings), driver)
        key = identity.of_driver(driver, launcher, proof.library_path).key
    else:
        say(f"{name}: trying {wrapper}")
        proof, launcher = _probe(recipe, wrapper)
        named = identity.of_wrapper(wrapper, proof.library_path, settings)
        driver = build(wrapper, named, settings, say)
        key, compiler = named.key, named.compiler
        say(f"{name}: starting two ranks with {launcher}")
        seen = prove(Launch(proof.family, launcher, settings), driver)
        if seen.library.split() != proof.library.split():
            raise UserError(
                f"{wrapper} builds programs for {proof.library}, but the driver it built "
                f"runs on {seen.library}",
                remedy="clear LD_LIBRARY_PATH and adopt the wrapper again",
            )
        proof = seen
    if recipe.family not in (None, proof.family):
        raise UserError(
            f"{name} should be {recipe.family}, but {launcher} runs {proof.library} "
            f"from {proof.library_path}",
            remedy="remove the other MPI library from that environment",
        )
    return Record(
        name=name,
        family=proof.family,
        library=proof.library,
        library_path=proof.library_path,
        launcher=launcher,
        wrapper=wrapper,
        settings=settings,
        key=key,
        compiler=compiler,
    )


def key_now(recipe: Recipe, record: Record) -> str:
    """The library's current key; differs from the record's if it changed."""
    library = record.library_path
    if recipe.wrapper is None:
        return identity.of_driver(abi_driver_path(), recipe.launchers[0], library).key
    return identity.of_wrapper(recipe.wrapper, library, recipe.settings, record.compiler).key


def driver_of(record: Record) -> Path:
    """The driver that runs on this library."""
    return driver_path(record.key) if record.wrapper else abi_driver_path()


def launchers_of(wrapper: Path) -> tuple[Path, ...]:
    """Launchers that may belong to a wrapper, the likeliest first.

    They are next to it with the same suffix: mpiexec.mpich for mpicxx.mpich. Links are followed
    step by step: if /usr/bin/mpicxx leads to mpicxx.openmpi, mpiexec.openmpi comes first.
    """
    candidates: list[Path] = []
    links = [link for link in _links(wrapper) if re.match("s?mpi", link.name)]
    for link in [*reversed(links), wrapper.absolute()]:
        match = re.search(r"[._-].*$", link.name)
        suffixes = [match[0], ""] if match else [""]
        stems = ["smpirun"] if link.name.startswith("smpi") else ["mpiexec", "mpirun"]
        candidates += [link.parent / f"{stem}{suffix}" for suffix in suffixes for stem in stems]
    return tuple(dict.fromkeys(path for path in candidates if path.is_file()))


def _links(path: Path) -> list[Path]:
    """The path and every path that it leads to through links."""
    chain = [path.absolute()]
    while chain[-1].is_symlink():
        chain.append(chain[-1].parent / chain[-1].readlink())
    return chain


def _probe(recipe: Recipe, wrapper: Path) -> tuple[Proof, Path]:
    """The library's version, and the first launcher that works with it."""
    first_problem: UserError | None = None
    builds = cache_home()  # where the driver has to be executable too: /tmp may be noexec
    builds.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="probe-", dir=builds) as folder:
        program = compile_probe(wrapper, Path(folder), recipe.settings)
        for launcher in recipe.launchers:
            try:
                launch = Launch(recipe.family, launcher, recipe.settings)
                return run_probe(launch, program), launcher
            except UserError as problem:
                first_problem = first_problem or problem
    raise first_problem or UserError(
        f"no launcher (mpiexec or mpirun) next to {wrapper}",
        remedy="name its launcher with --launcher PATH",
    )
