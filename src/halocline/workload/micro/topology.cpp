#include "halocline/workload/micro/topology.hpp"

namespace halocline::workload {
namespace {

IntegerAxis ranks_along(std::string_view name) {
  return {.name = name, .unit = "ranks", .low = 1, .high = any_number_of_ranks, .defaults = {1}};
}

}  // namespace

const IntegerAxis& ranks_along_y_axis() {
  static const IntegerAxis axis = ranks_along("grid_y");
  return axis;
}

const IntegerAxis& ranks_along_z_axis() {
  static const IntegerAxis axis = ranks_along("grid_z");
  return axis;
}

const ChoiceAxis& direction_axis() {
  static const ChoiceAxis axis{.name = "direction", .choices = {"x", "y", "z"}, .defaults = {"x"}};
  return axis;
}

layout::RankGrid grid_of(const AxisValues& values, int ranks) {
  const std::int64_t along_y = values.integer(ranks_along_y_axis());
  const std::int64_t along_z = values.integer(ranks_along_z_axis());
  if (ranks % (along_y * along_z) != 0) {
    throw Skip(std::to_string(ranks) + " ranks do not fill a grid of " + std::to_string(along_y) +
               " along y and " + std::to_string(along_z) +
               " along z; choose grid_y and grid_z whose product divides the number of ranks");
  }
  return {{ranks / static_cast<int>(along_y * along_z), static_cast<int>(along_y),
           static_cast<int>(along_z), 1}};
}

std::size_t direction_of(const AxisValues& values) {
  return static_cast<std::size_t>(values.choice(direction_axis()).front() - 'x');
}

std::string text_of(const layout::RankGrid& grid) {
  return std::to_string(grid.extent[0]) + " × " + std::to_string(grid.extent[1]) + " × " +
         std::to_string(grid.extent[2]) + " ranks";
}

}  // namespace halocline::workload
