#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "halocline/base/checksum.hpp"

namespace halocline::measure {

/// Appends records to a samples file with one write per record, so that a process that ends for any
/// reason leaves whole lines. First terminates a last line that a killed writer left unfinished.
class SampleWriter {
 public:
  /// Throws Error when the file cannot be opened for appending.
  explicit SampleWriter(std::filesystem::path path);
  ~SampleWriter();
  SampleWriter(const SampleWriter&) = delete;
  SampleWriter& operator=(const SampleWriter&) = delete;

  /// Appends the record and a newline. A record that does not fit is removed again, and an Error
  /// names the file and the remedy.
  void append(const std::string& record);

  /// CRC-32 over all lines appended so far, newlines included.
  std::uint32_t checksum() const { return checksum_.value(); }

 private:
  void write_whole(std::string_view bytes);

  std::filesystem::path path_;
  int descriptor_;
  Crc32 checksum_;
};

}  // namespace halocline::measure
