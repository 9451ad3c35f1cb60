#include "halocline/numerics/ocean_mask.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

struct PackedMask {
  std::string_view name;
  layout::Index columns;
  layout::Index rows;
  std::int64_t ocean_cells;
  std::string_view base64;
};

constexpr std::array packed_masks{
#define HALOCLINE_OCEAN_MASK(name, columns, rows, ocean_cells, base64) \
  PackedMask{#name, columns, rows, ocean_cells, base64},
#include "halocline/numerics/ocean_masks.inc"
#undef HALOCLINE_OCEAN_MASK
};

/// A mask made from a packed one, whose cells are `factor` times as long and wide.
struct CoarserMask {
  std::string_view name;
  std::string_view of;
  layout::Index factor;
};

constexpr std::array coarser_masks{CoarserMask{"x8", "x1", 8}, CoarserMask{"x4", "x1", 4}};

/// Decodes base64 byte by byte; zeros follow the end.
class Base64Bytes {
 public:
  explicit Base64Bytes(std::string_view text) : text_(text) {}

  std::uint32_t next() {
    while (bits_ < 8) {
      buffer_ = buffer_ << 6U | (at_ < text_.size() ? digit(text_[at_]) : 0);
      ++at_;
      bits_ += 6;
    }
    bits_ -= 8;
    return buffer_ >> bits_ & 0xFFU;
  }

 private:
  static std::uint32_t digit(char character) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto found = digits.find(character);
    return found == std::string_view::npos ? 0 : static_cast<std::uint32_t>(found);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t buffer_ = 0;
  unsigned bits_ = 0;
};

/// Range decoder whose probabilities adapt to what came before in the same context.
class Bits {
 public:
  explicit Bits(std::string_view base64) : bytes_(base64), land_chances_(1U << 10U, 1U << 15U) {
    for (int byte = 0; byte < 4; ++byte) {
      code_ = code_ << 8U | bytes_.next();
    }
  }

  std::uint8_t next(std::uint32_t context) {
    std::uint32_t& chance = land_chances_[context];
    const std::uint32_t bound = (span_ >> 16U) * chance;
    const bool ocean = code_ >= bound;
    if (ocean) {
      code_ -= bound;
      span_ -= bound;
      chance -= chance >> rate;
    } else {
      span_ = bound;
      chance += (0x10000U - chance) >> rate;
    }
    while (span_ < 1U << 24U) {
      span_ <<= 8U;
      code_ = code_ << 8U | bytes_.next();
    }
    return ocean ? 1 : 0;
  }

 private:
  static constexpr unsigned rate = 5;

  Base64Bytes bytes_;
  std::vector<std::uint32_t> land_chances_;  // out of 65,536
  std::uint32_t code_ = 0;
  std::uint32_t span_ = 0xFFFFFFFFU;
};

std::vector<std::uint8_t> unpacked(const PackedMask& packed) {
  const auto columns = static_cast<std::size_t>(packed.columns);
  Bits bits(packed.base64);
  std::vector<std::uint8_t> ocean;
  ocean.reserve(columns * static_cast<std::size_t>(packed.rows));
  // Two cells of land on both sides, as in the packer.
  std::vector<std::uint8_t> below(columns + 4);
  std::vector<std::uint8_t> twice_below(columns + 4);
  std::vector<std::uint8_t> row(columns + 4);
  for (layout::Index j = 0; j < packed.rows; ++j) {
    // The next cell's neighbours in rows below, westernmost in bit 0; in its own row the nearest.
    std::uint32_t near = 0;
    std::uint32_t above = std::uint32_t{below[2]} << 3U | std::uint32_t{below[3]} << 4U;
    std::uint32_t far = std::uint32_t{twice_below[2]} << 2U;
    for (std::size_t i = 0; i < columns; ++i) {
      above = above >> 1U | std::uint32_t{below[i + 4]} << 4U;
      far = far >> 1U | std::uint32_t{twice_below[i + 3]} << 2U;
      row[i + 2] = bits.next(near | above << 2U | far << 7U);
      near = (near << 1U | row[i + 2]) & 3U;
    }
    ocean.insert(ocean.end(), row.begin() + 2, row.end() - 2);
    std::swap(twice_below, below);
    std::swap(below, row);
  }
  return ocean;
}

}  // namespace

OceanMask::OceanMask(layout::Index columns, layout::Index rows, std::vector<std::uint8_t> ocean)
    : columns_(columns), rows_(rows), ocean_(std::move(ocean)) {
  if (columns < 1 || rows < 1 || static_cast<layout::Index>(ocean_.size()) != columns * rows) {
    throw Error("a mask of " + std::to_string(ocean_.size()) + " cells for a grid of " +
                std::to_string(columns) + " x " + std::to_string(rows) +
                "; give one flag for each cell");
  }
  if (std::ranges::all_of(ocean_, [](std::uint8_t flag) { return flag == 0; })) {
    throw Error("a mask of " + std::to_string(columns) + " x " + std::to_string(rows) +
                " cells without ocean; allowed: at least one ocean cell; check its values: 1 is "
                "ocean, 0 is land");
  }
}

std::int64_t OceanMask::count(const layout::Box& box) const {
  std::int64_t cells = 0;
  for (layout::Index row = box.lower[1]; row < box.upper[1]; ++row) {
    for (layout::Index column = box.lower[0]; column < box.upper[0]; ++column) {
      cells += ocean(column, row) ? 1 : 0;
    }
  }
  return cells;
}

OceanMask OceanMask::coarser(layout::Index factor) const {
  if (factor < 1 || columns_ % factor != 0 || rows_ % factor != 0) {
    throw Error("cells " + std::to_string(factor) + " times as large of a mask of " +
                std::to_string(columns_) + " x " + std::to_string(rows_) +
                " cells; allowed: a divisor of both; choose another factor");
  }
  std::vector<std::uint8_t> ocean;
  for (layout::Index row = 0; row < rows_; row += factor) {
    for (layout::Index column = 0; column < columns_; column += factor) {
      const layout::Box cells =
          layout::Box{}.with(0, column, column + factor).with(1, row, row + factor);
      ocean.push_back(2 * count(cells) > factor * factor ? 1 : 0);
    }
  }
  return {columns_ / factor, rows_ / factor, std::move(ocean)};
}

OceanMask OceanMask::of_earth(std::string_view grid) {
  std::string names;
  for (const CoarserMask& coarser : coarser_masks) {
    if (coarser.name == grid) {
      return of_earth(coarser.of).coarser(coarser.factor);
    }
    names += std::string{coarser.name} + ", ";
  }
  for (const PackedMask& packed : packed_masks) {
    if (packed.name == grid) {
      OceanMask mask(packed.columns, packed.rows, unpacked(packed));
      if (std::ranges::count(mask.ocean_, 1) != packed.ocean_cells) {
        throw Error("the land mask of grid " + std::string{grid} +
                    " is damaged: it unpacks to another number of ocean cells than was packed; "
                    "install Halocline again");
      }
      return mask;
    }
    names += std::string{packed.name} + ", ";
  }
  throw Error("no land mask for grid '" + std::string{grid} +
              "'; allowed: " + names.substr(0, names.size() - 2) + "; choose one of these");
}

}  // namespace halocline::numerics
