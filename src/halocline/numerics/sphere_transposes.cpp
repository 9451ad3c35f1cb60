#include "halocline/numerics/sphere_transposes.hpp"

namespace halocline::numerics {
namespace {

layout::Box plane(int columns, int rows) { return layout::Box::line(columns).with(1, 0, rows); }

/// Columns or rows of the plane that belong to a block counted in units of `each`.
layout::Box part_of(const layout::Box& plane, std::size_t dimension, Block block, int each = 1) {
  return plane.with(dimension, std::int64_t{block.begin} * each,
                    std::int64_t{block.begin + block.count} * each);
}

int fourier_order_count(const SpherePlace& place) {
  return static_cast<int>(place.sharing.fourier_orders(place.p).size());
}

int own_order_count(const SpherePlace& place) {
  return place.sharing.spectral_orders(place.p, place.q).count;
}

int lines(const SpherePlace& place, int fields) {
  return fields * place.sharing.pairs(place.q).count;
}

}  // namespace

route::Route orders_to_rows(const SpherePlace& place) {
  const layout::Box here = plane(own_order_count(place), place.all_pairs);
  const layout::Box there = plane(fourier_order_count(place), place.sharing.pairs(place.q).count);
  route::Route route;
  for (int q = 0; q < place.way.along_latitude; ++q) {
    const int peer = place.sharing.rank(place.p, q);
    route.sends.push_back({.peer = peer, .box = part_of(here, 1, place.sharing.pairs(q))});
    route.receives.push_back(
        {.peer = peer, .box = part_of(there, 0, place.sharing.spectral_orders(place.p, q))});
  }
  return route;
}

bundle::Field order_field(const SpherePlace& place, std::byte* data, std::size_t element_bytes) {
  return {.data = data,
          .element_bytes = element_bytes,
          .extent = plane(own_order_count(place), place.all_pairs)};
}

bundle::Field row_field(const SpherePlace& place, std::byte* data, std::size_t element_bytes) {
  return {.data = data,
          .element_bytes = element_bytes,
          .extent = plane(fourier_order_count(place), place.sharing.pairs(place.q).count)};
}

route::Route levels_to_longitudes(const SpherePlace& place, int fields) {
  const int each = lines(place, fields);
  const layout::Box here = plane(place.all_longitudes, place.sharing.groups(place.p).count * each);
  const layout::Box there = plane(place.sharing.longitudes(place.p).count, place.all_groups * each);
  route::Route route;
  for (int p = 0; p < place.way.along_longitude; ++p) {
    const int peer = place.sharing.rank(p, place.q);
    route.sends.push_back({.peer = peer, .box = part_of(here, 0, place.sharing.longitudes(p))});
    route.receives.push_back(
        {.peer = peer, .box = part_of(there, 1, place.sharing.groups(p), each)});
  }
  return route;
}

bundle::Field level_field(const SpherePlace& place, int fields, std::byte* data,
                          std::size_t element_bytes) {
  return {.data = data,
          .element_bytes = element_bytes,
          .extent = plane(place.all_longitudes,
                          place.sharing.groups(place.p).count * lines(place, fields))};
}

bundle::Field longitude_field(const SpherePlace& place, int fields, std::byte* data,
                              std::size_t element_bytes) {
  return {.data = data,
          .element_bytes = element_bytes,
          .extent = plane(place.sharing.longitudes(place.p).count,
                          place.all_groups * lines(place, fields))};
}

}  // namespace halocline::numerics
