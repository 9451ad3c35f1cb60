#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/compat/openshmem.hpp"

namespace halocline::mpi {

/// Memory of OpenSHMEM's symmetric heap, the same amount on each rank. A peer's memory is addressed
/// by the offset from its beginning.
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
  /// Earlier puts to a rank arrive there before later ones.
  void fence() const { shmem::fence(); }
  /// Returns when all puts of this rank have arrived.
  void quiet() const { shmem::quiet(); }
  /// Waits until the word at this offset of the rank's own memory is at least this number.
  void wait_until_at_least(std::uint64_t number, std::size_t offset_bytes) const {
    shmem::wait_until_at_least(reinterpret_cast<std::uint64_t*>(memory_ + offset_bytes), number);
  }

 private:
  std::byte* memory_ = nullptr;
};

/// Why the ranks of this communicator cannot have symmetric memory; empty when they can.
std::string symmetric_memory_unusable(const Communicator& communicator);

/// Before MPI_Finalize: shuts down what the first SymmetricMemory started.
void end_symmetric_memory();

}  // namespace halocline::mpi
