#include "halocline/numerics/block_evp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "halocline/numerics/evp_kernel.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

// Smaller north-east weights are not used as divisors. On deep water they are a quarter.
constexpr double least_weight = 0.05;
constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// Indices among the padded cells: of a cell, and of its north-eastern neighbour.
constexpr std::size_t padded(std::size_t cell) {
  return (cell / evp_side + 1) * evp_stride + cell % evp_side + 1;
}
constexpr std::size_t north_east_of(std::size_t cell) { return padded(cell) + evp_stride + 1; }

/// Inverts in place by Gauss-Jordan elimination with column pivots.
void invert(std::vector<double>& matrix, std::size_t size) {
  std::vector<double> inverse(size * size, 0.0);
  for (std::size_t row = 0; row < size; ++row) {
    inverse[row * size + row] = 1;
  }
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row) {
      if (std::abs(matrix[row * size + column]) > std::abs(matrix[pivot * size + column])) {
        pivot = row;
      }
    }
    for (std::size_t at = 0; at < size; ++at) {
      std::swap(matrix[column * size + at], matrix[pivot * size + at]);
      std::swap(inverse[column * size + at], inverse[pivot * size + at]);
    }
    const double scale = 1 / matrix[column * size + column];
    for (std::size_t at = 0; at < size; ++at) {
      matrix[column * size + at] *= scale;
      inverse[column * size + at] *= scale;
    }
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = matrix[row * size + column];
      if (row == column || factor == 0) {
        continue;
      }
      for (std::size_t at = 0; at < size; ++at) {
        matrix[row * size + at] -= factor * matrix[column * size + at];
        inverse[row * size + at] -= factor * inverse[column * size + at];
      }
    }
  }
  matrix = std::move(inverse);
}

}  // namespace

/// Equations of a square.
struct BlockEvp::System {
  std::array<double, std::size_t{evp_cells} * evp_weights> weights{};
  std::array<double, evp_cells> north_east{};  // where it is not a divisor
  std::array<double, evp_cells> follows{};
  std::vector<std::uint8_t> guesses;
  std::vector<std::uint8_t> left_over;

  System() = default;
  System(const BarotropicOperator& a, const Square& square) {
    const auto& [east, north, to_north_east, to_north_west] = a.weights();
    const std::ptrdiff_t stride = square.row_stride;
    std::array<bool, evp_padded_cells> is_found{};
    for (std::size_t cell = 0; cell < evp_cells; ++cell) {
      const auto column = static_cast<std::ptrdiff_t>(cell % evp_side);
      const auto row = static_cast<std::ptrdiff_t>(cell / evp_side);
      double* const weight = &weights[cell * evp_weights];
      weight[0] = 1;
      if (std::cmp_greater_equal(column, square.columns) ||
          std::cmp_greater_equal(row, square.rows)) {
        continue;
      }
      const std::size_t at = square.at + static_cast<std::size_t>(row * stride + column);
      const auto within = [&](const BlockVector& of, std::ptrdiff_t from_column,
                              std::ptrdiff_t from_row, std::ptrdiff_t to_column) {
        const bool inside = column + to_column >= 0 && column + to_column < square.columns &&
                            column + from_column >= 0 && row + from_row >= 0;
        return inside ? of[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) +
                                                    from_row * stride + from_column)]
                      : 0;
      };
      const bool last_row = row + 1 == square.rows;
      weight[1] = within(east, -1, 0, -1);
      weight[2] = within(north, 0, -1, 0);
      weight[3] = within(to_north_east, -1, -1, -1);
      weight[4] = within(to_north_west, 1, -1, 1);
      weight[5] = within(east, 0, 0, 1);
      weight[6] = last_row ? 0 : within(to_north_west, 0, 0, -1);
      weight[7] = last_row ? 0 : within(north, 0, 0, 0);
      const double divisor = last_row ? 0 : within(to_north_east, 0, 0, 1);
      if (std::abs(divisor) >= least_weight) {
        follows[cell] = 1;
        is_found[north_east_of(cell)] = true;
        std::for_each_n(weight, evp_weights, [divisor](double& each) { each /= divisor; });
      } else {
        north_east[cell] = divisor;
      }
      // On land S is its diagonal of 1, which multiplies only zeros.
      if (a.has_ocean(at)) {
        if (follows[cell] == 0) {
          left_over.push_back(static_cast<std::uint8_t>(cell));
        }
        if (!is_found[padded(cell)]) {
          guesses.push_back(static_cast<std::uint8_t>(padded(cell)));
        }
      }
    }
  }

  /// Whether only the last row and column are left over, in a square of ocean.
  bool whole() const {
    return std::ranges::count(follows, 1.0) == std::ptrdiff_t{evp_side - 1} * (evp_side - 1);
  }

  /// Inverse of the map from guesses to left-over equations.
  std::vector<double> inverse_influence() const {
    const std::size_t size = guesses.size();
    std::vector<double> influence(size * size);
    std::array<double, evp_cells> rest{};
    for (std::size_t guess = 0; guess < size; ++guess) {
      std::array<double, evp_padded_cells> x{};
      x[guesses[guess]] = 1;
      for (std::size_t cell = 0; cell < evp_cells; ++cell) {
        const double* const weight = &weights[cell * evp_weights];
        const double* const at = &x[padded(cell)];
        rest[cell] = -weight[0] * at[0] - weight[1] * at[-1] - weight[2] * at[-evp_stride] -
                     weight[3] * at[-evp_stride - 1] - weight[4] * at[-evp_stride + 1] -
                     weight[5] * at[1] - weight[6] * at[evp_stride - 1] -
                     weight[7] * at[evp_stride];
        x[north_east_of(cell)] += follows[cell] * rest[cell];
      }
      for (std::size_t equation = 0; equation < size; ++equation) {
        const std::size_t cell = left_over[equation];
        influence[equation * size + guess] = north_east[cell] * x[north_east_of(cell)] - rest[cell];
      }
    }
    invert(influence, size);
    return influence;
  }
};

