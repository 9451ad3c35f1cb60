#include "halocline/bundle/parcels.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "halocline/protocol/access.hpp"

namespace halocline::bundle {
namespace {

/// How many of the box's leading dimensions have no gaps.
std::uint64_t whole_dimensions(const Strided& box) {
  auto expected = static_cast<std::ptrdiff_t>(box.element_bytes);
  std::uint64_t dimensions = 0;
  for (; dimensions < Strided::max_dimensions; ++dimensions) {
    if (box.count[dimensions] != 1 && box.stride_bytes[dimensions] != expected) {
      break;
    }
    expected *= box.count[dimensions];
  }
  return dimensions;
}

/// Adds the box in runs that each span this many leading dimensions.
void add_runs(const Strided& box, std::uint64_t dimensions, int peer, std::vector<Parcel>& all) {
  Strided run = box;
  std::array<std::int64_t, Strided::max_dimensions> repeats{1, 1, 1, 1};
  for (std::size_t dimension = dimensions; dimension < Strided::max_dimensions; ++dimension) {
    repeats[dimension] = box.count[dimension];
    run.count[dimension] = 1;
  }
  for (std::int64_t l = 0; l < repeats[3]; ++l) {
    for (std::int64_t k = 0; k < repeats[2]; ++k) {
      for (std::int64_t j = 0; j < repeats[1]; ++j) {
        for (std::int64_t i = 0; i < repeats[0]; ++i) {
          run.base = box.base + i * box.stride_bytes[0] + j * box.stride_bytes[1] +
                     k * box.stride_bytes[2] + l * box.stride_bytes[3];
          all.push_back({.peer = peer, .boxes = {run}});
        }
      }
    }
  }
}

}  // namespace

std::vector<Strided> boxes_of(const route::Leg& leg, const Blocks& blocks, FieldRange fields) {
  const Bundle& bundle = blocks[static_cast<std::size_t>(leg.part)];
  std::vector<Strided> boxes;
  boxes.reserve(fields.last - fields.first);
  for (std::size_t field = fields.first; field < fields.last; ++field) {
    boxes.push_back(strided(bundle[field], leg));
  }
  return boxes;
}

std::vector<Parcel> by_box(const std::vector<route::Leg>& legs, const Blocks& blocks,
                           FieldRange fields) {
  std::vector<Parcel> parcels;
  parcels.reserve(legs.size());
  for (const route::Leg& leg : legs) {
    parcels.push_back({.peer = leg.peer, .boxes = boxes_of(leg, blocks, fields)});
  }
  return parcels;
}

std::vector<Parcel> by_rank(const std::vector<route::Leg>& legs, const Blocks& blocks,
                            FieldRange fields) {
  std::map<int, std::vector<Strided>> of_peer;
  for (const route::Leg& leg : legs) {
    const auto boxes = boxes_of(leg, blocks, fields);
    auto& all = of_peer[leg.peer];
    all.insert(all.end(), boxes.begin(), boxes.end());
  }
  std::vector<Parcel> parcels;
  for (auto& [peer, boxes] : of_peer) {
    parcels.push_back({.peer = peer, .boxes = std::move(boxes)});
  }
  return parcels;
}

Parcels by_run(const route::Route& route, const Blocks& source, const Blocks& destination,
               FieldRange fields, const mpi::Communicator& communicator) {
  const Parcels boxes{.sends = by_box(route.sends, source, fields),
                      .receives = by_box(route.receives, destination, fields)};
  const auto swapped = [&communicator](const std::vector<Parcel>& own,
                                       const std::vector<Parcel>& other) {
    std::vector<protocol::NumberFor> outgoing;
    for (const Parcel& parcel : own) {
      for (const Strided& box : parcel.boxes) {
        outgoing.push_back({.peer = parcel.peer, .number = whole_dimensions(box)});
      }
    }
    std::vector<int> expected;
    for (const Parcel& parcel : other) {
      expected.insert(expected.end(), parcel.boxes.size(), parcel.peer);
    }
    return protocol::swap_numbers(communicator, outgoing, expected);
  };
  const auto cut = [](const std::vector<Parcel>& parcels, const std::vector<std::uint64_t>& whole) {
    std::vector<Parcel> all;
    auto there = whole.begin();
    for (const Parcel& parcel : parcels) {
      for (const Strided& box : parcel.boxes) {
        add_runs(box, std::min(whole_dimensions(box), *there++), parcel.peer, all);
      }
    }
    return all;
  };
  // Senders learn how the receivers' memory is laid out, and vice versa.
  const auto at_receivers = swapped(boxes.receives, boxes.sends);
  const auto at_senders = swapped(boxes.sends, boxes.receives);
  return {.sends = cut(boxes.sends, at_receivers), .receives = cut(boxes.receives, at_senders)};
}

}  // namespace halocline::bundle
