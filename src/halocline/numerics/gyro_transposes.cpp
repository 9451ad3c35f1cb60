#include "halocline/numerics/gyro_transposes.hpp"

namespace halocline::numerics {
namespace {

using layout::Box;
using layout::Index;

bundle::Blocks one_field(GyroArray array, const Box& extent) {
  return {{{.data = std::as_writable_bytes(array).data(),
            .element_bytes = sizeof(std::complex<double>),
            .extent = extent}}};
}

Box column_extent(const GyroSharing& sharing) {
  return Box::line(sharing.grid().radii)
      .with(1, 0, sharing.lines_each())
      .with(2, 0, sharing.grid().modes);
}

/// Extent of a rank's own pairs: points, its place, its pairs.
Box some_extent(const GyroSharing& sharing) {
  return Box::line(sharing.grid().points()).with(2, 0, sharing.pairs());
}

/// Extent of all pairs, dealt round robin to the places: points, places, pairs of a place.
Box all_extent(const GyroSharing& sharing) {
  const layout::Interval points = sharing.points(sharing.place());
  return Box{}
      .with(0, points.lower, points.upper)
      .with(1, 0, sharing.row_ranks())
      .with(2, 0, sharing.pairs());
}

route::Route row_route(const GyroSharing& sharing) {
  route::Route route;
  const bool receives = sharing.points(sharing.place()).length() > 0;
  for (int place = 0; place < sharing.row_ranks(); ++place) {
    if (const auto points = sharing.points(place); points.length() > 0) {
      route.sends.push_back(
          {.peer = place, .box = some_extent(sharing).with(0, points.lower, points.upper)});
    }
    if (receives) {
      route.receives.push_back(
          {.peer = place, .box = all_extent(sharing).with(1, place, place + 1)});
    }
  }
  return route;
}

}  // namespace

bundle::Redistribution between_modes(const GyroPlace& place, GyroLines lines, GyroArray from,
                                     GyroArray to) {
  const Box extent = column_extent(place.sharing);
  route::Route route;
  for (int peer = 0; peer < place.column.size(); ++peer) {
    const Box box = extent.with(1, lines.lower, lines.upper).with(2, peer, peer + 1);
    route.sends.push_back({.peer = peer, .box = box});
    route.receives.push_back({.peer = peer, .box = box});
  }
  return {route,       one_field(from, extent), one_field(to, extent), place.way, place.column,
          place.memory};
}

bundle::Redistribution to_all_pairs(const GyroPlace& place, GyroArray some, GyroArray all) {
  return {row_route(place.sharing),
          one_field(some, some_extent(place.sharing)),
          one_field(all, all_extent(place.sharing)),
          place.way,
          place.row,
          place.memory};
}

bundle::Redistribution to_own_pairs(const GyroPlace& place, GyroArray all, GyroArray some) {
  return {row_route(place.sharing).reversed(),
          one_field(all, all_extent(place.sharing)),
          one_field(some, some_extent(place.sharing)),
          place.way,
          place.row,
          place.memory};
}

}  // namespace halocline::numerics
