#include "halocline/workload/memory_share.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>

#include "halocline/base/announce.hpp"
#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::workload {

namespace {

constexpr int percent_for_buffers = 75;
/// Of all ranks together: any node has them.
constexpr std::size_t unchecked_bytes = 64 * mebibyte;

std::string in_gibibytes(std::int64_t bytes) {
  return std::to_string((bytes + static_cast<std::int64_t>(gibibyte) - 1) /
                        static_cast<std::int64_t>(gibibyte)) +
         " GiB";
}

/// Of this node, without what other programs hold; all of it where the kernel does not say.
double available_bytes(double all_bytes) {
  std::ifstream table{"/proc/meminfo"};
  for (std::string name; table >> name;) {
    if (double kibibytes = 0; name == "MemAvailable:" && table >> kibibytes) {
      return kibibytes * static_cast<double>(kibibyte);
    }
    table.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return all_bytes;
}

}  // namespace

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
    throw Skip(what + " takes " + in_gibibytes(most_bytes) + " of a node, " +
               std::to_string(percent) + " % of its memory; allowed: up to " +
               std::to_string(percent_allowed) + " %; choose " + remedy);
  }
  const auto lacking =
      world.maximum(static_cast<std::int64_t>(std::ceil(needed - available_bytes(there))));
  if (lacking > 0) {
    throw Skip(what + " takes " + in_gibibytes(most_bytes) + " of a node, " +
               in_gibibytes(lacking) +
               " more than other programs or sides of the comparison leave; end them, `halocline "
               "run` each side and compare the runs, or choose " +
               remedy);
  }
  if (world.rank() == 0) {
    announce("memory bytes=" + std::to_string(most_bytes) + " percent=" + std::to_string(percent));
  }
}

void require_buffers(const std::string& what, const Buffers& buffers, const std::string& remedy,
                     const mpi::Communicator& world) {
  if (buffers.most_bytes * static_cast<std::size_t>(world.size()) > unchecked_bytes) {
    require_memory(what, static_cast<double>(buffers.own_bytes), percent_for_buffers, remedy,
                   world);
  }
}

}  // namespace halocline::workload
