"""Halocline's redistribution library, for Spack: docs/how-to/install-with-spack.md."""

from pathlib import Path

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0 spack.package has it
    pass


class Halocline(CMakePackage):
    """Moves fields between any two layouts of blocks over the ranks of an MPI program: the library
    of Halocline for C, C++ and Fortran. Its command, which measures, comes with pip.
    """

    license("Apache-2.0")

    # The clone that this recipe is in; its uncommitted changes are built by spack dev-build.
    git = f"file://{Path(__file__).resolve().parents[4]}"
    version("0.1.0", branch="main")

    variant("fortran", default=True, description="Fortran module, for an MPI with mpi_f08")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi")

    conflicts("%gcc@:10", msg="C++20 needs GCC 11 or newer")
    conflicts("%clang@:13", msg="C++20 needs Clang 14 or newer")

    build_targets = ["library"]

    def cmake_args(self):
        # The wrapper alone knows its library; that for Fortran is found next to it.
        return [
            self.define("CMAKE_CXX_COMPILER", self.spec["mpi"].mpicxx),
            self.define_from_variant("HALOCLINE_FORTRAN", "fortran"),
            self.define("HALOCLINE_PROFILER", False),  # only the Python package loads it
        ]
