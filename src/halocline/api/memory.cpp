#include <utility>

#include "halocline/api/calls.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/objects.hpp"
#include "halocline/mpi/agreement.hpp"

using namespace halocline;  // NOLINT: the functions are C's

extern "C" {

int halocline_memory_create(MPI_Comm communicator, size_t bytes, halocline_memory* memory) {
  return api::guarded([=] {
    if (memory != nullptr) {
      *memory = nullptr;
    }
    api::require_running();
    mpi::Communicator ranks = mpi::Communicator::duplicate_of(communicator);
    mpi::agreed(ranks, [&] { api::require_given(memory, "the address for the new memory"); });
    api::Handles<api::Memory>::all().put(std::make_shared<api::Memory>(std::move(ranks), bytes),
                                         memory);
  });
}

int halocline_memory_address(halocline_memory memory, void** address) {
  return api::guarded([=] {
    api::require_given(address, "the address for the memory's address");
    *address = api::object_of<api::Memory>(memory)->memory.own().data();
  });
}

int halocline_memory_free(halocline_memory* memory) {
  return api::guarded([=] {
    api::require_running();
    api::Handles<api::Memory>::all().take(memory);
  });
}
}
