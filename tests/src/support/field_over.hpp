#pragma once

#include <vector>

#include "halocline/bundle/field.hpp"

namespace halocline::test {

/// The field of the values in memory order, on the box.
inline bundle::Field field_over(std::vector<double>& values, const layout::Box& extent) {
  return {.data = reinterpret_cast<std::byte*>(values.data()),
          .element_bytes = sizeof(double),
          .extent = extent,
          .stride_bytes = {}};
}

}  // namespace halocline::test
