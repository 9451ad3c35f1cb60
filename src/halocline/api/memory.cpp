#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halocline/api/calls.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/objects.hpp"
#include "halocline/mpi/agreement.hpp"

namespace halocline::api {
namespace {

/// Throws Error for invalid arrays.
std::vector<std::span<std::byte>> arrays_of(int arrays, void* const* addresses,
                                            const std::size_t* bytes) {
  require_count(arrays, "arrays to adopt");
  std::vector<std::span<std::byte>> found;
  if (arrays > 0) {
    require_given(addresses, "the list of the arrays' addresses");
    require_given(bytes, "the list of the arrays' bytes");
  }
  for (int array = 0; array < arrays; ++array) {
    if (addresses[array] == nullptr && bytes[array] > 0) {
      throw Error("array " + std::to_string(array + 1) + " is NULL; pass its address");
    }
    found.emplace_back(static_cast<std::byte*>(addresses[array]), bytes[array]);
  }
  return found;
}

/// Throws Error for a size that no address can have, as a negative one converted.
void require_size(std::size_t bytes) {
  if (bytes > std::size_t{PTRDIFF_MAX} / 2) {
    throw Error("memory of " + std::to_string(static_cast<std::ptrdiff_t>(bytes)) +
                " bytes; allowed: 0 to " + std::to_string(PTRDIFF_MAX / 2) +
                "; compute the size in 64 bits");
  }
}

/// Throws Error while redistributions still read adopted arrays.
void require_unused(const std::shared_ptr<Memory>& memory) {
  constexpr int here_and_in_the_table = 2;
  if (const auto users = memory.use_count() - here_and_in_the_table; users > 0) {
    throw Error("adopted arrays are in use by " + std::to_string(users) +
                " redistributions; free them first");
  }
}

}  // namespace
}  // namespace halocline::api

using namespace halocline;  // NOLINT: the functions are C's

extern "C" {

int halocline_memory_create(MPI_Comm communicator, size_t bytes, halocline_memory* memory) {
  return api::guarded([=] {
    if (memory != nullptr) {
      *memory = nullptr;
    }
    api::require_running();
    mpi::Communicator ranks = mpi::Communicator::duplicate_of(communicator);
    mpi::agreed(ranks, [&] {
      api::require_given(memory, "the address for the new memory");
      api::require_size(bytes);
    });
    api::Handles<api::Memory>::all().put(std::make_shared<api::Memory>(std::move(ranks), bytes),
                                         memory);
  });
}

int halocline_memory_adopt(MPI_Comm communicator, int arrays, void* const* addresses,
                           const size_t* bytes, halocline_memory* memory) {
  return api::guarded([=] {
    if (memory != nullptr) {
      *memory = nullptr;
    }
    api::require_running();
    mpi::Communicator ranks = mpi::Communicator::duplicate_of(communicator);
    std::vector<std::span<std::byte>> given;
    mpi::agreed(ranks, [&] {
      api::require_given(memory, "the address for the new memory");
      given = api::arrays_of(arrays, addresses, bytes);
    });
    api::Handles<api::Memory>::all().put(std::make_shared<api::Memory>(std::move(ranks), given),
                                         memory);
  });
}

int halocline_memory_address(halocline_memory memory, void** address) {
  return api::guarded([=] {
    api::require_given(address, "the address for the memory's address");
    const auto object = api::object_of<api::Memory>(memory);
    if (object->adopted) {
      throw Error("adopted arrays have the addresses that they had; use those");
    }
    *address = object->memory.own().data();
  });
}

int halocline_memory_free(halocline_memory* memory) {
  return api::guarded([=] {
    api::require_running();
    api::require_given(memory, "the address of the memory to free");
    const auto object = api::object_of<api::Memory>(*memory);
    if (!object->adopted) {
      api::Handles<api::Memory>::all().take(memory);
      return;
    }
    mpi::agreed(object->communicator, [&] { api::require_unused(object); });
    api::Handles<api::Memory>::all().take(memory);
    mpi::agreed(object->communicator, [&] { object->memory.give_back(); });
  });
}
}
