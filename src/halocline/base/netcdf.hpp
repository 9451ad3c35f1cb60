#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/base/checksum.hpp"
#include "halocline/base/whole_file.hpp"

namespace halocline {

/// What a file of double-precision arrays in NetCDF's classic format holds.
///
/// Offsets have 64 bits (CDF-2), so the file may be of any size, but a variable that is not the
/// last must stay below 4 GiB: write large arrays in parts. CDF-5 knows no such limit, but fewer
/// readers know it: SciPy, for one, does not.
class NetcdfContent {
 public:
  struct Attribute {
    std::string name;
    std::string text;
  };
  /// A part of the header, by the name that errors call it.
  struct Part {
    std::string name;
    std::string bytes;
  };

  /// The number of the dimension, for add().
  std::size_t dimension(const std::string& name, std::size_t length);
  void attribute(const std::string& name, const std::string& text) {
    attributes_.push_back({name, text});
  }
  /// Dimensions from the slowest to the fastest.
  void add(const std::string& name, std::vector<std::size_t> dimensions,
           std::vector<Attribute> attributes = {});
  /// Behind all that has been added, the CRC-32 of each variable's bytes: nothing is added after
  /// it. NetcdfWriter writes it, NetcdfReader compares.
  void add_checksums();

  std::size_t variables() const { return variables_.size(); }
  const std::string& name(std::size_t variable) const { return variables_[variable].name; }
  std::size_t length(std::size_t variable) const { return variables_[variable].length; }
  bool has_checksums() const { return has_checksums_; }

  /// As the format has it. Throws Error for what it cannot express.
  std::vector<Part> header() const;
  std::uint64_t bytes() const;

 private:
  struct Dimension {
    std::string name;
    std::size_t length;
  };
  struct Variable {
    std::string name;
    std::vector<std::size_t> dimensions;
    std::vector<Attribute> attributes;
    std::size_t length;
  };

  std::vector<Part> header_of(std::uint64_t first_value) const;
  std::string header_part(const Variable& variable, std::uint64_t at) const;

  std::vector<Dimension> dimensions_;
  std::vector<Attribute> attributes_;
  std::vector<Variable> variables_;
  bool has_checksums_ = false;
};

/// Writes a file variable by variable, under another name until it is whole: who reads the file
/// meets a whole one. All members throw Error; a file that is not finished leaves nothing behind.
class NetcdfWriter {
 public:
  /// Writes the header at once, so that a folder that cannot be written to is found.
  NetcdfWriter(NetcdfContent content, std::filesystem::path path);

  /// The next variable, whole.
  void write(std::span<const double> values);
  /// After the last that was added.
  void finish();

 private:
  NetcdfContent content_;
  WholeFile file_;
  std::vector<double> checksums_;  // of what has been written
};

/// Reads a file that NetcdfWriter has written with the same content, variable by variable. All
/// members throw Error for any other and for one that is damaged; `remedy` says what to choose
/// instead.
class NetcdfReader {
 public:
  NetcdfReader(NetcdfContent content, std::filesystem::path path, std::string remedy);

  /// The next variable, whole.
  void read(std::span<double> values);

 private:
  void require_size();
  void require_header();
  void read_bytes(std::span<double> values, Crc32& checksum, const std::string& name);
  [[noreturn]] void fail(const std::string& what) const;

  NetcdfContent content_;
  std::filesystem::path path_;
  std::string remedy_;
  std::ifstream file_;
  std::size_t next_ = 0;
  std::vector<double> checksums_;
};

}  // namespace halocline
