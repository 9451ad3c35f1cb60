#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "halocline/workload/replay/plan.hpp"

namespace halocline::workload {

/// One rank's part of a file that `halocline profile replay` wrote.
struct FilePlan {
  Plan plan;
  std::int64_t moved_bytes = 0;  // by all ranks
};

/// The text of a file; empty if it cannot be read.
std::string text_of_plan(const std::string& path);

/// Parses the text of such a file. Throws Error if it is invalid or for another number of ranks;
/// the numbers of calls are checked where they are read.
FilePlan parse_plan(const std::string& file, std::string_view text, int rank, int ranks);

/// Throws Error: what is wrong with a line of the file.
[[noreturn]] void refuse_plan(const std::string& file, std::size_t line, const std::string& why);

/// In place of a file: example_plan().
inline constexpr std::string_view example = "example";

/// Every function that can be replayed, in a ring of ranks.
FilePlan example_plan(int rank, int ranks);

}  // namespace halocline::workload
