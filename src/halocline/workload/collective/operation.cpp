#include "halocline/workload/collective/operation.hpp"

#include <algorithm>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"

namespace halocline::workload {
namespace {

constexpr std::size_t most_buffer_bytes = gibibyte;

std::vector<std::vector<int>> members_of(const Task& task) {
  std::vector<std::vector<int>> members(task.nodes());
  for (int rank = 0; rank < task.world.size(); ++rank) {
    const int node = task.node_of_rank[static_cast<std::size_t>(rank)];
    members[static_cast<std::size_t>(node)].push_back(rank);
  }
  return members;
}

std::size_t own_node(const Task& task) {
  return static_cast<std::size_t>(task.node_of_rank[static_cast<std::size_t>(task.world.rank())]);
}

}  // namespace

std::size_t Task::nodes() const {
  return static_cast<std::size_t>(*std::ranges::max_element(node_of_rank)) + 1;
}

bool Task::leads() const {
  const auto own = node_of_rank.begin() + world.rank();
  return std::find(node_of_rank.begin(), own, *own) == own;
}

std::size_t Task::most_members() const {
  std::size_t most = 0;
  for (const std::vector<int>& members : members_of(*this)) {
    most = std::max(most, members.size());
  }
  return most;
}

std::size_t Task::buffer_bytes(std::size_t blocks) const {
  if (size_bytes > most_buffer_bytes / std::max<std::size_t>(blocks, 1)) {
    throw Skip("a buffer of " + std::to_string(blocks) + " blocks of " +
               std::to_string(size_bytes) + " bytes; allowed: up to " +
               std::to_string(most_buffer_bytes) + " bytes in all; choose fewer bytes or ranks");
  }
  return blocks * size_bytes;
}

mpi::Collectives Levels::leaders() const {
  if (!leaders_) {
    throw Error("a rank that does not lead its node is not among the leaders; ask leads() first");
  }
  return mpi::Collectives(*leaders_);
}

Levels::Levels(const Task& task)
    : own_node_(own_node(task)),
      members_(members_of(task)),
      node_(task.world.part(static_cast<int>(own_node_))),
      leaders_(task.world.split(task.leads() ? 0 : -1)) {}

}  // namespace halocline::workload
