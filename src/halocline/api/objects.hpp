#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "halocline/api/handles.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/layout/blocks.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::api {

/// What the C interface's handles stand for. `number` tells the types' handles apart.
struct Layout {
  static constexpr const char* name = "layout";
  static constexpr int number = 1;

  layout::Blocks blocks;
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

  mpi::Communicator communicator;
  bundle::NodeMemory memory;
};

struct Redistribution {
  static constexpr const char* name = "redistribution";
  static constexpr int number = 4;

  Redistribution(mpi::Communicator&& ranks, std::shared_ptr<Memory> fields_memory,
                 const route::Route& route, bundle::Blocks source, bundle::Blocks destination,
                 const bundle::Way& way)
      : communicator(std::move(ranks)),
        memory(std::move(fields_memory)),
        redistribution(route, std::move(source), std::move(destination), way, communicator,
                       memory ? &memory->memory : nullptr) {}

  mpi::Communicator communicator;
  std::shared_ptr<Memory> memory;  // outlives what lies in it
  bundle::Redistribution redistribution;
  bool started = false;
};

}  // namespace halocline::api
