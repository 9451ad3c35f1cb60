#pragma once

#include "halocline/route/route.hpp"

namespace halocline::route {

/// The part of `rank` in a route that carries `box` from rank `source` to rank `destination`.
Route one_way(int rank, int source, int destination, const layout::Box& box);

/// The part of `rank` in a route on which the two ranks swap `box`.
Route both_ways(int rank, int one, int other, const layout::Box& box);

}  // namespace halocline::route
