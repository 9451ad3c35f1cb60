#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "halocline/measure/picture.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::driver {

/// From which launch a picture is.
struct PictureOrigin {
  std::string_view id;  // of the case
  std::string_view label;
  int launch;
};

/// The pictures of a run, one file a case.
class Pictures {
 public:
  explicit Pictures(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Whether this run has no picture of the case yet. Collective.
  bool lacks(std::string_view id, const mpi::Communicator& world) const;
  /// Why there is none then, or nothing.
  std::string write(const measure::Picture& picture, const PictureOrigin& origin) const;

 private:
  std::filesystem::path file_of(std::string_view id) const;

  std::filesystem::path folder_;
};

}  // namespace halocline::driver
