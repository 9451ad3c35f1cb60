#include "halocline/base/netcdf.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <system_error>

#include "halocline/base/error.hpp"

namespace halocline {
namespace {

// Tags of the format (NetCDF classic format specification, CDF-2).
constexpr std::uint32_t dimension_list = 10;
constexpr std::uint32_t variable_list = 11;
constexpr std::uint32_t attribute_list = 12;
constexpr std::uint32_t characters = 2;
constexpr std::uint32_t doubles = 6;
constexpr std::uint64_t longest_size = 0xFFFF'FFFCU;  // of a variable, as the header can say it

void put(std::string& bytes, std::uint64_t number, unsigned length) {
  for (unsigned byte = length; byte-- > 0;) {
    bytes.push_back(static_cast<char>(number >> (8 * byte) & 0xFFU));
  }
}

void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size(), 4);
  bytes += text;
  bytes.append((4 - text.size() % 4) % 4, '\0');
}

/// How many of a kind follow.
void put_list(std::string& bytes, std::uint32_t tag, std::size_t count) {
  put(bytes, count == 0 ? 0 : tag, 4);
  put(bytes, count, 4);
}

void put(std::string& bytes, const std::vector<NetcdfFile::Attribute>& attributes) {
  put_list(bytes, attribute_list, attributes.size());
  for (const auto& [name, text] : attributes) {
    put(bytes, name);
    put(bytes, characters, 4);
    put(bytes, text);
  }
}

/// The most significant byte first.
std::string encoded(const std::vector<double>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(double));
  for (const double value : values) {
    put(bytes, std::bit_cast<std::uint64_t>(value), sizeof(double));
  }
  return bytes;
}

void decode(const std::string& bytes, std::vector<double>& values) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    std::uint64_t number = 0;
    for (std::size_t byte = 0; byte < sizeof(double); ++byte) {
      number = number << 8U | static_cast<unsigned char>(bytes[index * sizeof(double) + byte]);
    }
    values[index] = std::bit_cast<double>(number);
  }
}

}  // namespace

std::size_t NetcdfFile::dimension(const std::string& name, std::size_t length) {
  dimensions_.push_back({name, length});
  return dimensions_.size() - 1;
}

std::size_t NetcdfFile::add(const std::string& name, std::vector<std::size_t> dimensions,
                            std::vector<Attribute> attributes) {
  std::size_t length = 1;
  for (const std::size_t dimension : dimensions) {
    length *= dimensions_[dimension].length;
  }
  variables_.push_back({.name = name,
                        .dimensions = std::move(dimensions),
                        .attributes = std::move(attributes),
                        .values = std::vector<double>(length)});
  return variables_.size() - 1;
}

std::string NetcdfFile::header() const {
  return header_of(header_of(0).size());  // offsets are as long, whatever they are
}

std::string NetcdfFile::header_of(std::uint64_t first_value) const {
  std::string bytes("CDF\x02");
  put(bytes, 0, 4);  // no records
  put_list(bytes, dimension_list, dimensions_.size());
  for (const Dimension& dimension : dimensions_) {
    put(bytes, dimension.name);
    put(bytes, dimension.length, 4);
  }
  put(bytes, attributes_);
  put_list(bytes, variable_list, variables_.size());
  for (const Variable& variable : variables_) {
    put(bytes, variable.name);
    put(bytes, variable.dimensions.size(), 4);
    for (const std::size_t dimension : variable.dimensions) {
      put(bytes, dimension, 4);
    }
    put(bytes, variable.attributes);
    put(bytes, doubles, 4);
    const std::uint64_t size = variable.values.size() * sizeof(double);
    put(bytes, std::min(size, longest_size), 4);
    put(bytes, first_value, sizeof(std::uint64_t));
    first_value += size;
  }
  return bytes;
}

void NetcdfFile::write(const std::filesystem::path& path) const {
  std::error_code failure;
  std::filesystem::create_directories(path.parent_path(), failure);
  const std::filesystem::path under_way = path.string() + ".part";
  std::ofstream file(under_way, std::ios::binary);
  file << header();
  for (std::size_t next = 0; file && next < variables_.size(); ++next) {
    file << encoded(variables_[next].values);
  }
  file.flush();
  if (!file) {
    failure = std::error_code(errno, std::generic_category());
  }
  file.close();
  if (!failure) {
    std::filesystem::rename(under_way, path, failure);
  }
  if (failure) {
    std::error_code ignored;
    std::filesystem::remove(under_way, ignored);  // other files need the room
    throw Error("cannot write " + path.string() + ": " + failure.message() +
                "; choose a folder with room that may be written to");
  }
}

void NetcdfFile::read(const std::filesystem::path& path, const std::string& remedy) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error("cannot read " + path.string() + ": " + std::strerror(errno) + "; " + remedy);
  }
  const std::string expected = header();
  std::string present(expected.size(), '\0');
  file.read(present.data(), static_cast<std::streamsize>(present.size()));
  if (!file || present != expected) {
    throw Error(path.string() + " holds other fields or another grid; " + remedy);
  }
  for (Variable& variable : variables_) {
    std::string bytes(variable.values.size() * sizeof(double), '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
      throw Error(path.string() + " ends within " + variable.name + "; " + remedy);
    }
    decode(bytes, variable.values);
    if (!std::ranges::all_of(variable.values, [](double value) { return std::isfinite(value); })) {
      throw Error(path.string() + " is damaged: a value of " + variable.name + " is no number; " +
                  remedy);
    }
  }
  if (file.peek() != std::ifstream::traits_type::eof()) {
    throw Error(path.string() + " is damaged: it goes on after its last field; " + remedy);
  }
}

}  // namespace halocline
