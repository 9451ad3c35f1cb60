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

/// The content of a file of double-precision arrays in NetCDF's classic format.
///
/// Offsets have 64 bits (CDF-2), so the file may have any size, but each variable except the last
/// must stay below 4 GiB: write large arrays in parts. CDF-5 has no such limit, but fewer readers
/// support it; SciPy, for one, does not.
class NetcdfContent {
 public:
  struct Attribute {
    std::string name;
    std::string text;
  };
  /// A part of the header, by its name in errors.
  struct Part {
    std::string name;
    std::string bytes;
  };

  /// Returns the dimension's number for add().
  std::size_t dimension(const std::string& name, std::size_t length);
  void attribute(const std::string& name, const std::string& text) {
    attributes_.push_back({name, text});
  }
  /// Dimensions from the slowest to the fastest.
  void add(const std::string& name, std::vector<std::size_t> dimensions,
           std::vector<Attribute> attributes = {});
  /// Adds the CRC-32 of each variable's bytes after all others: nothing may be added after it.
  /// NetcdfWriter writes it, NetcdfReader compares.
  void add_checksums();

  std::size_t variables() const { return variables_.size(); }
  const std::string& name(std::size_t variable) const { return variables_[variable].name; }
  std::size_t length(std::size_t variable) const { return variables_[variable].length; }
  bool has_checksums() const { return has_checksums_; }

  /// In the file's format. Throws Error for what it cannot express.
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

/// Writes a file variable by variable, under another name until it is complete: readers never see a
/// partial file. All members throw Error; an unfinished file leaves nothing behind.
class NetcdfWriter {
 public:
  /// Writes the header at once, to detect a folder that is not writable.
  NetcdfWriter(NetcdfContent content, std::filesystem::path path);

  /// Writes the next variable, whole.
  void write(std::span<const double> values);
  /// Call after the last variable.
  void finish();

 private:
  NetcdfContent content_;
  WholeFile file_;
  std::vector<double> checksums_;  // of what has been written
};

/// Reads a file that NetcdfWriter wrote with the same content, variable by variable. All members
/// throw Error for any other file and for a damaged one; `remedy` says what to choose instead.
class NetcdfReader {
 public:
  NetcdfReader(NetcdfContent content, std::filesystem::path path, std::string remedy);

  /// Reads the next variable, whole.
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
