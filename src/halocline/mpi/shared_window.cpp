#include "halocline/mpi/shared_window.hpp"

#include <algorithm>
#include <exception>

namespace halocline::mpi {

SharedWindow::SharedWindow(const Communicator& node, std::size_t own_bytes) {
  constexpr std::size_t page_bytes = 4096;  // parts follow each other
  const std::size_t whole_pages = (own_bytes + page_bytes - 1) / page_bytes * page_bytes;
  void* own = nullptr;
  HALOCLINE_MPI(MPI_Win_allocate_shared(static_cast<MPI_Aint>(whole_pages), 1, MPI_INFO_NULL,
                                        node.handle_, static_cast<void*>(&own), &window_));
  std::ranges::fill(part(node.rank()), std::byte{0});
  node.barrier();
}

std::span<std::byte> SharedWindow::part(int rank) const {
  std::byte* address = nullptr;
  MPI_Aint size_bytes = 0;
  int unit_bytes = 0;
  HALOCLINE_MPI(
      MPI_Win_shared_query(window_, rank, &size_bytes, &unit_bytes, static_cast<void*>(&address)));
  return {address, static_cast<std::size_t>(size_bytes)};
}

SharedWindow::~SharedWindow() {
  if (std::uncaught_exceptions() == 0) {  // freeing waits for the others
    MPI_Win_free(&window_);
  }
}

}  // namespace halocline::mpi
