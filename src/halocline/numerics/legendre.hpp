#pragma once

#include <span>
#include <vector>

#include "halocline/numerics/array.hpp"
#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {

/// sqrt((n² − m²) / (4n² − 1)), the recurrence coefficient of normalised functions.
double legendre_epsilon(int degree, int order);

/// Associated Legendre functions P(n, m) for m ≤ n ≤ last_degree at one latitude, normalised to
/// ∫P² dμ = 1 over −1 ≤ μ ≤ 1. Uses the recurrence in n, whose seed has the range of extended
/// precision: anything below that is negligible at truncations up to 340.
std::vector<double> legendre_functions(int order, int last_degree, double sine_of_latitude);

/// Steps of the recurrence behind legendre_functions(), one for each degree from the order on.
std::vector<RecurrenceStep> recurrence_steps(int order, int last_degree);

/// Coefficients held by a rank: all degrees m ≤ n ≤ T+1 of these orders m, in this sequence, one
/// row each. Degree T+1 serves winds and derivatives only.
class SpectralRows {
 public:
  SpectralRows(int truncation, std::vector<int> orders);

  int truncation() const { return truncation_; }
  const std::vector<int>& orders() const { return orders_; }
  /// Row of degree m, for the order at this position.
  int first(std::size_t position) const { return first_[position]; }
  int degrees(std::size_t position) const { return truncation_ + 2 - orders_[position]; }
  int count() const { return first_.back(); }

 private:
  int truncation_;
  std::vector<int> orders_;
  std::vector<int> first_;
};

/// Sums over degrees and over latitudes, for a batch of columns side by side in each row. Fourier
/// coefficients are [pair of latitudes][order][even, odd][column].
///
/// The functions of an order are computed just before its sums, as at high truncations a table of
/// all orders exceeds the caches (decision 70). Those that nowhere exceed 1e-16 at a latitude are 0
/// there: no time is spent on them towards the poles.
template <class Real>
class LegendreSums {
 public:
  /// For `pairs` pairs of latitudes from `first_pair` on. Rows must outlive it.
  LegendreSums(const SpectralGrid& grid, const SpectralRows& rows, int first_pair, int pairs,
               Pages pages);

  /// From [row][column] to Fourier coefficients. Coefficients whose functions are all 0 are not
  /// written, and must be 0.
  void synthesise(std::span<const Real> spectral, std::span<Real> fourier, int columns);
  /// The reverse. The Fourier coefficients already include the quadrature weights. Pairs are summed
  /// in a power of two of blocks, of `pairs_in_block` pairs each, and neighbouring sums added in a
  /// binary tree: the bits are those of ranks that have some of the blocks each and add in the same
  /// tree. Throws Error if the blocks are no power of two. `packed` is workspace of packed_length()
  /// numbers.
  void analyse(std::span<const Real> fourier, std::span<Real> spectral, int columns,
               int pairs_in_block, std::span<Real> packed);
  std::size_t packed_length(int columns) const;
  int pairs() const { return pairs_; }
  /// Number of orders that matter at a pair, counted from the first to the last that does.
  int orders_that_count(int pair) const;

  /// Floating-point operations of either direction for one column; those for the functions, which
  /// serve all columns, are not counted.
  std::int64_t operations() const;

 private:
  struct Block {  // functions of an order and parity: [panel][degree][pair]
    std::size_t offset;
    int degrees;

    std::ptrdiff_t panel_step() const { return std::ptrdiff_t{degrees} * pairs_in_panel; }
  };
  Block block(std::size_t position, int parity) const;
  void compute_functions(std::size_t position);
  void sum_in_order(std::size_t position, int pairs_in_block, std::span<const Real> fourier,
                    std::span<Real> sums, int columns, std::span<Real> packed);
  void sum_pairs(std::size_t position, int begin, int pairs, std::span<const Real> fourier,
                 std::span<Real> sums, int columns, std::span<Real> packed);
  int padded_pairs() const {
    return (pairs_ + pairs_in_panel - 1) / pairs_in_panel * pairs_in_panel;
  }

  const SpectralRows& rows_;
  int pairs_;
  std::vector<int> first_pair_;        // first pair at which the order at this position matters
  std::vector<RecurrenceStep> steps_;  // of each row
  Array<double> sines_;                // of latitude, padded
  Array<double> seeds_;                // [order][pair], padded
  Array<Real> functions_;              // of one order, even ones first
  std::vector<std::vector<Real>> partial_sums_;  // of one order
};

extern template class LegendreSums<float>;
extern template class LegendreSums<double>;

}  // namespace halocline::numerics
