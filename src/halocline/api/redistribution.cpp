#include <utility>

#include "halocline/api/calls.hpp"
#include "halocline/api/fields.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/objects.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/unwinding.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::api {
namespace {

/// A rank's contribution to a redistribution.
struct Brought {
  std::shared_ptr<Route> route;
  std::shared_ptr<Memory> memory;
  bundle::Blocks source;
  bundle::Blocks destination;
  bundle::Way way;
};

/// Collective: all ranks pass the same memory, which belongs to the communicator's ranks, or none.
void require_memory_of(const mpi::Communicator& communicator, const Memory* memory) {
  mpi::agreed(communicator, [&] {
    if (memory != nullptr && !memory->communicator.same_ranks(communicator)) {
      throw Error(
          "the memory is that of other ranks; create it with the redistribution's communicator");
    }
  });
  mpi::require_same(communicator, memory == nullptr ? 0 : memory->memory.number(),
                    "memory arguments");
}

/// Collective: the program's way, or the library's choice.
bundle::ChosenWay chosen_by(const mpi::Communicator& communicator, const Brought& brought,
                            bool left_to_library) {
  mpi::require_same(communicator, left_to_library ? 1 : 0, "ways of redistribution");
  if (left_to_library) {
    return bundle::chosen_way(brought.route->route, brought.source, brought.way, communicator,
                              brought.memory ? &brought.memory->memory : nullptr);
  }
  bundle::ChosenWay chosen{.way = brought.way, .origin = "the program"};
  if (chosen.way.protocol == nullptr) {
    chosen.way.protocol = &protocol::find("isend_irecv");
  }
  return chosen;
}

std::shared_ptr<Redistribution> idle(halocline_redistribution handle, const char* what) {
  auto object = object_of<Redistribution>(handle);
  if (object->started) {
    throw Error("a redistribution under way cannot be " + std::string{what} + "; finish it first");
  }
  return object;
}

void start(Redistribution& object) {
  object.redistribution.start();
  object.started = true;
}

void finish(Redistribution& object) {
  object.started = false;
  object.redistribution.finish();
}

}  // namespace
}  // namespace halocline::api

using namespace halocline;  // NOLINT: the functions are C's

extern "C" {

int halocline_redistribution_create(halocline_route route, MPI_Comm communicator, int fields,
                                    int source_blocks, const halocline_field* source,
                                    int destination_blocks, const halocline_field* destination,
                                    const halocline_way* way, halocline_memory memory,
                                    halocline_redistribution* redistribution) {
  return api::guarded([=] {
    if (redistribution != nullptr) {
      *redistribution = nullptr;
    }
    api::require_running();
    mpi::Communicator ranks = mpi::Communicator::duplicate_of(communicator);
    api::Brought brought;
    std::optional<std::int64_t> types;
    mpi::agreed(ranks, [&] {
      api::require_given(redistribution, "the address for the new redistribution");
      brought.route = api::object_of<api::Route>(route);
      api::require_made_for(*brought.route, ranks);
      brought.memory = memory == nullptr ? nullptr : api::object_of<api::Memory>(memory);
      brought.source = api::blocks_of(source_blocks, fields, source, "the source");
      brought.destination =
          api::blocks_of(destination_blocks, fields, destination, "the destination");
      brought.way = api::way_of(way);
      types = api::types_of(fields, source_blocks, source, destination_blocks, destination);
    });
    api::require_same_types(ranks, types);
    api::require_memory_of(ranks, brought.memory.get());
    bundle::ChosenWay chosen = api::chosen_by(ranks, brought, api::left_to_library(way));
    api::Handles<api::Redistribution>::all().put(
        std::make_shared<api::Redistribution>(std::move(ranks), brought.memory,
                                              brought.route->route, brought.source,
                                              brought.destination, std::move(chosen)),
        redistribution);
  });
}

int halocline_redistribution_run(halocline_redistribution redistribution) {
  return api::guarded([=] {
    api::require_running();
    const auto object = api::idle(redistribution, "run");
    api::start(*object);
    api::finish(*object);
  });
}

int halocline_redistribution_start(halocline_redistribution redistribution) {
  return api::guarded([=] {
    api::require_running();
    api::start(*api::idle(redistribution, "started"));
  });
}

int halocline_redistribution_finish(halocline_redistribution redistribution) {
  return api::guarded([=] {
    api::require_running();
    const auto object = api::object_of<api::Redistribution>(redistribution);
    if (!object->started) {
      throw Error("a redistribution to finish that is not under way; start it first");
    }
    api::finish(*object);
  });
}

int halocline_redistribution_sent_bytes(halocline_redistribution redistribution, size_t* bytes) {
  return api::guarded([=] {
    api::require_given(bytes, "the address for the bytes");
    *bytes = api::object_of<api::Redistribution>(redistribution)->redistribution.sent_bytes();
  });
}

int halocline_redistribution_way(halocline_redistribution redistribution, halocline_way* way,
                                 const char** origin) {
  return api::guarded([=] {
    api::require_given(way, "the address for the way");
    const auto object = api::object_of<api::Redistribution>(redistribution);
    *way = api::described(object->chosen.way);
    if (origin != nullptr) {
      *origin = object->chosen.origin.c_str();
    }
  });
}

int halocline_redistribution_free(halocline_redistribution* redistribution) {
  return api::guarded([=] {
    api::require_running();
    api::require_given(redistribution, "the address of the redistribution to free");
    api::idle(*redistribution, "freed");
    api::Handles<api::Redistribution>::all().take(redistribution);
  });
}
}
