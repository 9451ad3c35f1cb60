#pragma once

#include "profiler/files.hpp"

namespace halocline::profiler {

void open_mpi_file(Word handle, const char* path, std::uint64_t enter, std::uint64_t leave);
/// The handle's last use: it may be reused with another meaning.
void close_mpi_file(Word handle, std::uint64_t enter, std::uint64_t leave);
/// Reads and writes of a file that was opened under the profiler.
void note_mpi_file(Word handle, Operation operation, std::uint64_t enter, std::uint64_t leave,
                   std::uint64_t bytes);

}  // namespace halocline::profiler
