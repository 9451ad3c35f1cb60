#pragma once

namespace halocline::mpi {

/// Whether a destructor may wait for other ranks, as freeing what they share does. Not while an
/// exception unwinds: a rank that failed alone must not wait. Within a call of the library,
/// failures that ranks agree on are thrown by all ranks that share anything there, and may free it.
bool may_wait();

/// A call of the library, during its lifetime, on this thread.
class LibraryCall {
 public:
  LibraryCall();
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
};

/// All ranks are about to throw the same.
void all_ranks_throw();
template <class Failure>
[[noreturn]] void throw_on_all(const Failure& failure) {
  all_ranks_throw();
  throw Failure(failure);
}
/// What they threw has been caught, and the call goes on.
void all_ranks_caught();

}  // namespace halocline::mpi
