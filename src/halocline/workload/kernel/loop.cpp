#include "halocline/workload/kernel/loop.hpp"

#include <algorithm>

#include "halocline/base/units.hpp"
#include "halocline/numerics/streams.hpp"
#include "halocline/workload/memory_share.hpp"

namespace halocline::workload {
namespace {

constexpr std::size_t shortest_bytes = 64;  // streaming stores write as many
constexpr int percent_for_arrays = 75;

std::vector<std::int64_t> default_array_bytes() {
  std::vector<std::int64_t> lengths;
  for (std::size_t length = kibibyte; length <= 64 * mebibyte; length *= 4) {
    lengths.push_back(static_cast<std::int64_t>(length));
  }
  return lengths;
}

}  // namespace

const ChoiceAxis& active_axis() {
  static const ChoiceAxis axis{
      .name = "active", .choices = {"one", "all"}, .defaults = {"one", "all"}};
  return axis;
}

const IntegerAxis& array_bytes_axis() {
  static const IntegerAxis axis{
      .name = "bytes",
      .unit = "B",
      .low = 8,
      .high = static_cast<std::int64_t>(4 * gibibyte),
      .defaults = default_array_bytes(),
  };
  return axis;
}

const ChoiceAxis& stores_axis() {
  static const ChoiceAxis axis{
      .name = "stores", .choices = {"plain", "streaming"}, .defaults = {"plain"}};
  return axis;
}

void require_real_machine() {
  if (mpi::simulated) {
    throw Skip(
        "a simulated machine moves messages, but neither computes nor has memory; choose a "
        "real one");
  }
}

void require_stores(bool streaming, std::size_t array_bytes) {
  if (array_bytes % sizeof(double) != 0) {
    throw Skip("arrays of " + std::to_string(array_bytes) +
               " bytes hold no whole number of doubles; choose a multiple of 8 bytes");
  }
  if (streaming && !numerics::has_streaming_stores()) {
    throw Skip("streaming stores are implemented for x86_64 only; choose stores=plain");
  }
  if (streaming && array_bytes % numerics::streaming_bytes != 0) {
    throw Skip("streaming stores write " + std::to_string(numerics::streaming_bytes) +
               " bytes each; choose a multiple of that, or stores=plain");
  }
}

bool computes(bool all_active, const mpi::Communicator& world) {
  return all_active || world.rank() == 0;
}

void require_arrays(int arrays, std::size_t array_bytes, bool all_active,
                    const mpi::Communicator& world) {
  const double own_bytes = computes(all_active, world)
                               ? static_cast<double>(arrays) * static_cast<double>(array_bytes)
                               : 0;
  require_memory(std::to_string(arrays) + " arrays of " + std::to_string(array_bytes) + " bytes",
                 own_bytes, percent_for_arrays, "shorter ones, active=one or fewer ranks", world);
}

std::size_t own_array_bytes(std::size_t array_bytes, int arrays, bool all_active,
                            const mpi::Communicator& world) {
  require_arrays(arrays, array_bytes, all_active, world);
  return computes(all_active, world) ? array_bytes : std::min(array_bytes, shortest_bytes);
}

}  // namespace halocline::workload
