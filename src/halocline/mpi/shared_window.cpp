#include "halocline/mpi/shared_window.hpp"

#include <sys/mman.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/unwinding.hpp"

namespace halocline::mpi {
namespace {

constexpr std::size_t page_bytes = 4096;

/// What /dev/shm still takes; no limit where that is unknown.
std::int64_t free_bytes() {
  struct statvfs status{};
  if (statvfs("/dev/shm", &status) != 0 || status.f_blocks == 0) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return static_cast<std::int64_t>(status.f_bavail * status.f_frsize);
}

/// Throws Skip on all ranks of a node that together ask for more than it has. What others ask for
/// at the same time is not seen.
void require_room(const Communicator& node, std::size_t own_bytes) {
  if (refuses_too_much_shared_memory || node.size() == 1) {
    return;
  }
  const auto asked_bytes = static_cast<std::int64_t>(node.sum(own_bytes));
  const std::int64_t room_bytes = node.broadcast(node.rank() == 0 ? free_bytes() : 0);
  if (asked_bytes > room_bytes) {
    throw Skip("the ranks of a node ask for " + std::to_string(asked_bytes) +
               " bytes of shared memory, /dev/shm has " + std::to_string(room_bytes) +
               " free; make it larger, as with docker run --shm-size, or carry the data by "
               "messages");
  }
}

}  // namespace

SharedWindow::SharedWindow(const Communicator& node, std::size_t own_bytes) {
  // Parts are contiguous. The library chooses where the first begins: a rank alone on its node may
  // get ordinary memory. So each has an extra page, to start at a page boundary.
  const std::size_t allocated = rounded_up(own_bytes, page_bytes) + page_bytes;
  require_room(node, allocated);
  void* own = nullptr;
  HALOCLINE_MPI(MPI_Win_allocate_shared(static_cast<MPI_Aint>(allocated), 1, MPI_INFO_NULL,
                                        node.handle(), static_cast<void*>(&own), &window_));
  own_ = part(node.rank());
  std::ranges::fill(own_, std::byte{0});
  node.barrier();
}

std::span<std::byte> SharedWindow::part(int rank) const {
  std::byte* address = nullptr;
  MPI_Aint size_bytes = 0;
  int unit_bytes = 0;
  HALOCLINE_MPI(
      MPI_Win_shared_query(window_, rank, &size_bytes, &unit_bytes, static_cast<void*>(&address)));
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return {address + (rounded_up(number, page_bytes) - number),
          static_cast<std::size_t>(size_bytes) - page_bytes};
}

SharedWindow::~SharedWindow() {
  if (may_wait()) {
    MPI_Win_free(&window_);
  } else {  // nobody reads it any more: others need the room
    madvise(own_.data(), own_.size(), MADV_REMOVE);
  }
}

}  // namespace halocline::mpi
