#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/compat/openshmem.hpp"

namespace halocline::mpi {

/// Memory of OpenSHMEM's symmetric heap: as much on each rank. A peer's is named by the offset from
/// its beginning.
class SymmetricMemory {
 public:
  /// Collective over all ranks of the world. The memory is zero. Throws Skip when the heap is full.
  SymmetricMemory(const Communicator& communicator, std::size_t size_bytes);
  /// Collective.
  ~SymmetricMemory();
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  std::byte* data() const { return memory_; }

  void put(std::span<const std::byte> payload, int target, std::size_t offset_bytes) const {
    shmem::put(memory_ + offset_bytes, payload.data(), payload.size(), target);
  }
  void set(std::uint64_t number, int target, std::size_t offset_bytes) const {
    shmem::set(reinterpret_cast<std::uint64_t*>(memory_ + offset_bytes), number, target);
  }
  /// What was put to a rank before arrives there before what is put to it after.
  void fence() const { shmem::fence(); }
  /// Returns when all that this rank has put is there.
  void quiet() const { shmem::quiet(); }
  /// Waits until the word at this offset of the rank's own memory was set so high.
  void wait_until_at_least(std::uint64_t number, std::size_t offset_bytes) const {
    shmem::wait_until_at_least(reinterpret_cast<std::uint64_t*>(memory_ + offset_bytes), number);
  }

 private:
  std::byte* memory_ = nullptr;
};

/// Why the ranks of this communicator cannot have symmetric memory; empty when they can.
std::string symmetric_memory_unusable(const Communicator& communicator);

/// Before MPI_Finalize: ends what the first SymmetricMemory began.
void end_symmetric_memory();

}  // namespace halocline::mpi
