#include "halocline/mpi/symmetric_memory.hpp"

#include <algorithm>
#include <cstring>

#include "halocline/mpi/unwinding.hpp"

namespace halocline::mpi {
namespace {

/// Whether OpenSHMEM was started: it may be started only once, and has no call that reports it.
bool& started() {
  static bool yes = false;
  return yes;
}

bool start() {
  started() = shmem::init();
  if (!started()) {
    shmem::finalize();
  }
  return started();
}

void start_once() {
  static const bool usable = start();
  if (!usable) {
    throw Skip(
        "OpenSHMEM does not support MPI_THREAD_MULTIPLE here, with which MPI was started; choose "
        "another protocol");
  }
}

}  // namespace

SymmetricMemory::SymmetricMemory(const Communicator& communicator, std::size_t size_bytes) {
  start_once();
  std::uint64_t largest_bytes = std::max<std::size_t>(size_bytes, 1);
  HALOCLINE_MPI(
      MPI_Allreduce(MPI_IN_PLACE, &largest_bytes, 1, MPI_UINT64_T, MPI_MAX, communicator.handle()));
  memory_ = static_cast<std::byte*>(shmem::allocate(largest_bytes));
  if (memory_ == nullptr) {
    throw Skip("OpenSHMEM's symmetric heap has no " + std::to_string(largest_bytes) +
               " bytes left; raise SHMEM_SYMMETRIC_SIZE");
  }
  std::memset(memory_, 0, largest_bytes);
  shmem::barrier();
}

SymmetricMemory::~SymmetricMemory() {
  if (may_wait()) {
    shmem::release(memory_);
  }
}

std::string symmetric_memory_unusable(const Communicator& communicator) {
  int ranks = 0;
  HALOCLINE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (communicator.size() != ranks) {
    return "OpenSHMEM allocates on all " + std::to_string(ranks) +
           " ranks at once; this communicator has " + std::to_string(communicator.size());
  }
  int alike = MPI_UNEQUAL;
  HALOCLINE_MPI(MPI_Comm_compare(communicator.handle(), MPI_COMM_WORLD, &alike));
  return alike == MPI_IDENT || alike == MPI_CONGRUENT
             ? ""
             : "OpenSHMEM numbers the ranks as MPI_COMM_WORLD does; this communicator has them in "
               "another order";
}

void end_symmetric_memory() {
  if (started()) {
    shmem::finalize();
  }
}

}  // namespace halocline::mpi
