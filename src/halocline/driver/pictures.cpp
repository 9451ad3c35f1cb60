#include "halocline/driver/pictures.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "halocline/base/error.hpp"
#include "halocline/base/json.hpp"
#include "halocline/base/whole_file.hpp"

namespace halocline::driver {
namespace {

constexpr int picture_schema = 1;
constexpr int digits = 4;  // more than a colour shows

double rounded(double number) {
  std::array<char, 32> text{};
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), number,
                                        std::chars_format::scientific, digits - 1)
                              .ptr;
  double found = 0;
  std::from_chars(text.data(), end, found);
  return found;
}

void append(JsonText& json, const measure::PictureMap& map) {
  json.begin_object()
      .field("name", map.name)
      .field("title", map.title)
      .field("unit", map.unit)
      .key("values")
      .begin_array();
  for (const double value : map.values) {
    if (std::isfinite(value)) {
      json.value(rounded(value));
    } else {
      json.null();
    }
  }
  json.end_array().end_object();
}

void append(JsonText& json, const measure::PictureOwners& owners) {
  json.begin_object()
      .field("columns", owners.columns)
      .field("rows", owners.rows)
      .key("blocks")
      .begin_array();
  for (const measure::PictureBlock& block : owners.blocks) {
    json.begin_array()
        .value(block.west)
        .value(block.east)
        .value(block.south)
        .value(block.north)
        .value(block.owner)
        .end_array();
  }
  json.end_array()
      .list("work", owners.work)
      .field("land_side", owners.land_side)
      .list("land", owners.land)
      .field("omitted", owners.omitted)
      .end_object();
}

}  // namespace

std::filesystem::path Pictures::file_of(std::string_view id) const {
  return folder_ / (std::string{id} + ".json");
}

bool Pictures::lacks(std::string_view id, const mpi::Communicator& world) const {
  std::error_code ignored;
  const bool there = world.rank() == 0 && std::filesystem::exists(file_of(id), ignored);
  return world.broadcast(std::int64_t{there}) == 0;
}

std::string Pictures::write(const measure::Picture& picture, const PictureOrigin& origin) const {
  JsonText json;
  json.begin_object()
      .field("schema", picture_schema)
      .field("case", origin.id)
      .field("label", origin.label)
      .field("launch", origin.launch)
      .field("model_s", picture.model_time.count())
      .field("rows", picture.rows)
      .field("columns", picture.columns)
      .key("maps")
      .begin_array();
  for (const measure::PictureMap& map : picture.maps) {
    append(json, map);
  }
  json.end_array();
  if (picture.owners) {
    append(json.key("owners"), *picture.owners);
  }
  json.end_object();
  try {
    WholeFile file(file_of(origin.id));
    file.write(json.text() + "\n");
    file.finish();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace halocline::driver
