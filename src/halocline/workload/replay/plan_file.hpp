#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "halocline/mpi/replayed_calls.hpp"

namespace halocline::workload {

/// The part of one rank in a file that `halocline profile replay` wrote.
struct FilePlan {
  mpi::Plan plan;
  std::int64_t moved_bytes = 0;  // by all ranks
};

/// The text of a file; nothing where it cannot be read.
std::string text_of_plan(const std::string& path);

/// Reads the text of such a file. Throws Error where it is none, or of another number of ranks.
FilePlan parse_plan(const std::string& text, int rank, int ranks);

/// In place of a file: example_plan().
inline constexpr std::string_view example = "example";

/// Every function that can be replayed, in a ring of so many ranks.
FilePlan example_plan(int rank, int ranks);

}  // namespace halocline::workload
