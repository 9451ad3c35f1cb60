#pragma once

#include <filesystem>
#include <string>

#include "halocline/base/memory.hpp"
#include "halocline/measure/sampler.hpp"

namespace halocline::driver {

/// Options of the command line.
struct Options {
  bool catalogue = false;  // only print the catalogue, without MPI
  std::string replay;      // only make the calls of this plan, once
  std::filesystem::path cases;
  std::filesystem::path output;
  std::string label;
  int launch = 0;
  int stall_s = 60;
  measure::Budget budget;
  Pages pages = Pages::as_system;
  bool verify_only = false;         // check payloads, time nothing
  std::string openblas;             // the library's file; empty: the system's
  std::filesystem::path turns;      // the folder for taking turns; empty: run at once
  bool path_must_be_proven = true;  // otherwise only recorded: for fabrics without byte counters
};

/// Throws UsageError.
Options parse_options(int argc, const char* const* argv);

}  // namespace halocline::driver
