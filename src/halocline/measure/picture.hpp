#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/layout/box.hpp"

namespace halocline::measure {

/// A field on the sphere: rows from south to north, each from 180° W eastwards. NaN is land.
struct PictureMap {
  std::string name;
  std::string title;
  std::string unit;
  std::vector<double> values;
};

/// A block of a grid, half-open ranges of columns and rows, and the rank that owns it, or -1.
struct PictureBlock {
  layout::Index west;
  layout::Index east;
  layout::Index south;
  layout::Index north;
  int owner;
};

/// Who owns which part of a grid with land.
struct PictureOwners {
  layout::Index columns = 0;
  layout::Index rows = 0;
  std::vector<PictureBlock> blocks;
  std::vector<std::int64_t> work;  // of each rank: cells of ocean
  layout::Index land_side = 1;     // columns and rows of the grid in a cell of `land`
  std::vector<std::string> land;   // from the first row, '#' for land, '.' for ocean
  std::string omitted;             // why the blocks are missing
};

/// What a report shows of a case in addition to figures.
struct Picture {
  Seconds model_time{0};
  std::int64_t rows = 0;  // of each map
  std::int64_t columns = 0;
  std::vector<PictureMap> maps;
  std::optional<PictureOwners> owners;
};

}  // namespace halocline::measure
