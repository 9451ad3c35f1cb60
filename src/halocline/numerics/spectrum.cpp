#include "halocline/numerics/spectrum.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/base/error.hpp"
#include "halocline/base/pattern.hpp"
#include "halocline/numerics/conjugate_gradients.hpp"

namespace halocline::numerics {
namespace {

/// Number of eigenvalues below `number`.
std::size_t below(double number, const std::vector<double>& diagonal,
                  const std::vector<double>& off_diagonal) {
  std::size_t count = 0;
  double pivot = 1;
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    const double coupling = row == 0 ? 0 : off_diagonal[row - 1] * off_diagonal[row - 1] / pivot;
    pivot = diagonal[row] - number - coupling;
    if (pivot == 0) {
      pivot = 1e-300;
    }
    count += pivot < 0 ? 1 : 0;
  }
  return count;
}

/// Numbers between -1 and 1 that depend on the cell alone.
BlockVector any_vector(const BlockFields& fields) {
  BlockVector vector = fields.zeros();
  const layout::Index columns = fields.blocks().global().extent(0);
  for (std::size_t part = 0; part < fields.parts().size(); ++part) {
    const layout::Box& box = fields.parts()[part].local;
    for (layout::Index j = box.lower[1]; j < box.upper[1]; ++j) {
      for (layout::Index i = box.lower[0]; i < box.upper[0]; ++i) {
        if (fields.ocean(i, j)) {
          const auto cell = static_cast<std::size_t>(j * columns + i);
          vector[fields.at(part, i, j)] =
              static_cast<double>(pattern_word(1, cell) >> 11U) * 0x1p-52 - 1;
        }
      }
    }
  }
  return vector;
}

}  // namespace

Spectrum tridiagonal_spectrum(const std::vector<double>& diagonal,
                              const std::vector<double>& off_diagonal) {
  if (diagonal.empty()) {
    throw Error("the spectrum of a matrix without rows; give at least one");
  }
  double low = diagonal[0];
  double high = diagonal[0];
  for (std::size_t row = 0; row < diagonal.size(); ++row) {  // Gershgorin circles
    const double radius = (row > 0 ? std::abs(off_diagonal[row - 1]) : 0) +
                          (row + 1 < diagonal.size() ? std::abs(off_diagonal[row]) : 0);
    low = std::min(low, diagonal[row] - radius);
    high = std::max(high, diagonal[row] + radius);
  }
  const auto found = [&](std::size_t fewer_than) {
    double under = low;
    double over = high;
    for (int halving = 0; halving < 100; ++halving) {
      const double middle = (under + over) / 2;
      (below(middle, diagonal, off_diagonal) < fewer_than ? under : over) = middle;
    }
    return (under + over) / 2;
  };
  return {.least = found(1), .largest = found(diagonal.size())};
}

Spectrum estimated_spectrum(const SolverParts& parts) {
  constexpr int between_looks = 20;
  constexpr int most_steps = 2000;
  constexpr double settled = 0.01;
  ConjugateGradients gradients(parts);
  gradients.begin_with(any_vector(parts.a.fields()));
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;
  double former_alpha = 0;
  double former_least = 0;
  for (int step = 1; step <= most_steps; ++step) {
    gradients.iterate();
    const double alpha = gradients.alpha();
    if (alpha == 0) {
      break;
    }
    if (!diagonal.empty()) {
      off_diagonal.push_back(std::sqrt(gradients.beta()) / former_alpha);
    }
    diagonal.push_back(1 / alpha + (diagonal.empty() ? 0 : gradients.beta() / former_alpha));
    former_alpha = alpha;
    if (step % between_looks == 0) {
      const Spectrum spectrum = tridiagonal_spectrum(diagonal, off_diagonal);
      if (std::abs(spectrum.least - former_least) <= settled * spectrum.least) {
        return spectrum;
      }
      former_least = spectrum.least;
    }
  }
  return tridiagonal_spectrum(diagonal, off_diagonal);
}

}  // namespace halocline::numerics
