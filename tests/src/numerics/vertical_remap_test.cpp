#include "halocline/numerics/vertical_remap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace halocline::numerics {
namespace {

constexpr std::size_t layer_count = 12;
constexpr std::size_t field_count = 3;  // mass, one that varies, one that does not

/// Columns whose layers have moved: some by less than they are thick, some by several of them.
class RemapTest : public testing::Test {
 protected:
  ColumnFields fields_of(std::vector<double>& values) const {
    return {.first = values.data(),
            .levels = layer_count,
            .columns = values.size() / layer_count / field_count};
  }

  std::vector<double> moved(std::size_t columns, std::size_t first = 0) const {
    std::vector<double> values(columns * layer_count * field_count);
    const ColumnFields all = fields_of(values);
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t level = 0; level < layer_count; ++level) {
        const auto number = static_cast<double>(first + column);
        const double stretch = (first + column) % 3 == 0 ? 0.1 : 0.9;
        all.at(0, level, column) =
            1e5 * levels_.share(level) *
            (1 + stretch * std::sin(number + 0.6 * static_cast<double>(level)));
        all.at(1, level, column) = 2 + std::cos(number * static_cast<double>(level));
        all.at(2, level, column) = 0.7;
      }
    }
    return values;
  }

  double content(std::vector<double>& values, std::size_t field, std::size_t column) const {
    const ColumnFields all = fields_of(values);
    double sum = 0;
    for (std::size_t level = 0; level < layer_count; ++level) {
      sum += all.at(0, level, column) * (field == 0 ? 1 : all.at(field, level, column));
    }
    return sum;
  }

  AirLevels levels_{layer_count};
  VerticalRemap remap_{levels_};
};

TEST_F(RemapTest, keeps_what_columns_hold_and_what_is_the_same_at_all_levels) {
  constexpr std::size_t columns = 13;
  std::vector<double> before = moved(columns);
  std::vector<double> after = before;
  remap_.step(fields_of(after), 1, field_count);
  for (std::size_t column = 0; column < columns; ++column) {
    const double mass = content(before, 0, column);
    EXPECT_NEAR(content(after, 0, column) / mass, 1, 1e-14);
    EXPECT_NEAR(content(after, 1, column) / content(before, 1, column), 1, 1e-14);
    for (std::size_t level = 0; level < layer_count; ++level) {
      EXPECT_NEAR(fields_of(after).at(2, level, column), 0.7, 1e-14);
      EXPECT_DOUBLE_EQ(fields_of(after).at(0, level, column), levels_.share(level) * mass);
      EXPECT_NEAR(fields_of(after).at(1, level, column), 2, 1 + 1e-14);  // as before
    }
  }
}

TEST_F(RemapTest, a_column_has_the_same_bits_next_to_others) {
  constexpr std::size_t columns = 13;
  std::vector<double> together = moved(columns);
  remap_.step(fields_of(together), 1, field_count);
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<double> alone = moved(1, column);
    remap_.step(fields_of(alone), 1, field_count);
    for (std::size_t level = 0; level < layer_count; ++level) {
      EXPECT_EQ(fields_of(together).at(1, level, column), fields_of(alone).at(1, level, 0));
    }
  }
}

TEST_F(RemapTest, layers_at_their_levels_stay) {
  std::vector<double> values = moved(3);
  remap_.step(fields_of(values), 1, field_count);
  const std::vector<double> before = values;
  remap_.step(fields_of(values), 1, field_count);
  for (std::size_t index = 0; index < values.size(); ++index) {
    EXPECT_NEAR(values[index] / before[index], 1, 1e-13);
  }
}

}  // namespace
}  // namespace halocline::numerics
