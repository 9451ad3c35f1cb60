#include "halocline/mpi/shared_window.hpp"

#include <algorithm>
#include <cstdint>

#include "halocline/base/units.hpp"
#include "halocline/mpi/unwinding.hpp"

namespace halocline::mpi {
namespace {

constexpr std::size_t page_bytes = 4096;

}  // namespace

SharedWindow::SharedWindow(const Communicator& node, std::size_t own_bytes) {
  // Parts are contiguous. The library chooses where the first begins: a rank alone on its node may
  // get ordinary memory. So each has an extra page, to start at a page boundary.
  const std::size_t allocated = rounded_up(own_bytes, page_bytes) + page_bytes;
  void* own = nullptr;
  HALOCLINE_MPI(MPI_Win_allocate_shared(static_cast<MPI_Aint>(allocated), 1, MPI_INFO_NULL,
                                        node.handle(), static_cast<void*>(&own), &window_));
  std::ranges::fill(part(node.rank()), std::byte{0});
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
  }
}

}  // namespace halocline::mpi
