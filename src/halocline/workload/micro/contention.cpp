#include "halocline/workload/micro/simultaneous.hpp"
#include "halocline/workload/micro/topology.hpp"

namespace halocline::workload {

extern const Workload contention;

namespace {

const IntegerAxis& stride_axis() {
  static const IntegerAxis axis{
      .name = "stride", .unit = "ranks", .low = 1, .high = any_number_of_ranks, .defaults = {1}};
  return axis;
}

}  // namespace

const Workload contention{
    .name = "contention",
    .summary = "simultaneous pairs, a stride apart along a direction of the ranks; pairs=0: all",
    .ranks_minimum = 2,
    .ranks_maximum = any_number_of_ranks,
    .axes = {pattern_axis(), pairs_axis(), stride_axis(), direction_axis(), ranks_along_y_axis(1),
             ranks_along_z_axis(), message_bytes_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      const auto stride = static_cast<int>(values.integer(stride_axis()));
      const layout::RankGrid grid = grid_of(values, communicator.size());
      const std::vector<route::Pair> pairs = route::along(grid, direction_of(values), stride);
      if (pairs.empty()) {
        throw Skip("no two ranks are " + std::to_string(stride) + " apart along " +
                   direction_text(values, grid) + "; choose a smaller stride or another direction");
      }
      return simultaneous(values, chosen(values, pairs), communicator);
    },
};

}  // namespace halocline::workload
