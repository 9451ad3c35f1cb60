#pragma once

#include <string>

namespace halocline::mpi {

/// Which threads of a rank may call MPI.
enum class CallsFrom { one_thread, many_threads };

/// MPI_Init to MPI_Finalize. Not movable: MPI can be started only once in a process.
class Environment {
 public:
  Environment(int& argc, char**& argv, CallsFrom calls = CallsFrom::one_thread);
  /// Finalizes, unless an exception is in flight: a rank that failed must not wait for the others.
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  int exceptions_at_start_;
};

/// Whether any code has initialised MPI and none has finalised it.
bool running();

/// The MPI library of this process, as it describes itself.
struct Library {
  std::string version;   // first line of MPI_Get_library_version
  std::string standard;  // "5.0", from MPI_Get_version
  std::string abi;       // "1.0" where the standard ABI is used, else empty
  std::string path;      // the shared object that defines MPI_Init
};

Library library();

/// The host name according to MPI.
std::string processor_name();

/// Seconds from MPI_Wtime: the only clock that advances in simulation.
double wall_time_s();

/// Aborts all ranks at once with this exit code.
[[noreturn]] void abort_world(int exit_code);

}  // namespace halocline::mpi
