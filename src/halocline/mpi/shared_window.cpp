#include "halocline/mpi/shared_window.hpp"

#include <cstring>
#include <exception>

namespace halocline::mpi {

SharedWindow::SharedWindow(const Communicator& node, std::size_t size_bytes) {
  const bool owner = node.rank() == 0;
  const auto own_bytes = static_cast<MPI_Aint>(owner ? size_bytes : 0);
  void* own = nullptr;
  HALOCLINE_MPI(MPI_Win_allocate_shared(own_bytes, 1, MPI_INFO_NULL, node.handle_,
                                        static_cast<void*>(&own), &window_));
  MPI_Aint owned_bytes = 0;
  int unit_bytes = 0;
  HALOCLINE_MPI(
      MPI_Win_shared_query(window_, 0, &owned_bytes, &unit_bytes, static_cast<void*>(&address_)));
  if (owner) {
    std::memset(address_, 0, size_bytes);
  }
  node.barrier();
}

SharedWindow::~SharedWindow() {
  if (std::uncaught_exceptions() == 0) {  // freeing waits for the others
    MPI_Win_free(&window_);
  }
}

}  // namespace halocline::mpi
