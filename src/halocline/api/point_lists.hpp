#pragma once

#include <cstdint>

#include "halocline/api/halocline.h"
#include "halocline/layout/box.hpp"

namespace halocline::api {

/// The arguments of halocline_layout_create_points.
struct PointList {
  int64_t count;
  const int64_t* numbers;
  int further;
  const int64_t* lower;
  const int64_t* upper;
};

/// Creates the layout; messages about it count points from `messages_from`: in Fortran 1. Throws
/// Error.
void create_points(const PointList& list, layout::Index messages_from, halocline_layout* layout);

}  // namespace halocline::api
