#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/group.hpp"

namespace halocline::mpi {

/// Memory of this rank, allocated by MPI, that the ranks of a communicator put to and get from. A
/// peer's memory is addressed by the offset from its beginning.
class Window {
 public:
  enum class Content { zero, any };
  /// Collective. With any content, ranks do not wait for each other here.
  Window(const Communicator& communicator, std::size_t size_bytes, Content content = Content::zero);
  /// Collective.
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  std::span<std::byte> memory() const { return memory_; }

  /// Whether loads alone eventually see completed puts of others.
  bool unified() const;

  void put(std::span<const std::byte> payload, int target, std::size_t offset_bytes) const {
    const int count = count_of(payload);
    HALOCLINE_MPI(MPI_Put(payload.data(), count, MPI_BYTE, target,
                          static_cast<MPI_Aint>(offset_bytes), count, MPI_BYTE, handle_));
  }
  void get(std::span<std::byte> payload, int target, std::size_t offset_bytes) const {
    const int count = count_of(payload);
    HALOCLINE_MPI(MPI_Get(payload.data(), count, MPI_BYTE, target,
                          static_cast<MPI_Aint>(offset_bytes), count, MPI_BYTE, handle_));
  }
  /// Writes a whole number atomically; it must not change until the flush.
  void replace(const std::uint64_t& number, int target, std::size_t offset_bytes) const {
    HALOCLINE_MPI(MPI_Accumulate(&number, 1, MPI_UINT64_T, target,
                                 static_cast<MPI_Aint>(offset_bytes), 1, MPI_UINT64_T, MPI_REPLACE,
                                 handle_));
  }

  /// Active target, all ranks. Collective: completes everything begun since the last fence.
  void fence() const { HALOCLINE_MPI(MPI_Win_fence(0, handle_)); }

  /// Active target, some ranks. post() lets these begin; wait() returns when they have completed.
  void post(const Group& origins) const {
    HALOCLINE_MPI(MPI_Win_post(origins.handle(), 0, handle_));
  }
  void wait() const { HALOCLINE_MPI(MPI_Win_wait(handle_)); }
  void start(const Group& targets) const {
    HALOCLINE_MPI(MPI_Win_start(targets.handle(), 0, handle_));
  }
  void complete() const { HALOCLINE_MPI(MPI_Win_complete(handle_)); }

  /// Passive target: for the rest of the window's lifetime.
  void lock_all();
  /// Returns when everything this rank began with the target is complete there.
  void flush(int target) const { HALOCLINE_MPI(MPI_Win_flush(target, handle_)); }
  /// Orders this rank's own stores to its memory with what others wrote there.
  void sync() const { synchronise(handle_); }

 private:
  MPI_Win handle_ = MPI_WIN_NULL;
  std::span<std::byte> memory_;
  bool locked_ = false;
};

}  // namespace halocline::mpi
