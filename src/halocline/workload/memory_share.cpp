#include "halocline/workload/memory_share.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdint>

#include "halocline/base/announce.hpp"
#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::workload {

void require_memory(const std::string& what, double own_bytes, int percent_allowed,
                    const std::string& remedy, const mpi::Communicator& world) {
  const auto own = static_cast<std::uint64_t>(std::ceil(own_bytes));
  const auto needed = static_cast<double>(mpi::simulated ? world.sum(own) : world.node().sum(own));
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const std::int64_t most_bytes = world.maximum(static_cast<std::int64_t>(std::ceil(needed)));
  const std::int64_t percent =
      world.maximum(static_cast<std::int64_t>(std::ceil(100 * needed / there)));
  if (percent > percent_allowed) {
    const auto gibibytes = static_cast<std::int64_t>(
        std::ceil(static_cast<double>(most_bytes) / static_cast<double>(gibibyte)));
    throw Skip(what + " takes " + std::to_string(gibibytes) + " GiB of a node, " +
               std::to_string(percent) + " % of its memory; allowed: up to " +
               std::to_string(percent_allowed) + " %; choose " + remedy);
  }
  if (world.rank() == 0) {
    announce("memory bytes=" + std::to_string(most_bytes) + " percent=" + std::to_string(percent));
  }
}

}  // namespace halocline::workload
