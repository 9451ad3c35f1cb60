"""Which process manager srun is started with."""

from __future__ import annotations

import pytest

from halocline.base.errors import UserError
from halocline.base.toolchain import Family
from halocline.slurm.process_manager import choose, process_manager, types_listed

# Slurm 20.11, 22.05 and 24.05.
LISTINGS = {
    "srun: MPI types are...\nsrun: none\nsrun: pmi2\nsrun: pmix\nsrun: pmix_v3\n": (
        *("none", "pmi2", "pmix", "pmix_v3"),
    ),
    "MPI plugin types are...\n\tpmix\n\tnone\n\tcray_shasta\n\tpmi2\n"
    "specific pmix plugin versions available: pmix_v4\n": ("pmix", "none", "cray_shasta", "pmi2"),
    "MPI plugin types are...\n\tnone\n\tpmi2\n\tcray_shasta\n": ("none", "pmi2", "cray_shasta"),
}


@pytest.mark.parametrize(("listing", "types"), LISTINGS.items())
def test_the_types_are_read_whatever_the_version(listing: str, types: tuple[str, ...]) -> None:
    assert types_listed(listing) == types


@pytest.mark.parametrize(
    ("family", "manager"),
    [(Family.MPICH, "pmi2"), (Family.INTEL, "pmi2"), (Family.OPENMPI, "pmix")],
)
def test_a_library_gets_what_it_understands(family: Family, manager: str) -> None:
    assert choose(family, ("none", "pmi2", "pmix")) == manager


def test_a_slurm_that_offers_nothing_for_the_library() -> None:
    with pytest.raises(UserError) as error:
        choose(Family.OPENMPI, ("pmi2", "none"))
    assert str(error.value) == (
        "--launcher srun: this Slurm does not offer srun --mpi=pmix, which openmpi needs; "
        "allowed: none, pmi2; use --launcher mpiexec, or set SLURM_MPI_TYPE to a type that the "
        "library understands"
    )


def test_a_simulation_is_not_for_slurm() -> None:
    with pytest.raises(UserError, match="srun cannot start simgrid"):
        choose(Family.SIMGRID, ("pmi2", "pmix"))


def test_what_the_user_chose_is_used() -> None:
    assert process_manager(Family.OPENMPI, {"SLURM_MPI_TYPE": "pmix_v5"}) == "pmix_v5"