BlockEvp::BlockEvp(const BarotropicOperator& a) {
  const BlockFields& fields = a.fields();
  struct Kind {
    Square square;
    bool whole;
    std::size_t guesses;
  };
  std::vector<Kind> kinds;
  for (std::size_t part = 0; part < fields.parts().size(); ++part) {
    const layout::Box& box = fields.parts()[part].local;
    const auto stride =
        static_cast<std::ptrdiff_t>(fields.at(part, box.lower[0], box.lower[1] + 1) -
                                    fields.at(part, box.lower[0], box.lower[1]));
    for (Index row = box.lower[1]; row < box.upper[1]; row += evp_side) {
      for (Index column = box.lower[0]; column < box.upper[0]; column += evp_side) {
        const Square square{
            .at = fields.at(part, column, row),
            .row_stride = stride,
            .columns = static_cast<std::uint8_t>(std::min<Index>(evp_side, box.upper[0] - column)),
            .rows = static_cast<std::uint8_t>(std::min<Index>(evp_side, box.upper[1] - row))};
        const System system(a, square);
        if (!system.guesses.empty()) {
          kinds.push_back({square, system.whole(), system.guesses.size()});
        }
      }
    }
  }
  // Group similar squares: a batch does as much work as its largest needs.
  std::ranges::stable_sort(kinds, {}, [](const Kind& kind) {
    return kind.guesses + (kind.whole ? 0 : std::size_t{evp_cells});
  });
  const std::size_t batches = (kinds.size() + evp_lanes - 1) / evp_lanes;
  weights_.reserve(batches * evp_cells * evp_weights * evp_lanes);
  for (std::size_t first = 0; first < kinds.size(); first += evp_lanes) {
    const std::size_t count = std::min<std::size_t>(evp_lanes, kinds.size() - first);
    std::array<System, evp_lanes> systems;
    for (std::size_t lane = 0; lane < evp_lanes; ++lane) {
      const Square square = lane < count ? kinds[first + lane].square : Square{};
      squares_.push_back(square);
      systems[lane] = System(a, square);
    }
    add(systems);
  }
}

