#pragma once

#include <cstdint>

#include "profiler/format.hpp"

/// The process's file, which is mapped and never held open: a program may close any descriptor and
/// get its number for a file of its own.
namespace halocline::profiler {

/// A table of the file, as one stretch of memory of which the beginning is in the file.
struct Area {
  Pieces* pieces;  // null: not opened yet
  char* memory;
  std::uint64_t bytes;  // in the file
  std::uint64_t maximum;
};

/// Makes the file; null if it cannot be made, with errno.
Header* create_file(const char* path);

/// Adds bytes to the file, for data of fixed size; null without space.
void* add_to_file(std::uint64_t bytes, std::uint64_t& at);

/// Reserves memory, once, for a table up to this length; false without memory.
bool open_area(Area& area, Pieces& pieces, std::uint64_t maximum);

/// Makes so many bytes of the table real; false if the disk is full, or the process's limit
/// reached.
bool extend(Area& area, std::uint64_t bytes);

}  // namespace halocline::profiler
