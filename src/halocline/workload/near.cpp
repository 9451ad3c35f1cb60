#include "halocline/workload/near.hpp"

#include "halocline/mpi/compat/features.hpp"

namespace halocline::workload {

ChoiceAxis near_axis_of(std::string_view preset) {
  return {.name = "near",
          .choices = {"messages", "shared"},
          .defaults = {preset},
          .verified = {"messages"}};
}

bundle::Near near_of(const AxisValues& values, const ChoiceAxis& axis) {
  return values.choice(axis) == "shared" ? bundle::Near::shared : bundle::Near::messages;
}

const ChoiceAxis& halo_near_axis() {
  static const ChoiceAxis axis = near_axis_of("messages");
  return axis;
}

bool sends_nothing(bundle::Near near, const mpi::Communicator& world) {
  return near == bundle::Near::shared && !mpi::simulated && world.node().size() == world.size();
}

void require_first_protocol(const AxisValues& values) {
  if (values.protocol().name != "isend_irecv") {
    throw Skip(
        "all ranks share a node and send no messages, so protocols do not differ; choose "
        "protocol=isend_irecv or near=messages");
  }
}

bundle::Way way_of(const AxisValues& values, const mpi::Communicator& world) {
  const bundle::Near near = near_of(values, halo_near_axis());
  if (sends_nothing(near, world)) {
    require_first_protocol(values);
  }
  return {.protocol = &values.protocol(), .near = near};
}

}  // namespace halocline::workload
