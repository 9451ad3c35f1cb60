#pragma once

#include <petscksp.h>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

inline void checked(PetscErrorCode code) {
  if (code != 0) {
    std::fprintf(stderr, "PETSc's error %d\n", static_cast<int>(code));
    std::abort();
  }
}

/// Initialises PETSc; must outlive its objects.
struct PetscLibrary {
  PetscLibrary() { checked(PetscInitialize(nullptr, nullptr, nullptr, nullptr)); }
  ~PetscLibrary() { PetscFinalize(); }
  PetscLibrary(const PetscLibrary&) = delete;
  PetscLibrary& operator=(const PetscLibrary&) = delete;
};

/// PETSc's conjugate gradients on one rank, on a symmetric matrix in compressed rows.
class PetscGradients {
 public:
  /// `preconditioner` by PETSc's name. The arrays outlive the solver.
  PetscGradients(std::span<PetscInt> begins, std::span<PetscInt> columns, std::span<double> values,
                 const std::vector<double>& right, const char* preconditioner) {
    const auto rows = static_cast<PetscInt>(begins.size() - 1);
    checked(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, rows, begins.data(), columns.data(),
                                      values.data(), &matrix_));
    checked(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
    checked(MatCreateVecs(matrix_, &solution_, &right_));
    double* array = nullptr;
    checked(VecGetArray(right_, &array));
    std::ranges::copy(right, array);
    checked(VecRestoreArray(right_, &array));
    checked(KSPCreate(PETSC_COMM_SELF, &solver_));
    checked(KSPSetOperators(solver_, matrix_, matrix_));
    checked(KSPSetType(solver_, KSPCG));
    checked(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));
    PC made = nullptr;
    checked(KSPGetPC(solver_, &made));
    checked(PCSetType(made, preconditioner));
    checked(KSPSetUp(solver_));
  }
  ~PetscGradients() {
    KSPDestroy(&solver_);
    VecDestroy(&right_);
    VecDestroy(&solution_);
    MatDestroy(&matrix_);
  }
  PetscGradients(const PetscGradients&) = delete;
  PetscGradients& operator=(const PetscGradients&) = delete;

  void iterate(int iterations) { solve(0, iterations); }

  /// Until the residual is so small a part of the right-hand side. Ends the program if it never is.
  void solve_to(double relative) {
    solve(relative, most_iterations_);
    KSPConvergedReason reason{};
    checked(KSPGetConvergedReason(solver_, &reason));
    if (reason <= 0) {
      PC made = nullptr;
      checked(KSPGetPC(solver_, &made));
      PCType type = nullptr;
      checked(PCGetType(made, &type));
      std::fprintf(stderr, "PETSc did not converge with %s: %s\n", type,
                   KSPConvergedReasons[reason]);
      std::abort();
    }
  }

 private:
  void solve(double relative, int iterations) {
    checked(KSPSetTolerances(solver_, relative, 1e-300, PETSC_DEFAULT, iterations));
    checked(VecSet(solution_, 0));
    checked(KSPSolve(solver_, right_, solution_));
  }

  static constexpr int most_iterations_ = 10000;

  Mat matrix_ = nullptr;
  Vec solution_ = nullptr;
  Vec right_ = nullptr;
  KSP solver_ = nullptr;
};
