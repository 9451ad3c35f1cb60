#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halocline/bundle/redistribution.hpp"
#include "halocline/layout/box.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::coupling {

/// Fields of points that go from the ranks that have them to those that need them.
class Link {
 public:
  /// Collective; each rank passes the numbers of its points at either end. All points of one end
  /// are also points of the other.
  Link(std::span<const layout::Index> from, std::span<const layout::Index> to, std::size_t fields,
       const bundle::Way& way, const mpi::Communicator& ranks);
  ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// One number per point, in the order of the points' numbers.
  std::span<double> outgoing(std::size_t field) { return part(outgoing_, field); }
  std::span<double> incoming(std::size_t field) { return part(incoming_, field); }
  /// All fields, one after the other.
  std::vector<double>& outgoing() { return outgoing_; }
  std::vector<double>& incoming() { return incoming_; }

  /// Collective.
  void carry() {
    redistribution_.start();
    redistribution_.finish();
  }

  std::size_t sent_bytes() const { return redistribution_.sent_bytes(); }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const {
    return redistribution_.off_node_bytes(node_of_rank);
  }

 private:
  std::span<double> part(std::vector<double>& fields, std::size_t field) const {
    const std::size_t points = fields.size() / fields_;
    return std::span(fields).subspan(field * points, points);
  }

  std::size_t fields_;
  std::vector<double> outgoing_;
  std::vector<double> incoming_;
  bundle::Redistribution redistribution_;
};

}  // namespace halocline::coupling
