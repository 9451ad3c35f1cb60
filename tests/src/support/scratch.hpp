#pragma once

#include <filesystem>
#include <optional>

#include "halocline/mpi/communicator.hpp"

namespace halocline::test {

/// A folder for one test, removed with it: tests that run side by side never meet.
class Scratch {
 public:
  Scratch();
  /// One folder for all of them; they agree on it here and part at its end.
  explicit Scratch(const mpi::Communicator& ranks);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const {
    return folder_ / name;
  }

 private:
  const mpi::Communicator* ranks_ = nullptr;
  std::filesystem::path folder_;
};

}  // namespace halocline::test
