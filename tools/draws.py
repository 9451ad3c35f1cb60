"""Random layouts, halos and ways through every MPI library here: `make draws`.

Each is moved by the library and compared with an oracle that shares no code with it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from halocline.mpi.proof import PERMISSIONS
from halocline.mpi.registry import toolchain

PROGRAM = "tests/src/random-pairs"
BUILDS = {  # of each library: that of the MPI standard's ABI, or its own
    "mpich": "build/abi",
    "intel": "build/abi",
    "openmpi": "build/openmpi5",
}
TESTS = {  # how many, and of what
    "RandomPairsTest.*": "pairs of layouts",
    "RandomHalosTest.every*": "halos",
    "MovedFieldsTest.every_packing*": "layouts, each in all 36 ways of the C API",
}
FEWER = {"MovedFieldsTest.every_packing*": 36}
LIMIT_S = 3600


def main() -> int:
    """Print a line for each library and kind; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--ranks", type=int, default=2)
    asked = parser.parse_args()
    failed = 0
    for mpi, folder in BUILDS.items():
        library = toolchain(mpi)
        for test, what in TESTS.items():
            draws = asked.draws // FEWER.get(test, 1)
            begin = time.monotonic()
            ended = subprocess.run(
                [
                    *(str(library.launcher), "-n", str(asked.ranks)),
                    *(str(Path(folder, PROGRAM).absolute()), f"--gtest_filter={test}"),
                ],
                env={
                    **os.environ,
                    **PERMISSIONS,
                    **library.environment,
                    "HALOCLINE_DRAWS": str(draws),
                },
                check=False,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
            )
            failed += ended.returncode != 0
            result = "failed" if ended.returncode else "right"
            seconds = f"{time.monotonic() - begin:.0f} s"
            print(f"{mpi}, {asked.ranks} ranks: {draws} {what}: {result}, {seconds}", flush=True)
            if ended.returncode:
                print(ended.stdout + ended.stderr, file=sys.stderr)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
