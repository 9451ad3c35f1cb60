#include "halocline/base/netcdf.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <system_error>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline {
namespace {

// Tags of the format (NetCDF classic format specification, CDF-2).
constexpr std::uint32_t dimension_list = 10;
constexpr std::uint32_t variable_list = 11;
constexpr std::uint32_t attribute_list = 12;
constexpr std::uint32_t characters = 2;
constexpr std::uint32_t doubles = 6;
constexpr std::uint64_t longest_dimension = 0x7FFF'FFFFU;
constexpr std::uint64_t longest_size = 0xFFFF'FFFCU;  // of a variable, in the header
constexpr std::uint64_t longer_size = 0xFFFF'FFFFU;   // there, for a longer last variable
constexpr std::size_t encoded_at_a_time = 8192;

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

/// Starts a list of this many entries.
std::string list_of(std::uint32_t tag, std::size_t count) {
  std::string bytes;
  put(bytes, count == 0 ? 0 : tag, 4);
  put(bytes, count, 4);
  return bytes;
}

std::string encoded(const NetcdfContent::Attribute& attribute) {
  std::string bytes;
  put(bytes, attribute.name);
  put(bytes, characters, 4);
  put(bytes, attribute.text);
  return bytes;
}

/// In big-endian order.
std::string encoded(std::span<const double> values) {
  std::string bytes;
  bytes.reserve(values.size_bytes());
  for (const double value : values) {
    put(bytes, std::bit_cast<std::uint64_t>(value), sizeof(double));
  }
  return bytes;
}

void decode(std::string_view bytes, std::span<double> values) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    std::uint64_t number = 0;
    for (std::size_t byte = 0; byte < sizeof(double); ++byte) {
      number = number << 8U | static_cast<unsigned char>(bytes[index * sizeof(double) + byte]);
    }
    values[index] = std::bit_cast<double>(number);
  }
}

std::string why_last_call_failed() {
  return std::error_code(errno, std::generic_category()).message();
}

}  // namespace

std::size_t NetcdfContent::dimension(const std::string& name, std::size_t length) {
  dimensions_.push_back({name, length});
  return dimensions_.size() - 1;
}

void NetcdfContent::add(const std::string& name, std::vector<std::size_t> dimensions,
                        std::vector<Attribute> attributes) {
  const std::size_t length = std::transform_reduce(
      dimensions.begin(), dimensions.end(), std::size_t{1}, std::multiplies<>(),
      [this](std::size_t dimension) { return dimensions_[dimension].length; });
  variables_.push_back({.name = name,
                        .dimensions = std::move(dimensions),
                        .attributes = std::move(attributes),
                        .length = length});
}

void NetcdfContent::add_checksums() {
  const std::size_t each = dimension("variable", variables_.size());
  add("crc32", {each}, {{"long_name", "CRC-32 of the bytes of each variable before"}});
  has_checksums_ = true;
}

std::vector<NetcdfContent::Part> NetcdfContent::header() const {
  std::size_t size = 0;
  for (const Part& part : header_of(0)) {  // offsets have the same length whatever their values
    size += part.bytes.size();
  }
  return header_of(size);
}

std::uint64_t NetcdfContent::bytes() const {
  std::uint64_t bytes = 0;
  for (const Part& part : header()) {
    bytes += part.bytes.size();
  }
  for (const Variable& variable : variables_) {
    bytes += variable.length * sizeof(double);
  }
  return bytes;
}

std::vector<NetcdfContent::Part> NetcdfContent::header_of(std::uint64_t first_value) const {
  std::string format("CDF\x02");
  put(format, 0, 4);  // no records
  std::vector<Part> parts{{"format", format}};
  parts.push_back({"number of dimensions", list_of(dimension_list, dimensions_.size())});
  for (const Dimension& dimension : dimensions_) {
    if (dimension.length > longest_dimension) {
      throw Error("dimension " + dimension.name + " of " + std::to_string(dimension.length) +
                  "; allowed: up to " + std::to_string(longest_dimension) + "; split it");
    }
    Part& part = parts.emplace_back("dimension " + dimension.name, "");
    put(part.bytes, dimension.name);
    put(part.bytes, dimension.length, 4);
  }
  parts.push_back({"number of attributes", list_of(attribute_list, attributes_.size())});
  for (const Attribute& attribute : attributes_) {
    parts.push_back({attribute.name, encoded(attribute)});
  }
  parts.push_back({"number of variables", list_of(variable_list, variables_.size())});
  for (const Variable& variable : variables_) {
    parts.push_back({"variable " + variable.name, header_part(variable, first_value)});
    first_value += variable.length * sizeof(double);
  }
  return parts;
}

