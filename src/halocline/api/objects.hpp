#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "halocline/api/handles.hpp"
#include "halocline/bundle/chosen_way.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/layout/blocks.hpp"
#include "halocline/layout/points.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::api {

/// What the C interface's handles stand for. `number` distinguishes the types' handles.
struct Layout {
  static constexpr const char* name = "layout";
  static constexpr int number = 1;

  explicit Layout(layout::Blocks of_blocks) : blocks(std::move(of_blocks)) {}
  Layout(layout::Points of_points, layout::Box of_list)
      : points(std::move(of_points)), list(of_list) {}

  /// Throws Error for a layout of points.
  const layout::Blocks& only_blocks() const {
    if (!blocks) {
      throw Error(
          "a layout of points where one of blocks is needed; use halocline_route_create_points, or "
          "create a layout of blocks");
    }
    return *blocks;
  }

  std::optional<layout::Blocks> blocks;
  std::optional<layout::Points> points;
  layout::Box list;  // the local indices of the points
};

struct Route {
  static constexpr const char* name = "route";
  static constexpr int number = 2;

  route::Route route;
  int rank;   // that it was made for
  int ranks;  // of the communicator
};

struct Memory {
  static constexpr const char* name = "memory";
  static constexpr int number = 3;

  Memory(mpi::Communicator&& ranks, std::size_t bytes)
      : communicator(std::move(ranks)), memory(communicator, bytes) {}

  Memory(mpi::Communicator&& ranks, std::span<const std::span<std::byte>> arrays)
      : communicator(std::move(ranks)), memory(communicator, arrays), adopted(true) {}

  mpi::Communicator communicator;
  bundle::NodeMemory memory;
  bool adopted = false;
};

struct Redistribution {
  static constexpr const char* name = "redistribution";
  static constexpr int number = 4;

  Redistribution(mpi::Communicator&& ranks, std::shared_ptr<Memory> fields_memory,
                 const route::Route& route, const bundle::Blocks& source,
                 const bundle::Blocks& destination, bundle::ChosenWay way)
      : communicator(std::move(ranks)),
        memory(std::move(fields_memory)),
        chosen(std::move(way)),
        redistribution(
            bundle::redistribution_of(route, source, destination, chosen, communicator, node())) {}

  const bundle::NodeMemory* node() const { return memory ? &memory->memory : nullptr; }

  mpi::Communicator communicator;
  std::shared_ptr<Memory> memory;  // outlives what lies in it
  bundle::ChosenWay chosen;
  bundle::Redistribution redistribution;
  bool started = false;
};

/// Throws Error for a route made for other ranks.
inline void require_made_for(const Route& route, const mpi::Communicator& communicator) {
  if (route.rank != communicator.rank() || route.ranks != communicator.size()) {
    throw Error("the route is that of rank " + std::to_string(route.rank) + " of " +
                std::to_string(route.ranks) + " but is used on rank " +
                std::to_string(communicator.rank()) + " of " + std::to_string(communicator.size()) +
                "; allowed: the communicator that it was made for; make one for this");
  }
}

}  // namespace halocline::api
