"""Build the driver or the library with an MPI compiler wrapper, once for each identity."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.parts import bundled_driver, program, scripts, source
from halocline.base.paths import cache_home
from halocline.mpi.children import Finished, stream
from halocline.mpi.identity import Identity, of_wrapper
from halocline.mpi.lock import Say, only_one

_CONFIGURE_TIMEOUT_S = 300.0
_BUILD_TIMEOUT_S = 1800.0
_NINJA_STEP = re.compile(r"\[(\d+/\d+)\]")


@dataclass(frozen=True)
class Product:
    """A build product: its name, CMake target, file, and folder in the cache."""

    name: str
    target: str
    file: str
    folder: str

    def path(self, key: str) -> Path:
        """The path of the product with this identity, once built."""
        return cache_home() / self.folder / key / self.file


DRIVER = Product("driver", "halocline-driver", "halocline-driver", "builds")
LIBRARY = Product("redistribution library", "halocline", "libhalocline.so", "libraries")


def driver_path(key: str) -> Path:
    """The path of the driver with this identity, once built."""
    return DRIVER.path(key)


def abi_driver(say: Say) -> Path:
    """The driver for the MPI standard ABI: from the package, or built now."""
    bundled = bundled_driver()
    if bundled:
        return bundled
    wrapper = abi_wrapper()
    if not wrapper.is_file():
        raise UserError(
            "the driver is missing from this installation",
            remedy="run `pip install --force-reinstall .` in Halocline's clone",
        )
    return build(wrapper, of_wrapper(wrapper, None, {}), {}, say)


def abi_driver_path() -> Path:
    """Where `abi_driver` is, or will be once built."""
    return bundled_driver() or driver_path(of_wrapper(abi_wrapper(), None, {}).key)


def build(
    wrapper: Path,
    identity: Identity,
    settings: Mapping[str, str],
    say: Say,
    product: Product = DRIVER,
) -> Path:
    """The product built with `wrapper`: from the cache, or built now (up to a few minutes)."""
    finished = product.path(identity.key)
    if finished.is_file():
        return finished
    builds = finished.parent.parent
    waiting = f"another process is building the {product.name} with {wrapper}: waiting for it"
    with only_one(builds / f"{identity.key}.lock", waiting, say):
        if not finished.is_file():
            for abandoned in builds.glob(f".{identity.key}-*"):  # by a build that was killed
                shutil.rmtree(abandoned, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=f".{identity.key}-", dir=builds) as folder:
                built = _compile(product, wrapper, identity, Path(folder), settings, say, builds)
                ready = Path(folder) / "ready"
                ready.mkdir()
                shutil.move(built.resolve(), ready / finished.name)  # a library's name is a link
                ready.rename(finished.parent)
    return finished


def abi_wrapper() -> Path:
    """The compiler wrapper of the MPI standard's ABI."""
    return scripts() / "mpicxx_abi"


def _compile(
    product: Product,
    wrapper: Path,
    identity: Identity,
    folder: Path,
    settings: Mapping[str, str],
    say: Say,
    builds: Path,
) -> Path:
    log = builds / f"{identity.key}.log"
    log.unlink(missing_ok=True)
    cmake, ninja = _tool("cmake"), _tool("ninja")
    tree = folder / "tree"
    configure: list[str | Path] = [
        *(cmake, "-S", source(), "-B", tree, "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={ninja}",
        f"-DCMAKE_CXX_COMPILER={wrapper}",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DHALOCLINE_TESTS=OFF",
        f"-DHALOCLINE_LIBRARY={'ON' if product is LIBRARY else 'OFF'}",
        "-DHALOCLINE_FORTRAN=OFF",
        *([f"-DCMAKE_CXX_FLAGS_RELEASE={_quoted(identity.flags)} -DNDEBUG"] * bool(identity.flags)),
    ]
    with_flags = f" {identity.flags}" if identity.flags else ""
    compile_product: list[str | Path] = [cmake, "--build", tree, "--target", product.target]
    building = f"building the {product.name} with {wrapper}{with_flags}"

    def step(line: str) -> None:
        if match := _NINJA_STEP.match(line):
            say(f"{building}: {match[1]}")

    say(f"{building}: configuring")
    for command, timeout_s in (
        (configure, _CONFIGURE_TIMEOUT_S),
        (compile_product, _BUILD_TIMEOUT_S),
    ):
        done = stream(command, timeout_s=timeout_s, log=log, on_line=step, settings=settings)
        if not done.ok:
            raise _failure(product, f"{wrapper}{with_flags}", done, log)
    built = tree / product.file
    if not built.is_file():
        raise UserError(f"the build with {wrapper} produced no {built.name}", remedy=f"see {log}")
    return built


def _quoted(flags: str) -> str:
    """Each option as one word of the shell in which ninja runs the compiler."""
    return shlex.join(shlex.split(flags))


def _failure(product: Product, wrapper: str, done: Finished, log: Path) -> UserError:
    return UserError(
        f"the {product.name} does not build with {wrapper}: {done.complaint}",
        remedy=f"see {log}, fix the compiler or choose another wrapper",
    )


def _tool(name: str) -> Path:
    path = program(name)
    if path is None:
        raise UserError(
            f"{name} is needed to build the driver but is not installed",
            remedy=f"install it: pip install {name}",
        )
    return path
