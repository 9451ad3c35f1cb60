#pragma once

#include <cstddef>
#include <vector>

#include "halocline/bundle/redistribution.hpp"
#include "halocline/bundle/side.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// Some of the fields of a rank's blocks: first ≤ field < last.
struct FieldRange {
  std::size_t first;
  std::size_t last;
};

/// The box of a leg in each of the fields.
std::vector<Strided> boxes_of(const route::Leg& leg, const Blocks& blocks, FieldRange fields);

/// One parcel per peer, with all that goes to it or comes from it.
std::vector<Parcel> by_rank(const std::vector<route::Leg>& legs, const Blocks& blocks,
                            FieldRange fields);

/// A parcel for each box.
std::vector<Parcel> by_box(const std::vector<route::Leg>& legs, const Blocks& blocks,
                           FieldRange fields);

/// Both ends of an exchange in parcels.
struct Parcels {
  std::vector<Parcel> sends;
  std::vector<Parcel> receives;
};

/// A parcel for each piece that is contiguous at both ends. The ends exchange which pieces are, so
/// every rank with legs must call it.
Parcels by_run(const route::Route& route, const Blocks& source, const Blocks& destination,
               FieldRange fields, const mpi::Communicator& communicator);

}  // namespace halocline::bundle