std::string NetcdfContent::header_part(const Variable& variable, std::uint64_t at) const {
  const std::uint64_t size = variable.length * sizeof(double);
  const bool is_last = &variable == &variables_.back();
  if (size > longest_size && !is_last) {
    throw Error("variable " + variable.name + " takes " + std::to_string(size) +
                " bytes; allowed where another follows: up to " + std::to_string(longest_size) +
                "; split it");
  }
  std::string bytes;
  put(bytes, variable.name);
  put(bytes, variable.dimensions.size(), 4);
  for (const std::size_t dimension : variable.dimensions) {
    put(bytes, dimension, 4);
  }
  bytes += list_of(attribute_list, variable.attributes.size());
  for (const Attribute& attribute : variable.attributes) {
    bytes += encoded(attribute);
  }
  put(bytes, doubles, 4);
  put(bytes, size > longest_size ? longer_size : size, 4);
  put(bytes, at, sizeof(std::uint64_t));
  return bytes;
}

NetcdfWriter::NetcdfWriter(NetcdfContent content, std::filesystem::path path)
    : content_(std::move(content)), file_(std::move(path)) {
  for (const NetcdfContent::Part& part : content_.header()) {
    file_.write(part.bytes);
  }
  file_.flush();
}

void NetcdfWriter::write(std::span<const double> values) {
  Crc32 checksum;
  for (std::size_t first = 0; first < values.size(); first += encoded_at_a_time) {
    const std::string bytes =
        encoded(values.subspan(first, std::min(encoded_at_a_time, values.size() - first)));
    checksum.add(bytes);
    file_.write(bytes);
  }
  checksums_.push_back(checksum.value());
}

void NetcdfWriter::finish() {
  if (content_.has_checksums()) {
    write(std::vector(checksums_));
  }
  file_.finish();
}

NetcdfReader::NetcdfReader(NetcdfContent content, std::filesystem::path path, std::string remedy)
    : content_(std::move(content)), path_(std::move(path)), remedy_(std::move(remedy)) {
  file_.open(path_, std::ios::binary);
  if (!file_) {
    throw Error("cannot read " + path_.string() + ": " + why_last_call_failed() + "; " + remedy_);
  }
  require_header();
  require_size();
  if (content_.has_checksums()) {
    const auto behind_header = file_.tellg();
    checksums_.resize(content_.length(content_.variables() - 1));
    file_.seekg(-static_cast<std::streamoff>(checksums_.size() * sizeof(double)), std::ios::end);
    Crc32 unused;
    read_bytes(checksums_, unused, "crc32");
    file_.seekg(behind_header);
  }
}

void NetcdfReader::require_header() {
  for (const NetcdfContent::Part& expected : content_.header()) {
    std::string present(expected.bytes.size(), '\0');
    file_.read(present.data(), static_cast<std::streamsize>(present.size()));
    if (!file_ || present != expected.bytes) {
      fail("holds other fields or another grid: its " + expected.name + " differs");
    }
  }
}

/// Before anything is read, so that a truncated file is refused at once.
void NetcdfReader::require_size() {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path_, failure);
  if (failure || size != content_.bytes()) {
    fail("is damaged: it has " + (failure ? "no size" : std::to_string(size) + " bytes") +
         " instead of " + std::to_string(content_.bytes()));
  }
}

void NetcdfReader::read_bytes(std::span<double> values, Crc32& checksum, const std::string& name) {
  std::string bytes;
  for (std::size_t first = 0; first < values.size(); first += encoded_at_a_time) {
    const std::span<double> part =
        values.subspan(first, std::min(encoded_at_a_time, values.size() - first));
    bytes.resize(part.size_bytes());
    file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file_) {
      fail("ends within " + name);
    }
    checksum.add(bytes);
    decode(bytes, part);
  }
}

void NetcdfReader::read(std::span<double> values) {
  const std::string& name = content_.name(next_);
  Crc32 checksum;
  read_bytes(values, checksum, name);
  if (content_.has_checksums() && checksums_[next_] != checksum.value()) {
    fail("is damaged: the checksum of " + name + " differs");
  }
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    fail("is damaged: a value of " + name + " is not finite");
  }
  ++next_;
}

void NetcdfReader::fail(const std::string& what) const {
  throw Error(path_.string() + " " + what + "; " + remedy_);
}

}  // namespace halocline
