#include "halocline/mpi/environment.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <exception>

#include "halocline/mpi/check.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/compat/openshmem.hpp"
#include "halocline/mpi/symmetric_memory.hpp"

namespace halocline::mpi {

Environment::Environment(int& argc, char**& argv, CallsFrom calls)
    : exceptions_at_start_(std::uncaught_exceptions()) {
  shmem::prepare();
  if (calls == CallsFrom::one_thread) {
    HALOCLINE_MPI(MPI_Init(&argc, &argv));
  } else {
    int level = MPI_THREAD_SINGLE;
    HALOCLINE_MPI(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
  }
  HALOCLINE_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

Environment::~Environment() {
  if (std::uncaught_exceptions() != exceptions_at_start_) {
    return;
  }
  end_symmetric_memory();
  int finalized = 0;
  MPI_Finalized(&finalized);  // Open MPI finalizes MPI with OpenSHMEM
  if (finalized == 0) {
    MPI_Finalize();
  }
}

bool running() {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

Library library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  HALOCLINE_MPI(MPI_Get_library_version(text.data(), &length));
  std::string version{text.data()};
  version.resize(std::min(version.size(), version.find('\n')));

  int major = 0;
  int minor = 0;
  HALOCLINE_MPI(MPI_Get_version(&major, &minor));

  Dl_info where{};  // by a name that profilers do not intercept
  const bool found = dladdr(reinterpret_cast<const void*>(&PMPI_Init), &where) != 0;
  return {
      .version = version,
      .standard = std::to_string(major) + "." + std::to_string(minor),
      .abi = abi.major == 0 ? "" : std::to_string(abi.major) + "." + std::to_string(abi.minor),
      .path = found ? where.dli_fname : "",
  };
}

std::string processor_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  HALOCLINE_MPI(MPI_Get_processor_name(name.data(), &length));
  return {name.data(), static_cast<std::size_t>(length)};
}

double wall_time_s() { return MPI_Wtime(); }

void abort_world(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace halocline::mpi
