#pragma once

#include <link.h>

#include <cstdint>
#include <string_view>

#include "profiler/process.hpp"

namespace halocline::profiler {

/// Operations on a file. Python's FileInput.OPERATIONS has the same order.
enum class Operation : std::uint32_t { read, write, open, close, seek, sync };

/// A process without an MPI library is not a rank of the job: its files are not recorded.
extern bool uses_mpi;

/// A file by its number; `no_file`: a socket, a pipe, a terminal, a kernel file, or one of the
/// three standard streams.
using FileNumber = std::uint32_t;
constexpr FileNumber other_files = 0;  // those that had no room for their names
constexpr FileNumber no_file = files_maximum;

/// The file behind a descriptor, if this thread's operations on it are to be recorded.
FileNumber file_of(int descriptor);
/// The descriptor gets a new meaning.
void forget_descriptor(int descriptor);

/// A file by name only, as passed to MPI_File_open.
FileNumber file_named(std::string_view path);

/// Spreads the bytes evenly over the time of the call.
void note_file(FileNumber file, Operation operation, std::uint64_t enter, std::uint64_t leave,
               std::uint64_t bytes);

/// The wrapper of a C library function that reads or writes files; otherwise `target`.
Word bind_file_function(std::string_view symbol, Word target, const link_map& library);

}  // namespace halocline::profiler
