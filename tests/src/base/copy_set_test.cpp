#include "halocline/base/copy_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace halocline {
namespace {

constexpr std::int64_t width = 2;
constexpr std::int64_t inside = 92;
constexpr std::int64_t row_cells = inside + 2 * width;
constexpr std::int64_t rows = 5;
constexpr std::int64_t levels = 3;
constexpr std::size_t cells = row_cells * rows * levels;

/// Columns of a field, from cell `first` of each row on.
Strided columns(std::vector<double>& field, std::int64_t first) {
  return {.base = reinterpret_cast<std::byte*>(field.data() + first),
          .element_bytes = sizeof(double),
          .count = {width, rows, levels, 1},
          .stride_bytes = {sizeof(double), row_cells * sizeof(double),
                           row_cells * rows * sizeof(double), 0}};
}

std::vector<double> numbered(double first) {
  std::vector<double> field(cells);
  std::iota(field.begin(), field.end(), first);
  return field;
}

Copy to_the_west(std::vector<double>& field) { return {columns(field, 0), columns(field, inside)}; }

Copy to_the_east(std::vector<double>& field) {
  return {columns(field, inside + width), columns(field, width)};
}

/// A copy of a part of a field into another buffer, packed.
Copy packing(const Strided& part, std::vector<double>& buffer) {
  return {part.packed_at(reinterpret_cast<std::byte*>(buffer.data())), part};
}

TEST(CopySetTest, sides_of_a_halo_are_alike_in_place_and_packed) {
  std::vector<double> field = numbered(0);
  EXPECT_TRUE(to_the_west(field).alike(to_the_east(field)));
  std::vector<double> west(width * rows * levels);
  std::vector<double> east = west;
  EXPECT_TRUE(packing(columns(field, width), west).alike(packing(columns(field, inside), east)));
}

TEST(CopySetTest, long_rows_transposed_elements_and_other_shapes_run_alone) {
  std::vector<double> field = numbered(0);
  std::vector<double> buffer(cells);
  const Copy side = packing(columns(field, 0), buffer);
  Strided wide = columns(field, 0);
  wide.count[0] = 10;
  EXPECT_FALSE(packing(wide, buffer).alike(packing(wide, buffer)));
  Strided transposed = columns(field, 0);
  std::swap(transposed.count[0], transposed.count[1]);
  std::swap(transposed.stride_bytes[0], transposed.stride_bytes[1]);
  EXPECT_FALSE(packing(transposed, buffer).alike(packing(transposed, buffer)));
  Strided lower = columns(field, 0);
  lower.count[1] = rows - 1;
  EXPECT_FALSE(packing(lower, buffer).alike(side));
  EXPECT_FALSE(side.alike(packing(lower, buffer)));
}

TEST(CopySetTest, fields_get_what_single_copies_would_bring_in_any_order) {
  std::mt19937 generator(1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::vector<double>> fields{numbered(0), numbered(1e6), numbered(2e6)};
    std::vector<std::vector<double>> expected = fields;
    std::vector<double> long_row(100);
    std::vector<double> source(100, trial);
    std::vector<Copy> copies;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      to_the_west(expected[field]).run();
      to_the_east(expected[field]).run();
      copies.push_back(to_the_west(fields[field]));
      copies.push_back(to_the_east(fields[field]));
    }
    const auto whole = [](std::vector<double>& row) {
      return Strided{.base = reinterpret_cast<std::byte*>(row.data()),
                     .element_bytes = sizeof(double),
                     .count = {100, 1, 1, 1},
                     .stride_bytes = {sizeof(double), 0, 0, 0}};
    };
    copies.emplace_back(whole(long_row), whole(source));
    std::ranges::shuffle(copies, generator);
    CopySet(std::move(copies)).run();
    EXPECT_EQ(fields, expected);
    EXPECT_EQ(long_row, source);
  }
}

TEST(CopySetTest, nothing_to_copy_is_allowed) {
  EXPECT_TRUE(CopySet().empty());
  CopySet(std::vector<Copy>{}).run();
}

}  // namespace
}  // namespace halocline
