#include "halocline/workload/collective/loop.hpp"

#include "halocline/base/units.hpp"

namespace halocline::workload {
namespace {

std::vector<std::int64_t> default_contributions() {
  std::vector<std::int64_t> contributions;
  for (std::size_t bytes = 8; bytes <= mebibyte; bytes *= 2) {
    contributions.push_back(static_cast<std::int64_t>(bytes));
  }
  return contributions;
}

}  // namespace

const IntegerAxis& contribution_bytes_axis() {
  static const IntegerAxis axis{
      .name = "bytes",
      .unit = "B",
      .low = 0,
      .high = static_cast<std::int64_t>(gibibyte),
      .defaults = default_contributions(),
  };
  return axis;
}

const ChoiceAxis& timing_axis() {
  static const ChoiceAxis axis{
      .name = "timing",
      .choices = {"synchronised", "back_to_back", "imb"},
      .defaults = {"synchronised"},
  };
  return axis;
}

const ChoiceAxis& structure_axis() {
  static const ChoiceAxis axis{
      .name = "structure",
      .choices = {"flat", "two_level"},
      .defaults = {"flat"},
  };
  return axis;
}

Timing timing_of(const AxisValues& values) {
  const std::string_view word = values.choice(timing_axis());
  if (word == "synchronised") {
    return Timing::synchronised;
  }
  return word == "imb" ? Timing::imb : Timing::back_to_back;
}

bool has_two_levels(const AxisValues& values) {
  return values.choice(structure_axis()) == "two_level";
}

}  // namespace halocline::workload
