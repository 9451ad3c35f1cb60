#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace halocline {

/// A file of double-precision arrays in NetCDF's classic format with 64-bit offsets, which every
/// reader of NetCDF opens. Values are of all variables, whole.
class NetcdfFile {
 public:
  struct Attribute {
    std::string name;
    std::string text;
  };

  /// The number of the dimension, for add().
  std::size_t dimension(const std::string& name, std::size_t length);
  void attribute(const std::string& name, const std::string& text) {
    attributes_.push_back({name, text});
  }
  /// Dimensions from the slowest to the fastest. The number of the variable, for values().
  std::size_t add(const std::string& name, std::vector<std::size_t> dimensions,
                  std::vector<Attribute> attributes);
  /// As long as the variable's dimensions say; 0 until written.
  std::vector<double>& values(std::size_t variable) { return variables_[variable].values; }

  /// Under another name first, then at once: who reads the file meets a whole one. Throws Error.
  void write(const std::filesystem::path& path) const;
  /// Takes the values of a file that write() has written with the same dimensions, names and
  /// attributes. Throws Error for any other; `remedy` says what to choose instead.
  void read(const std::filesystem::path& path, const std::string& remedy);

 private:
  struct Dimension {
    std::string name;
    std::size_t length;
  };
  struct Variable {
    std::string name;
    std::vector<std::size_t> dimensions;
    std::vector<Attribute> attributes;
    std::vector<double> values;
  };

  std::string header() const;
  std::string header_of(std::uint64_t first_value) const;

  std::vector<Dimension> dimensions_;
  std::vector<Attribute> attributes_;
  std::vector<Variable> variables_;
};

}  // namespace halocline
