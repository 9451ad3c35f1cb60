#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::route {

/// Totals of all ranks' routes in indices. For fields, multiply by the bytes of an element.
struct Description {
  int ranks;
  std::int64_t peers_maximum;       // other ranks that one rank sends to or receives from
  std::int64_t messages;            // from one rank to another, all boxes in one
  std::int64_t boxes;               // including those that stay on their rank
  std::int64_t indices;             // that arrive somewhere
  std::int64_t indices_moved;       // the part that changes rank
  std::int64_t rank_moved_maximum;  // sent or received by the busiest rank, the larger of both
  std::int64_t rank_moved_total;    // the same, of all ranks

  /// What the busiest rank sends or receives, relative to the average. 1: perfectly balanced.
  double imbalance() const;
  /// In a few lines, for fields with elements of this many bytes.
  std::string text(std::size_t element_bytes) const;
};

/// Collective: the same on all ranks.
Description describe(const Route& route, const mpi::Communicator& communicator);

}  // namespace halocline::route
