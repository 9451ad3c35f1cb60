#include "halocline/workload/near.hpp"

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

}  // namespace halocline::workload
