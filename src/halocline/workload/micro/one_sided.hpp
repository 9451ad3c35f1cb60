#pragma once

#include <string_view>

#include "halocline/workload/micro/payload.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

enum class Direction { put, get };

/// How the origin learns that what it put or got is complete.
const ChoiceAxis& synchronisation_axis();

/// Each rank of the lower half puts to, or gets from, the one as far into the upper half, all at
/// once; each origin is timed, completion included. Collective.
std::unique_ptr<measure::TimedLoop> one_sided(Direction direction, const AxisValues& values,
                                              const mpi::Communicator& world);

/// The workload of that direction.
template <Direction direction>
Workload one_sided_workload(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .ranks_minimum = 2,
          .ranks_maximum = any_number_of_ranks,
          .ranks_multiple = 2,
          .over_protocols = false,
          .axes = {synchronisation_axis(), message_bytes_axis()},
          .prepare = [](const AxisValues& values, const mpi::Communicator& world) {
            return one_sided(direction, values, world);
          }};
}

}  // namespace halocline::workload
