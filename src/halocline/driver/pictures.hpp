#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "halocline/measure/picture.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::driver {

/// The launch that a picture comes from.
struct PictureOrigin {
  std::string_view id;  // of the case
  std::string_view label;
  int launch;
};

/// The pictures of a run, one file per case.
class Pictures {
 public:
  explicit Pictures(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Whether this run still has no picture of the case. Collective.
  bool lacks(std::string_view id, const mpi::Communicator& world) const;
  /// Why writing failed; empty on success.
  std::string write(const measure::Picture& picture, const PictureOrigin& origin) const;

 private:
  std::filesystem::path file_of(std::string_view id) const;

  std::filesystem::path folder_;
};

}  // namespace halocline::driver
