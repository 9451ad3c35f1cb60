"""python -m halocline.redistribution: build the library for the MPI that mpi4py runs on."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from halocline.errors import UserError
from halocline.redistribution import find


def main() -> int:
    """Exit code 0: built, or there already; 2: it cannot be built, for the reason on stderr."""
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
