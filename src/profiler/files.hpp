#pragma once

#include <link.h>

#include <cstdint>
#include <string_view>

#include "profiler/process.hpp"

namespace halocline::profiler {

/// What is done to a file. Python's FileInput.OPERATIONS are in this order.
enum class Operation : std::uint32_t { read, write, open, close, seek, sync };

/// A process without an MPI library is not a rank of the job: its files are not recorded.
extern bool uses_mpi;

/// A file by its number; `no_file`: a socket, a pipe, a terminal, a file of the kernel's, or one of
/// the three standard streams.
using FileNumber = std::uint32_t;
constexpr FileNumber other_files = 0;  // those for whose names no room was left
constexpr FileNumber no_file = files_maximum;

/// The file behind a descriptor, if what this thread does to it is to be recorded.
FileNumber file_of(int descriptor);
/// The descriptor gets a new meaning.
void forget_descriptor(int descriptor);

/// A file by its name alone, as MPI_File_open is given it.
FileNumber file_named(std::string_view path);

/// Bytes are laid evenly over the time that the call took.
void note_file(FileNumber file, Operation operation, std::uint64_t enter, std::uint64_t leave,
               std::uint64_t bytes);

/// The wrapper of a C library function that reads or writes files; otherwise its own address.
Word bind_file_function(std::string_view symbol, Word target, const link_map& library);

}  // namespace halocline::profiler
