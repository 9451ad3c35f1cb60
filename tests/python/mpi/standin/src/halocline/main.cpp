// Does as much of the driver's job as proving a library asks for.
#include <dlfcn.h>
#include <mpi.h>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  std::string output;
  for (int word = 1; word < argc; ++word) {
    if (argv[word] == std::string("--catalogue")) {
      std::cout << R"({"schema":1,"workloads":[],"protocols":[]})" << std::endl;
      return 0;
    }
    if (argv[word] == std::string("--output")) {
      output = argv[word + 1];
    }
  }
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  int length = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(version, &length);
  Dl_info where{};
  dladdr(dlsym(RTLD_DEFAULT, "MPI_Init"), &where);
  if (rank == 0) {
    std::string all = version;
    std::replace(all.begin(), all.end(), '\t', ' ');  // JSON allows no tab
    std::ofstream file(output);
    file << R"({"type":"start","ranks":)" << ranks << R"(,"mpi":{"library_version":")"
         << all.substr(0, all.find_first_of("\r\n")) << R"(","library_path":")"
         << (where.dli_fname ? where.dli_fname : "") << "\"}}" << std::endl;
  }
  MPI_Finalize();
  return 0;
}
