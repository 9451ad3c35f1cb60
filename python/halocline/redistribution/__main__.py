"""python -m halocline.redistribution: build the library for the MPI that mpi4py runs on."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from halocline.base.errors import UserError
from halocline.redistribution import find


def main() -> int:
    """Exit code 0: built, or already available; 2: cannot be built, with the reason on stderr."""
    parser = argparse.ArgumentParser(
        prog=find.BUILD_COMMAND,
        description="Build libhalocline.so for the MPI library that mpi4py runs on.",
    )
    parser.add_argument("--wrapper", type=Path, help="the MPI library's C++ compiler wrapper")
    chosen = parser.parse_args()
    try:
        mpi = find.mpi_in_this_process()
        print(find.build_for(mpi, chosen.wrapper, lambda line: print(line, file=sys.stderr)))
    except UserError as error:
        print(f"halocline: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
