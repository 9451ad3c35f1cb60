#include "halocline/mpi/unwinding.hpp"

#include <exception>

namespace halocline::mpi {
namespace {

struct Thread {
  bool in_library_call = false;
  bool all_throw = false;
};
thread_local Thread thread;

}  // namespace

bool may_wait() { return std::uncaught_exceptions() == 0 || thread.all_throw; }

LibraryCall::LibraryCall() { thread = {.in_library_call = true}; }

LibraryCall::~LibraryCall() { thread = {}; }

void all_ranks_throw() { thread.all_throw = thread.in_library_call; }

void all_ranks_caught() { thread.all_throw = false; }

}  // namespace halocline::mpi
