#pragma once

#include <petscdmda.h>
#include <petscsf.h>

#include <vector>

#include "petsc.hpp"

/// PETSc's distributed array in the program's memory, with all values of a cell together.
class PetscGrid {
 public:
  /// Periodic along x, cut along y, ghost cells included.
  PetscGrid(PetscInt extent_x, PetscInt extent_y, PetscInt values, PetscInt ranks, PetscInt width,
            double* data) {
    checked(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_GHOSTED,
                         DMDA_STENCIL_BOX, extent_x, extent_y, 1, ranks, values, width, nullptr,
                         nullptr, &grid_));
    checked(DMSetUp(grid_));
    PetscInt full_x = 0;
    PetscInt full_y = 0;
    checked(DMDAGetGhostCorners(grid_, nullptr, nullptr, nullptr, &full_x, &full_y, nullptr));
    checked(
        VecCreateSeqWithArray(PETSC_COMM_SELF, values, full_x * full_y * values, data, &vector_));
  }
  ~PetscGrid() {
    VecDestroy(&vector_);
    DMDestroy(&grid_);
  }
  PetscGrid(const PetscGrid&) = delete;
  PetscGrid& operator=(const PetscGrid&) = delete;

  /// In place, which copies the inside onto itself.
  void run() const {
    checked(DMLocalToLocalBegin(grid_, vector_, INSERT_VALUES, vector_));
    checked(DMLocalToLocalEnd(grid_, vector_, INSERT_VALUES, vector_));
  }

 private:
  DM grid_ = nullptr;
  Vec vector_ = nullptr;
};

/// PETSc's star forest: only ghost cells, each from the cell that owns its value, in place.
class PetscForest {
 public:
  /// Cells are positions in the ranks' arrays.
  struct Ghosts {
    std::vector<PetscInt> cells;
    std::vector<PetscSFNode> owners;
  };

  PetscForest(double* data, PetscInt cells, Ghosts ghosts) : data_(data) {
    checked(PetscSFCreate(PETSC_COMM_WORLD, &forest_));
    checked(PetscSFSetGraph(forest_, cells, static_cast<PetscInt>(ghosts.cells.size()),
                            ghosts.cells.data(), PETSC_COPY_VALUES, ghosts.owners.data(),
                            PETSC_COPY_VALUES));
    checked(PetscSFSetUp(forest_));
  }
  ~PetscForest() { PetscSFDestroy(&forest_); }
  PetscForest(const PetscForest&) = delete;
  PetscForest& operator=(const PetscForest&) = delete;

  void run() const {
    checked(PetscSFBcastBegin(forest_, MPI_DOUBLE, data_, data_, MPI_REPLACE));
    checked(PetscSFBcastEnd(forest_, MPI_DOUBLE, data_, data_, MPI_REPLACE));
  }

 private:
  double* data_;
  PetscSF forest_ = nullptr;
};
