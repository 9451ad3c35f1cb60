#include "halocline/measure/path.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/nodes.hpp"

namespace halocline::measure {
namespace {

// Interface counters may lag by some packets.
constexpr double least_share = 0.95;

/// Ethernet and IP over anything, as the kernel of this network namespace counts it.
std::int64_t network_bytes() {
  constexpr int received_columns = 8;  // before the first sent column
  std::ifstream table("/proc/self/net/dev");
  std::int64_t sum = 0;
  for (std::string line; std::getline(table, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, colon).ends_with("lo")) {
      continue;
    }
    std::istringstream columns(line.substr(colon + 1));
    std::int64_t number = 0;
    for (int column = 0; column <= received_columns; ++column) {
      columns >> number;
    }
    sum += number;
  }
  return sum;
}

/// What InfiniBand and Omni-Path adapters sent, bypassing the kernel.
std::int64_t fabric_bytes() {
  constexpr std::int64_t bytes_per_count = 4;  // the counters count words
  const std::filesystem::path adapters("/sys/class/infiniband");
  std::int64_t sum = 0;
  std::error_code none;
  for (const auto& adapter : std::filesystem::directory_iterator(adapters, none)) {
    for (const auto& port : std::filesystem::directory_iterator(adapter.path() / "ports", none)) {
      std::ifstream counter(port.path() / "counters" / "port_xmit_data");
      std::int64_t count = 0;
      if (counter >> count) {
        sum += count * bytes_per_count;
      }
    }
  }
  return sum;
}

bool is_lowest_on_node(int rank, const std::vector<int>& node_of_rank) {
  const auto own = node_of_rank.begin() + rank;
  return std::find(node_of_rank.begin(), own, *own) == own;
}

}  // namespace

std::int64_t sent_bytes() { return network_bytes() + fabric_bytes(); }

std::string wrong_path(const Path& path) {
  if (static_cast<double>(path.wire_bytes) >=
      least_share * static_cast<double>(path.payload_bytes)) {
    return "";
  }
  return std::to_string(path.wire_bytes) + " of " + std::to_string(path.payload_bytes) +
         " payload bytes between " + std::to_string(path.nodes) +
         " nodes crossed their interfaces: the library took another way, perhaps memory that the "
         "nodes share; choose its network transport, or accept it with path = \"recorded\"";
}

PathMeter::PathMeter(const mpi::Communicator& world)
    : world_(world),
      node_of_rank_(mpi::node_of_rank(world)),
      counts_(!mpi::simulated && is_lowest_on_node(world.rank(), node_of_rank_)) {}

void PathMeter::begin() {
  if (counts_) {
    sent_before_ = sent_bytes();
  }
}

Path PathMeter::end(std::size_t payload_bytes) const {
  const std::int64_t sent = counts_ ? sent_bytes() - sent_before_ : 0;
  const std::array<double, 2> own{static_cast<double>(payload_bytes), static_cast<double>(sent)};
  const std::vector<double> all = world_.gather(own);
  Path path;
  path.nodes = *std::ranges::max_element(node_of_rank_) + 1;
  for (std::size_t index = 0; index < all.size(); index += own.size()) {
    path.payload_bytes += static_cast<std::int64_t>(all[index]);
    path.wire_bytes += static_cast<std::int64_t>(all[index + 1]);
  }
  return path;
}

}  // namespace halocline::measure
