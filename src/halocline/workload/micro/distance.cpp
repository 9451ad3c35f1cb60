#include "halocline/workload/micro/simultaneous.hpp"
#include "halocline/workload/micro/topology.hpp"

namespace halocline::workload {

extern const Workload distance;

namespace {

const IntegerAxis& from_axis() {
  static const IntegerAxis axis{
      .name = "from", .unit = "", .low = 0, .high = any_number_of_ranks, .defaults = {0}};
  return axis;
}

const IntegerAxis& distance_axis() {
  static const IntegerAxis axis{
      .name = "distance", .unit = "ranks", .low = 1, .high = any_number_of_ranks, .defaults = {1}};
  return axis;
}

/// Throws Skip if no rank is that far away.
route::Pair pair_of(const AxisValues& values, int ranks) {
  const layout::RankGrid grid = grid_of(values, ranks);
  const std::size_t direction = direction_of(values);
  const std::int64_t from = values.integer(from_axis());
  const std::int64_t steps = values.integer(distance_axis());
  if (from >= ranks) {
    throw Skip("rank " + std::to_string(from) + " does not exist among " + std::to_string(ranks) +
               "; choose from=0 to from=" + std::to_string(ranks - 1));
  }
  const auto first = static_cast<int>(from);
  const int room = grid.extent[direction] - 1 - grid.place(first)[direction];
  if (steps > room) {
    throw Skip("no rank is at distance " + std::to_string(steps) + " from rank " +
               std::to_string(from) + " along " + direction_text(values, grid) +
               "; the farthest is " + std::to_string(room) + " away");
  }
  return {.first = first, .second = grid.neighbour(first, direction, static_cast<int>(steps))};
}

}  // namespace

const Workload distance{
    .name = "distance",
    .summary = "one pair, a distance apart along a direction of the ranks; the others are idle",
    .ranks_minimum = 2,
    .ranks_maximum = any_number_of_ranks,
    .axes = {pattern_axis(), from_axis(), distance_axis(), direction_axis(), ranks_along_y_axis(1),
             ranks_along_z_axis(), message_bytes_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      return simultaneous(values, {pair_of(values, communicator.size())}, communicator);
    },
};

}  // namespace halocline::workload
