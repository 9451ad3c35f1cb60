// The barotropic solver on one rank next to PETSc's conjugate gradients on the same matrix, which
// has a row for each cell of the grid, as a model hands it over, or for each cell of ocean:
// iterations with the diagonal preconditioner, then whole solves with each. In turns in one
// process, so that the machine's drift cancels. Prints one JSON line: seconds of the core's time
// for an iteration or a solve, in each turn.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "halocline/base/json.hpp"
#include "halocline/layout/ocean_blocks.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/numerics/barotropic_solver.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/ocean_depth.hpp"
#include "petsc.hpp"

namespace {

using namespace halocline;
using namespace halocline::numerics;

double core_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

enum class Cells { all, ocean };

/// The scaled operator in compressed rows, with columns of 32 bits; the identity on land.
struct Matrix {
  std::vector<std::int32_t> begins{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  Matrix(const OceanMask& mask, const BarotropicOperator& a, Cells cells) {
    const BlockFields& fields = a.fields();
    const auto numbers = numbered(mask, cells);
    const auto around = [&](layout::Index i) { return (i + mask.columns()) % mask.columns(); };
    const auto& [east, north, north_east, north_west] = a.weights();
    for (layout::Index j = 0; j < mask.rows(); ++j) {
      for (layout::Index i = 0; i < mask.columns(); ++i) {
        std::map<std::int32_t, double> row;
        const auto add = [&](layout::Index to_i, layout::Index to_j, double value) {
          if (value != 0 && mask.ocean(to_i, to_j)) {
            row[numbers[static_cast<std::size_t>(to_j * mask.columns() + around(to_i))]] = value;
          }
        };
        const auto at = [&](layout::Index x, layout::Index y) {
          return fields.at(0, around(x), y);
        };
        if (mask.ocean(i, j)) {
          add(i - 1, j - 1, north_east[at(i - 1, j - 1)]);
          add(i, j - 1, north[at(i, j - 1)]);
          add(i + 1, j - 1, north_west[at(i + 1, j - 1)]);
          add(i - 1, j, east[at(i - 1, j)]);
          add(i, j, 1);
          add(i + 1, j, east[at(i, j)]);
          add(i - 1, j + 1, north_west[at(i, j)]);
          add(i, j + 1, north[at(i, j)]);
          add(i + 1, j + 1, north_east[at(i, j)]);
        } else if (cells == Cells::all) {
          row[numbers[static_cast<std::size_t>(j * mask.columns() + i)]] = 1;
        } else {
          continue;
        }
        for (const auto& [column, value] : row) {
          columns.push_back(column);
          values.push_back(value);
        }
        begins.push_back(static_cast<std::int32_t>(columns.size()));
      }
    }
  }

  std::size_t rows() const { return begins.size() - 1; }
  /// A vector of the operator in the order of the rows, 0 on land.
  static std::vector<double> ordered(const BlockVector& vector, const OceanMask& mask,
                                     const BlockFields& fields, Cells cells) {
    std::vector<double> result;
    for (layout::Index j = 0; j < mask.rows(); ++j) {
      for (layout::Index i = 0; i < mask.columns(); ++i) {
        if (mask.ocean(i, j)) {
          result.push_back(vector[fields.at(0, i, j)]);
        } else if (cells == Cells::all) {
          result.push_back(0);
        }
      }
    }
    return result;
  }
  void apply(const std::vector<double>& x, std::vector<double>& result) const {
    for (std::size_t row = 0; row < rows(); ++row) {
      double sum = 0;
      for (auto at = static_cast<std::size_t>(begins[row]);
           at < static_cast<std::size_t>(begins[row + 1]); ++at) {
        sum += values[at] * x[static_cast<std::size_t>(columns[at])];
      }
      result[row] = sum;
    }
  }

 private:
  /// Rows of the cells, west to east, south to north.
  static std::vector<std::int32_t> numbered(const OceanMask& mask, Cells cells) {
    std::vector<std::int32_t> numbers;
    std::int32_t count = 0;
    for (layout::Index j = 0; j < mask.rows(); ++j) {
      for (layout::Index i = 0; i < mask.columns(); ++i) {
        numbers.push_back(cells == Cells::all || mask.ocean(i, j) ? count++ : -1);
      }
    }
    return numbers;
  }
};

/// The right-hand side of a sea level in waves.
BlockVector right_of_waves(const SolverParts& parts, const DisplacedPoleGrid& grid,
                           const OceanMask& mask) {
  HaloedVector waves(parts);
  for (layout::Index j = 0; j < grid.rows(); ++j) {
    for (layout::Index i = 0; i < grid.columns(); ++i) {
      if (mask.ocean(i, j)) {
        const auto place = grid.position(static_cast<double>(i), static_cast<double>(j));
        waves.values()[parts.a.fields().at(0, i, j)] =
            earth::gravity_m_s2 * std::sin(3 * place.latitude) *
            std::cos(2 * place.longitude + place.latitude);
      }
    }
  }
  parts.a.multiply_by_root(waves.values());
  waves.update();
  BlockVector right = parts.a.fields().zeros();
  parts.a.apply(waves.values(), right);
  parts.a.multiply_by_root(right);
  return right;
}

/// Ends the program unless both are the same operator.
void compare(const Matrix& matrix, const SolverParts& parts, const BlockVector& vector,
             const OceanMask& mask, Cells cells) {
  HaloedVector x(parts);
  std::ranges::copy(vector, x.values().begin());
  x.update();
  BlockVector applied = parts.a.fields().zeros();
  parts.a.apply(x.values(), applied);
  const auto expected = Matrix::ordered(applied, mask, parts.a.fields(), cells);
  std::vector<double> found(matrix.rows());
  matrix.apply(Matrix::ordered(vector, mask, parts.a.fields(), cells), found);
  double largest = 0;
  double off = 0;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    largest = std::max(largest, std::abs(expected[row]));
    off = std::max(off, std::abs(expected[row] - found[row]));
  }
  if (off > 1e-12 * largest) {
    std::fprintf(stderr, "the matrix is off by %g of %g\n", off, largest);
    std::abort();
  }
}

/// The tolerance that a residual of this part of the right-hand side has.
double tolerance_of(double relative, const BlockVector& right, const BarotropicOperator& a) {
  PartialSums areas(a.fields().widest(), 1, Summation::plain);
  a.squared_areas(areas);
  double squares = 0;
  for (const double each : right) {
    squares += each * each;
  }
  return relative * std::sqrt(squares / areas.value(0));
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv, mpi::CallsFrom::one_thread);
  const auto world = mpi::Communicator::world();
  const std::string name = argc > 1 ? argv[1] : "x1";
  const int turns = name == "x1" ? 15 : 3;
  const int iterations = name == "x1" ? 50 : 5;
  const auto grid = DisplacedPoleGrid::named(name);
  const auto mask = OceanMask::of_earth(name);
  const BlockFields fields(layout::ocean_blocks(
                               grid.columns(), grid.rows(), grid.columns(), grid.rows(),
                               [&](const layout::Box& box) { return mask.count(box); },
                               layout::Distribution::cartesian, 1),
                           0, [&](layout::Index i, layout::Index j) { return mask.ocean(i, j); });
  const BarotropicOperator a(grid, ocean_depth_m(mask, grid),
                             Seconds{name == "x1" ? 3600.0 : 288.0}, fields);
  const auto sum = GlobalSum::named("flat", world, 64);
  BlockVector right = fields.zeros();
  for (const Strip& strip : fields.strips()) {
    for (const Run& run : strip.runs) {
      std::fill_n(right.begin() + static_cast<std::ptrdiff_t>(run.at), run.length, 1e5);
    }
  }
  struct Way {
    std::function<void()> run;
    int iterations;
  };
  std::map<std::string, Way> ways;
  std::vector<std::unique_ptr<BarotropicSolver>> solvers;
  BlockVector pressure = fields.zeros();
  for (const char* solver : {"pcg", "chronopoulos_gear", "pcsi", "pipelined", "gropp"}) {
    for (const Summation summation : {Summation::plain, Summation::reproducible}) {
      if (name != "x1" && std::string_view{solver} != "pcg" &&
          (std::string_view{solver} != "chronopoulos_gear" ||
           summation == Summation::reproducible)) {
        continue;  // each has half a gigabyte of vectors
      }
      solvers.push_back(BarotropicSolver::named(
          solver, {.a = a, .ranks = world, .way = {}, .sum = *sum, .summation = summation}));
      ways[std::string{solver} + (summation == Summation::plain ? "" : " reproducible")] = {
          [&, made = solvers.back().get()] {
            std::ranges::fill(pressure, 0.0);
            made->solve(right, pressure, {.iterations = iterations});
          },
          iterations};
    }
  }
  // Whole solves: to a residual of 1e-10 of the right-hand side.
  const SolverParts plain{.a = a, .ranks = world, .way = {}, .sum = *sum};
  const BlockVector waves = right_of_waves(plain, grid, mask);
  const Stop until{.tolerance = tolerance_of(1e-10, waves, a)};
  std::vector<std::unique_ptr<Preconditioner>> preconditioners;
  for (const char* preconditioner : {"diagonal", "block_ssor", "block_evp"}) {
    if (name != "x1") {
      continue;
    }
    preconditioners.push_back(Preconditioner::named(preconditioner, a));
    SolverParts parts = plain;
    parts.preconditioner = preconditioners.back().get();
    for (const char* solver : {"pcg", "chronopoulos_gear", "pcsi"}) {
      solvers.push_back(BarotropicSolver::named(solver, parts));
      ways[std::string{solver} + " " + preconditioner + " to 1e-10"] = {
          [&, made = solvers.back().get()] {
            std::ranges::fill(pressure, 0.0);
            if (!made->solve(waves, pressure, until).converged) {
              std::abort();
            }
          },
          1};
    }
  }
  const PetscLibrary petsc;
  std::vector<std::unique_ptr<Matrix>> matrices;
  std::vector<std::unique_ptr<PetscGradients>> theirs;
  for (const Cells cells : {Cells::all, Cells::ocean}) {
    matrices.push_back(std::make_unique<Matrix>(mask, a, cells));
    Matrix& matrix = *matrices.back();
    compare(matrix, plain, waves, mask, cells);
    const auto solver = [&](const BlockVector& to, const char* preconditioner) {
      theirs.push_back(std::make_unique<PetscGradients>(
          matrix.begins, matrix.columns, matrix.values, Matrix::ordered(to, mask, fields, cells),
          preconditioner));
      return theirs.back().get();
    };
    const std::string name_there = cells == Cells::all ? "PETSc " : "PETSc without land ";
    ways[name_there + PCJACOBI] = {
        [iterations, made = solver(right, PCJACOBI)] { made->iterate(iterations); }, iterations};
    for (const char* preconditioner : {PCJACOBI, PCSOR, PCICC, PCEISENSTAT}) {
      if (name == "x1") {
        ways[name_there + preconditioner + " to 1e-10"] = {
            [made = solver(waves, preconditioner)] { made->solve_to(1e-10); }, 1};
      }
    }
  }
  std::map<std::string, std::vector<double>> times_s;
  for (int turn = 0; turn < turns; ++turn) {
    for (const auto& [way, timed] : ways) {
      const double begin_s = core_s();
      timed.run();
      times_s[way].push_back((core_s() - begin_s) / timed.iterations);
    }
  }
  JsonText json;
  json.begin_object();
  for (const auto& [way, times] : times_s) {
    json.list(way, times);
  }
  std::puts(json.end_object().text().c_str());
}
