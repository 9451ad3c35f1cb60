#include "halocline/mpi/nodes.hpp"

#include <algorithm>

namespace halocline::mpi {

std::vector<int> node_of_rank(const Communicator& communicator) {
  const auto lowest =
      static_cast<int>(communicator.node().broadcast(std::int64_t{communicator.rank()}));
  std::vector<int> nodes = communicator.all_gather(lowest);
  std::vector<int> lowest_ranks = nodes;
  std::ranges::sort(lowest_ranks);
  const auto repeated = std::ranges::unique(lowest_ranks);
  lowest_ranks.erase(repeated.begin(), repeated.end());
  for (int& node : nodes) {
    node = static_cast<int>(std::ranges::lower_bound(lowest_ranks, node) - lowest_ranks.begin());
  }
  return nodes;
}

}  // namespace halocline::mpi
