"""Another build of a library's driver, with compiler flags of the user's choice."""

from __future__ import annotations

from dataclasses import replace

from halocline.base.errors import UserError
from halocline.base.toolchain import Toolchain
from halocline.mpi import identity, records
from halocline.mpi.build import abi_wrapper, build
from halocline.mpi.lock import Say


def with_flags(toolchain: Toolchain, flags: str, say: Say) -> Toolchain:
    """The toolchain with a driver built with `flags` instead of -O3.

    If the driver for the standard ABI runs on the library, that one is rebuilt.
    """
    record = records.load(toolchain.name)
    if record is None:
        raise UserError(
            f"MPI library {toolchain.name} is not ready",
            remedy=f"add it with: halocline mpi add {toolchain.name}",
        )
    wrapper = record.wrapper or abi_wrapper()
    settings = record.settings if record.wrapper else {}
    library = record.library_path if record.wrapper else None
    named = replace(identity.of_wrapper(wrapper, library, settings), flags=flags)
    return replace(toolchain, driver=build(wrapper, named, settings, say))
