#include "halocline/mpi/collectives.hpp"

#include <numeric>
#include <utility>

namespace halocline::mpi {

Blocks Blocks::of(std::vector<int> counts) {
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  return {.counts = std::move(counts), .offsets = std::move(offsets)};
}

std::size_t Blocks::total() const {
  return counts.empty() ? 0 : static_cast<std::size_t>(offsets.back() + counts.back());
}

}  // namespace halocline::mpi
