#include "halocline/bundle/fitting.hpp"

#include <map>
#include <optional>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/base/identity.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/progress_thread.hpp"
#include "halocline/mpi/unwinding.hpp"

namespace halocline::bundle {
namespace {

std::vector<std::size_t> types_of(const Bundle& bundle) {
  std::vector<std::size_t> types;
  for (const Field& field : bundle) {
    types.push_back(field.element_bytes);
  }
  return types;
}

std::string text_of(const std::vector<std::size_t>& types) {
  std::string text = std::to_string(types.size()) + " fields";
  for (std::size_t index = 0; index < types.size(); ++index) {
    text += (index == 0 ? " of " : ", ") + std::to_string(types[index]) + " B";
  }
  return text;
}

/// The types of the fields that this rank has; nothing when it has no block.
std::vector<std::size_t> own_types(const Blocks& source, const Blocks& destination) {
  const Bundle* first = nullptr;
  for (const Blocks* blocks : {&source, &destination}) {
    for (const Bundle& bundle : *blocks) {
      if (first == nullptr) {
        first = &bundle;
      } else if (types_of(bundle) != types_of(*first)) {
        throw Error("a block of " + text_of(types_of(bundle)) + " and another of " +
                    text_of(types_of(*first)) +
                    "; source and destination must have the same fields, of the same types, on all "
                    "blocks; pass the same fields in the same order");
      }
    }
  }
  return first == nullptr ? std::vector<std::size_t>{} : types_of(*first);
}

/// The first dimension in which a field does not contain the box, with both ranges.
std::string lacking(const layout::Box& extent, const layout::Box& box) {
  std::size_t dimension = 0;
  while (extent.lower[dimension] <= box.lower[dimension] &&
         box.upper[dimension] <= extent.upper[dimension]) {
    ++dimension;
  }
  const auto range = [dimension](const layout::Box& of) {
    return std::to_string(of.lower[dimension]) + " to " + std::to_string(of.upper[dimension] - 1);
  };
  return "along dimension " + std::to_string(dimension + 1) + " it has the indices " +
         range(extent) + ", the route needs " + range(box);
}

/// The first dimension beyond the route's along which the field has no indices, although the leg's
/// box has: where C filled unused bounds with 0.
std::optional<std::size_t> empty_beyond(const route::Leg& leg, const Field& field) {
  for (std::size_t dimension = leg.dimensions; dimension < layout::max_dimensions; ++dimension) {
    if (field.extent.extent(dimension) == 0 && !leg.box.empty()) {
      return dimension;
    }
  }
  return std::nullopt;
}

void require_inside(const std::vector<route::Leg>& legs, const Blocks& blocks,
                    const std::string& side) {
  for (const route::Leg& leg : legs) {
    if (static_cast<std::size_t>(leg.part) >= blocks.size()) {
      throw Error("the route needs block " + std::to_string(leg.part + 1) + " at the " + side +
                  ", which has fields for " + std::to_string(blocks.size()) +
                  "; pass the fields of each block that the rank owns");
    }
    const Bundle& bundle = blocks[static_cast<std::size_t>(leg.part)];
    for (std::size_t field = 0; field < bundle.size(); ++field) {
      if (const auto dimension = empty_beyond(leg, bundle[field])) {
        throw Error("field " + std::to_string(field + 1) + " of the " + side +
                    " has no indices along dimension " + std::to_string(*dimension + 1) +
                    ", which travels whole; allowed: 1 or more; give the bounds 0 and 1 in "
                    "dimensions that are not used, and leave out fields without elements");
      }
      const layout::Box box = box_in(bundle[field], leg);
      if (!bundle[field].extent.contains(box)) {
        throw Error("field " + std::to_string(field + 1) + " of the " + side +
                    " does not cover the route's box for rank " + std::to_string(leg.peer) + ": " +
                    lacking(bundle[field].extent, box) +
                    "; its extent must hold all indices of the rank's block, and the ghost "
                    "cells of a halo; check its bounds, and that route and fields are built from "
                    "the same layout");
      }
    }
  }
}

std::uint64_t identity_of(const Way& way, const NodeMemory* memory) {
  Identity identity;
  identity.add(way.protocol == nullptr ? std::string_view{} : way.protocol->name);
  identity.add(static_cast<std::uint64_t>(way.packing));
  identity.add(static_cast<std::uint64_t>(way.whole_bundle ? 1 : 0));
  identity.add(static_cast<std::uint64_t>(way.near));
  identity.add(static_cast<std::uint64_t>(way.progress_thread ? 1 : 0));
  identity.add(memory == nullptr ? std::uint64_t{0} : memory->number());
  return identity.value();
}

/// Mixes each bit into all others: sums of identities that differ only in their last numbers would
/// cancel. Steele, Lea, Flood 2014.
std::uint64_t spread(std::uint64_t number) {
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31U);
}

/// Identifies a box in transit between two ranks, by the same number at both ends.
std::uint64_t identity_of_box(int sender, int receiver, std::uint64_t number, const route::Leg& leg,
                              const Bundle& bundle) {
  Identity identity;
  identity.add(static_cast<std::uint64_t>(sender));
  identity.add(static_cast<std::uint64_t>(receiver));
  identity.add(number);
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    identity.add(static_cast<std::uint64_t>(leg.box.extent(dimension)));
  }
  for (const Field& field : bundle) {
    for (std::size_t dimension = leg.dimensions; dimension < layout::max_dimensions; ++dimension) {
      identity.add(static_cast<std::uint64_t>(field.extent.extent(dimension)));
    }
  }
  return spread(identity.value());
}

