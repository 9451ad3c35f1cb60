#pragma once

#include <cstdint>

#include "profiler/format.hpp"
#include "profiler/storage.hpp"

namespace halocline::profiler {

/// Calls by file, operation and bin of time. When there are too many bins, they double in width, in
/// a second table of the process's file, so that a killed process leaves one complete table. One
/// thread at a time.
class Bins {
 public:
  void add(std::uint32_t file, std::uint32_t operation, std::uint64_t enter, std::uint64_t leave,
           std::uint64_t bytes);

 private:
  std::uint32_t which() const;  // of the tables
  std::uint32_t shift() const;  // of ticks to bins
  std::uint32_t& rows() const;
  FileRow* row(std::uint32_t file, std::uint32_t operation, std::uint64_t bin);
  bool make_room();
  FileRow* table() const;
  void widen();

  static constexpr std::uint32_t places = 2 * file_rows_maximum;
  std::uint32_t state_;
  Area areas_[2];
  std::uint16_t index_[places];
};

}  // namespace halocline::profiler
