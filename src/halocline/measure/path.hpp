#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "halocline/mpi/communicator.hpp"

namespace halocline::measure {

/// Which way a case's payload took: bytes over the nodes' interfaces, compared with the minimum.
struct Path {
  int nodes = 1;
  std::int64_t payload_bytes = 0;  // that certainly went from node to node
  std::int64_t wire_bytes = 0;     // that the nodes' interfaces sent, headers included
};

/// Why the payload cannot have gone over the interfaces; empty when it may have.
std::string wrong_path(const Path& path);

/// Counts what the nodes send on all interfaces except loopback, InfiniBand included: sent_bytes().
class PathMeter {
 public:
  /// Collective.
  explicit PathMeter(const mpi::Communicator& world);

  /// The node of each rank, counted from 0 in the order of their lowest ranks.
  const std::vector<int>& node_of_rank() const { return node_of_rank_; }

  /// Local: starts counting.
  void begin();

  /// Collective: what was sent since begin(); `payload_bytes` is this rank's share. Complete on
  /// rank 0 only.
  Path end(std::size_t payload_bytes) const;

 private:
  const mpi::Communicator& world_;
  std::vector<int> node_of_rank_;
  bool counts_;  // the lowest rank of each node
  std::int64_t sent_before_ = 0;
};

/// Bytes that this node's interfaces have sent so far, each counted where it leaves the node: not
/// also by a bond, VLAN or bridge above. `root` has the files of the kernel.
std::int64_t sent_bytes(const std::filesystem::path& root = "/");

}  // namespace halocline::measure
