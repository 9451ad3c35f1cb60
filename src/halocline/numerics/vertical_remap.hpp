#pragma once

#include <array>
#include <vector>

#include "halocline/numerics/column_physics.hpp"

namespace halocline::numerics {

/// Remaps columns whose layers have moved back to each level's share of their air, with parabolas
/// through the layers. Conserves a column's content of each field.
///
/// A column's bits do not depend on the columns next to it.
class VerticalRemap {
 public:
  explicit VerticalRemap(const AirLevels& levels);

  /// The first field holds the masses of the layers. Remaps fields from `first` to before `end`.
  void step(const ColumnFields& columns, std::size_t first, std::size_t end);

  /// Floating-point operations per column.
  static std::int64_t operations(std::size_t levels, std::size_t fields);

 private:
  using Columns = std::array<std::size_t, column_lanes>;

  void find_shifts(const ColumnFields& columns, const Columns& taken);
  void remap(const ColumnFields& columns, const Columns& taken, std::size_t field);
  void find_parabolas();
  void find_moved(std::size_t edge);
  double moved_far(std::size_t edge, std::size_t lane) const;

  AirLevels levels_;
  // Columns being computed. An edge is above the level of the same number.
  std::vector<Lanes> masses_;
  std::vector<Lanes> shifts_;  // of edges, downward, in mass
  std::vector<Lanes> sums_;    // total mass of a column
  std::vector<Lanes> values_;
  std::vector<Lanes> slopes_;
  std::vector<Lanes> edges_;
  std::vector<Lanes> first_;
  std::vector<Lanes> last_;
  std::vector<Lanes> moved_;
};

}  // namespace halocline::numerics
