#pragma once

#include <cstdint>

#include "profiler/format.hpp"

/// The process's file, which is mapped and never held open: a program may close any descriptor and
/// get its number for a file of its own.
namespace halocline::profiler {

/// A table of the file: one address range, the beginning of which is in the file.
struct Area {
  Pieces* pieces;  // null: not opened yet
  char* memory;
  std::uint64_t bytes;  // in the file
  std::uint64_t maximum;
};

/// Creates the file; null on failure, with errno.
Header* create_file(const char* path);

/// Writes the file to the server that holds it, where other nodes read it; elsewhere, nothing.
void write_back();

/// Adds bytes to the file, for data of fixed size; null if there is no space.
void* add_to_file(std::uint64_t bytes, std::uint64_t& at);

/// Reserves memory, once, for a table of up to this length; false without memory.
bool open_area(Area& area, Pieces& pieces, std::uint64_t maximum);

/// Backs this many bytes of the table; false if the disk is full or the process's limit is reached.
bool extend(Area& area, std::uint64_t bytes);

}  // namespace halocline::profiler
