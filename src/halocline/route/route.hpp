#pragma once

#include <cstddef>
#include <vector>

#include "halocline/layout/box.hpp"

namespace halocline::route {

/// One box of indices on its way between this rank and a peer.
struct Leg {
  int peer;
  layout::Box box;
  int part = 0;  // index of the box's block among those that this rank owns
  /// Dimensions whose indices travel in descending order; bit d is dimension d.
  unsigned reversed = 0;
  /// The box has bounds for this many dimensions; along others a field travels whole.
  std::size_t dimensions = layout::max_dimensions;

  friend bool operator==(const Leg&, const Leg&) = default;
};

/// Which index boxes this rank sends and receives. Each rank holds its own part; the k-th box that
/// a rank sends to a peer is the k-th that the peer receives from it.
struct Route {
  std::vector<Leg> sends;
  std::vector<Leg> receives;

  /// The same boxes in the opposite direction.
  Route reversed() const { return {.sends = receives, .receives = sends}; }

  friend bool operator==(const Route&, const Route&) = default;
};

}  // namespace halocline::route
