#pragma once

#include <optional>

#include "halocline/bundle/exchange.hpp"
#include "halocline/numerics/array.hpp"
#include "halocline/numerics/sphere_sharing.hpp"

namespace halocline::numerics {

/// A rank's place in a SphereSharing, as its transposes need it.
struct SpherePlace {
  const SphereSharing& sharing;
  const SphereWay& way;
  int p;
  int q;
  int all_pairs;
  int all_longitudes;
  int all_groups;
};

inline void carry(bundle::Exchange& exchange) {
  exchange.start();
  exchange.finish();
}

/// Between all orders of some latitudes and some orders of all latitudes. Arrays are [pair][order]
/// of coefficients, `element_bytes` bytes each.
route::Route orders_to_rows(const SpherePlace& place);
bundle::Field order_field(const SpherePlace& place, std::byte* data, std::size_t element_bytes);
bundle::Field row_field(const SpherePlace& place, std::byte* data, std::size_t element_bytes);

/// Between all longitudes of some level groups and some longitudes of all: [group][field and
/// pair][longitude].
route::Route levels_to_longitudes(const SpherePlace& place, int fields);
bundle::Field level_field(const SpherePlace& place, int fields, std::byte* data,
                          std::size_t element_bytes);
bundle::Field longitude_field(const SpherePlace& place, int fields, std::byte* data,
                              std::size_t element_bytes);

}  // namespace halocline::numerics
