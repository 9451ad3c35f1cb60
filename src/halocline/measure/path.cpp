#include "halocline/measure/path.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/nodes.hpp"

namespace halocline::measure {
namespace {

// Interface counters may lag by some packets.
constexpr double least_share = 0.95;

/// Whether it lies on other interfaces of the host, as bonds, VLANs and bridges do: these count the
/// same bytes.
bool lies_on_others(const std::filesystem::path& interface) {
  std::error_code none;
  const std::filesystem::directory_iterator entries(interface, none);
  return std::any_of(begin(entries), end(entries), [](const auto& entry) {
    return entry.path().filename().string().starts_with("lower_");
  });
}

bool is_infiniband(const std::filesystem::path& interface) {
  constexpr int infiniband_type = 32;  // ARPHRD_INFINIBAND
  std::ifstream file(interface / "type");
  int type = 0;
  file >> type;
  return type == infiniband_type;
}

/// Ethernet and IP over anything, as the kernel of this network namespace counts it.
std::int64_t network_bytes(const std::filesystem::path& root, bool without_infiniband) {
  constexpr int received_columns = 8;  // before the first sent column
  std::ifstream table(root / "proc/self/net/dev");
  std::int64_t sum = 0;
  for (std::string line; std::getline(table, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) {
      continue;
    }
    const auto first = line.find_first_not_of(' ');
    const std::string name = line.substr(first, colon - first);
    const std::filesystem::path interface = root / "sys/class/net" / name;
    if (name == "lo" || lies_on_others(interface) ||
        (without_infiniband && is_infiniband(interface))) {
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

/// What InfiniBand and Omni-Path adapters sent, bypassing the kernel; nothing where none says so.
std::optional<std::int64_t> fabric_bytes(const std::filesystem::path& root) {
  constexpr std::int64_t bytes_per_count = 4;  // the counters count words
  const std::filesystem::path adapters = root / "sys/class/infiniband";
  std::optional<std::int64_t> sum;
  std::error_code none;
  for (const auto& adapter : std::filesystem::directory_iterator(adapters, none)) {
    for (const auto& port : std::filesystem::directory_iterator(adapter.path() / "ports", none)) {
      std::ifstream counter(port.path() / "counters" / "port_xmit_data");
      std::int64_t count = 0;
      if (counter >> count) {
        sum = sum.value_or(0) + count * bytes_per_count;
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

std::int64_t sent_bytes(const std::filesystem::path& root) {
  const std::optional<std::int64_t> fabric = fabric_bytes(root);
  return network_bytes(root, fabric.has_value()) + fabric.value_or(0);
}

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
