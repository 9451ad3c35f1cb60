#include "halocline/mpi/window.hpp"

#include <algorithm>

#include "halocline/base/units.hpp"
#include "halocline/mpi/unwinding.hpp"

namespace halocline::mpi {
namespace {

/// The size to request. In shared memory MPICH 4 computes wrong, overlapping addresses for other
/// ranks' windows unless each is a whole number of lines.
MPI_Aint whole_lines(std::size_t size_bytes) {
  constexpr std::size_t line_bytes = 64;
  return static_cast<MPI_Aint>(rounded_up(size_bytes, line_bytes));
}

}  // namespace

Window::Window(const Communicator& communicator, std::size_t size_bytes, Content content) {
  std::byte* address = nullptr;
  HALOCLINE_MPI(MPI_Win_allocate(whole_lines(size_bytes), 1, MPI_INFO_NULL, communicator.handle(),
                                 static_cast<void*>(&address), &handle_));
  HALOCLINE_MPI(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN));
  memory_ = {address, size_bytes};
  if (content == Content::zero) {
    std::ranges::fill(memory_, std::byte{0});
    communicator.barrier();  // no rank writes before it is zero
  }
}

Window::~Window() {
  if (!may_wait()) {
    return;
  }
  if (locked_) {
    MPI_Win_unlock_all(handle_);
  }
  MPI_Win_free(&handle_);
}

bool Window::unified() const {
  int* model = nullptr;
  int known = 0;
  HALOCLINE_MPI(MPI_Win_get_attr(handle_, MPI_WIN_MODEL, static_cast<void*>(&model), &known));
  return known != 0 && *model == MPI_WIN_UNIFIED;
}

void Window::lock_all() {
  HALOCLINE_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_));
  locked_ = true;
}

}  // namespace halocline::mpi