void BlockEvp::add(std::span<const System> side_by_side) {
  std::size_t guess_count = 0;
  bool whole = true;
  for (const System& system : side_by_side) {
    guess_count = std::max(guess_count, system.guesses.size());
    whole = whole && system.whole();
  }
  batches_.push_back({.weights = weights_.size(),
                      .follows = whole ? nowhere : follows_.size(),
                      .inverse_influence = inverse_influences_.size(),
                      .guesses = guesses_.size(),
                      .guess_count = static_cast<int>(guess_count)});
  for (std::size_t at = 0; at < std::size_t{evp_cells} * evp_weights; ++at) {
    for (const System& system : side_by_side) {
      weights_.push_back(system.weights[at]);
    }
  }
  for (std::size_t cell = 0; !whole && cell < evp_cells; ++cell) {
    for (const System& system : side_by_side) {
      follows_.push_back(system.follows[cell]);
    }
  }
  // Lanes with fewer guesses add zeros to the first cell.
  for (std::size_t guess = 0; guess < guess_count; ++guess) {
    for (const System& system : side_by_side) {
      const bool has = guess < system.guesses.size();
      guesses_.push_back(has ? system.guesses[guess] : static_cast<std::uint8_t>(padded(0)));
      left_over_.push_back(has ? system.left_over[guess] : std::uint8_t{0});
    }
  }
  const std::size_t begin = inverse_influences_.size();
  inverse_influences_.resize(begin + guess_count * guess_count * side_by_side.size(), 0.0);
  for (std::size_t lane = 0; lane < side_by_side.size(); ++lane) {
    const std::size_t size = side_by_side[lane].guesses.size();
    const std::vector<double> inverse = side_by_side[lane].inverse_influence();
    for (std::size_t guess = 0; guess < size; ++guess) {
      for (std::size_t equation = 0; equation < size; ++equation) {
        inverse_influences_[begin + (guess * guess_count + equation) * side_by_side.size() + lane] =
            inverse[guess * size + equation];
      }
    }
  }
  const std::size_t numbers =
      std::size_t{evp_cells} * (evp_weights + (whole ? 2 : 3)) + guess_count * guess_count;
  memory_bytes_ += numbers * evp_lanes * sizeof(double);
  operations_ +=
      evp_lanes * static_cast<std::int64_t>(2 * std::size_t{evp_cells} * 2 * evp_weights +
                                            2 * guess_count * guess_count);
}

void BlockEvp::apply(const BlockVector& residual, BlockVector& result) const {
  alignas(64) std::array<double, std::size_t{evp_cells} * evp_lanes> right{};
  alignas(64) std::array<double, std::size_t{evp_cells} * evp_lanes> rest{};
  alignas(64) std::array<double, std::size_t{evp_padded_cells} * evp_lanes> solution{};
  const Square* first = squares_.data();
  for (const Batch& batch : batches_) {
    // Values beyond a block's edge do not matter: they belong to no equation.
    for (std::size_t lane = 0; lane < evp_lanes; ++lane) {
      const Square& square = first[lane];
      for (std::size_t row = 0; row < square.rows; ++row) {
        const double* const from =
            residual.data() + square.at + row * static_cast<std::size_t>(square.row_stride);
        for (std::size_t column = 0; column < square.columns; ++column) {
          right[(row * evp_side + column) * evp_lanes + lane] = from[column];
        }
      }
    }
    solve_evp({.weights = weights_.data() + batch.weights,
               .follows = batch.follows == nowhere ? nullptr : follows_.data() + batch.follows,
               .inverse_influence = inverse_influences_.data() + batch.inverse_influence,
               .guesses = guesses_.data() + batch.guesses,
               .left_over = left_over_.data() + batch.guesses,
               .guess_count = batch.guess_count,
               .right = right.data(),
               .rest = rest.data(),
               .solution = solution.data()});
    for (std::size_t lane = 0; lane < evp_lanes; ++lane) {
      const Square& square = first[lane];
      for (std::size_t row = 0; row < square.rows; ++row) {
        double* const to =
            result.data() + square.at + row * static_cast<std::size_t>(square.row_stride);
        for (std::size_t column = 0; column < square.columns; ++column) {
          to[column] = solution[((row + 1) * evp_stride + column + 1) * evp_lanes + lane];
        }
      }
    }
    first += evp_lanes;
  }
}

}  // namespace halocline::numerics
