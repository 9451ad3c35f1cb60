#pragma once

#include <string>
#include <vector>

#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::numerics {

/// How ranks that share longitudes or orders sum over latitudes: each all latitudes of some orders,
/// or each some latitudes of all orders, added up over the ranks.
enum class LegendreWay { transpose, halving, ring, allreduce };

/// How transforms are shared among P × Q ranks; rank qP + p has block p of the longitudes and block
/// q of the latitudes.
struct SphereWay {
  int along_longitude = 1;  // P
  int along_latitude = 1;   // Q
  LegendreWay legendre = LegendreWay::transpose;
  /// Sums over latitudes in one order, whatever the number of ranks: the same bits.
  bool reproducible = false;
  const protocol::Protocol* protocol = nullptr;  // of the transposes
};

/// From `begin` on, `count` things.
struct Block {
  int begin;
  int count;
};

/// The part `index` of `total` things in `parts` blocks that differ by one at most.
Block block_of(int total, int parts, int index);

/// What each rank has of grid, Fourier coefficients and spectral coefficients. Pure arithmetic.
class SphereSharing {
 public:
  /// `groups`: level groups, of which a rank has whole ones. Throws Skip when there are too many
  /// ranks for the way, or the wrong number.
  SphereSharing(const SpectralGrid& grid, int groups, const SphereWay& way);

  int rank(int p, int q) const { return q * way_.along_longitude + p; }

  Block pairs(int q) const;
  Block longitudes(int p) const;
  /// The level groups whose Fourier coefficients ranks at p have.
  Block groups(int p) const;
  /// The orders of these coefficients, all of them, in an order in which each rank's spectral
  /// orders lie side by side.
  const std::vector<int>& fourier_orders() const { return orders_; }
  /// The block of fourier_orders() whose spectral coefficients a rank has.
  Block spectral_orders(int q) const;
  /// Pairs of latitudes whose sums are formed first in the reproducible order; a power of two many.
  int sum_blocks() const;

 private:
  void require_fit() const;

  const SpectralGrid& grid_;
  int groups_;
  SphereWay way_;
  std::vector<int> orders_;
  std::vector<Block> spectral_;  // of q
};

}  // namespace halocline::numerics
