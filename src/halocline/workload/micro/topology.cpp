#include "halocline/workload/micro/topology.hpp"

namespace halocline::workload {

IntegerAxis ranks_along_y_axis(std::int64_t preset) {
  return {.name = "grid_y",
          .unit = "ranks",
          .low = 0,
          .high = any_number_of_ranks,
          .defaults = {preset}};
}

const IntegerAxis& ranks_along_z_axis() {
  static const IntegerAxis axis{
      .name = "grid_z", .unit = "ranks", .low = 1, .high = any_number_of_ranks, .defaults = {1}};
  return axis;
}

const ChoiceAxis& direction_axis() {
  static const ChoiceAxis axis{.name = "direction", .choices = {"x", "y", "z"}, .defaults = {"x"}};
  return axis;
}

layout::RankGrid grid_of(int ranks, std::int64_t along_y, std::int64_t along_z) {
  if (ranks % (std::max<std::int64_t>(along_y, 1) * along_z) != 0) {
    throw Skip(std::to_string(ranks) + " ranks do not fill a grid of " + std::to_string(along_y) +
               " along y and " + std::to_string(along_z) +
               " along z; choose extents whose product divides the number of ranks");
  }
  const auto z = static_cast<int>(along_z);
  if (along_y == 0) {
    layout::RankGrid grid = layout::near_square(ranks / z);
    grid.extent[2] = z;
    return grid;
  }
  const auto y = static_cast<int>(along_y);
  return {{ranks / (y * z), y, z, 1}};
}

layout::RankGrid grid_of(const AxisValues& values, int ranks) {
  return grid_of(ranks, values.integer(ranks_along_y_axis(1)),
                 values.integer(ranks_along_z_axis()));
}

std::size_t direction_of(const AxisValues& values) {
  return static_cast<std::size_t>(values.choice(direction_axis()).front() - 'x');
}

std::string direction_text(const AxisValues& values, const layout::RankGrid& grid) {
  return std::string{values.choice(direction_axis())} + " of " + std::to_string(grid.extent[0]) +
         " × " + std::to_string(grid.extent[1]) + " × " + std::to_string(grid.extent[2]) + " ranks";
}

}  // namespace halocline::workload