/// Sums to 0 over all ranks if every box that is sent is expected.
std::uint64_t balance(const route::Route& route, const Blocks& source, const Blocks& destination,
                      int rank) {
  std::uint64_t sum = 0;
  std::map<int, std::uint64_t> sent;
  for (const route::Leg& leg : route.sends) {
    sum += identity_of_box(rank, leg.peer, sent[leg.peer]++, leg,
                           source[static_cast<std::size_t>(leg.part)]);
  }
  std::map<int, std::uint64_t> received;
  for (const route::Leg& leg : route.receives) {
    sum -= identity_of_box(leg.peer, rank, received[leg.peer]++, leg,
                           destination[static_cast<std::size_t>(leg.part)]);
  }
  return sum;
}

std::uint64_t identity_of_types(const std::vector<std::size_t>& types) {
  Identity identity;
  for (const std::size_t element_bytes : types) {
    identity.add(static_cast<std::uint64_t>(element_bytes));
  }
  return identity.value();
}

/// Ranks without blocks have no fields to compare.
void require_same_types(const std::vector<std::size_t>& types, bool has_blocks,
                        const mpi::Communicator& communicator) {
  const auto own = static_cast<std::int64_t>(identity_of_types(types) >> 1U);
  const std::int64_t largest = communicator.maximum(has_blocks ? own : -1);
  const bool differs = has_blocks && own != largest;
  mpi::agreed(communicator, [&] {
    if (differs) {
      throw Error("its " + text_of(types) +
                  " are not those of other ranks; all ranks must pass the same fields, of the same "
                  "types, in the same order");
    }
  });
}

}  // namespace

void require_fitting(const route::Route& route, const Blocks& source, const Blocks& destination,
                     const Way& way, const mpi::Communicator& communicator,
                     const NodeMemory* memory) {
  mpi::require_same(communicator, identity_of(way, memory), "ways of redistribution");
  std::vector<std::size_t> types;
  mpi::agreed(communicator, [&] {
    if (way.threads < 1) {
      throw Error("copying by " + std::to_string(way.threads) +
                  " threads; allowed: 1 or more; give the number of cores that the rank has");
    }
    if (way.progress_thread) {
      mpi::require_thread_multiple();
    }
    types = own_types(source, destination);
    require_inside(route.sends, source, "source");
    require_inside(route.receives, destination, "destination");
  });
  require_same_types(types, !source.empty() || !destination.empty(), communicator);
  if (communicator.sum(balance(route, source, destination, communicator.rank())) != 0) {
    mpi::throw_on_all(Error(
        "the ranks' routes or fields do not match: a rank sends what its peer does not expect; all "
        "ranks must pass their part of the same route, and fields with the same number of levels"));
  }
}

}  // namespace halocline::bundle
