#include "halocline/workload/kernel/loop.hpp"

#include "halocline/base/units.hpp"
#include "halocline/numerics/streams.hpp"

namespace halocline::workload {
namespace {

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

}  // namespace halocline::workload
