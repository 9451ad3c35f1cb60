#pragma once

#include <array>
#include <vector>

#include "halocline/numerics/column_physics.hpp"

namespace halocline::numerics {

/// Brings columns whose layers have moved back to the levels' shares of their air, with parabolas
/// through the layers: what a column holds of each field stays.
///
/// Each column gets the same bits next to any others.
class VerticalRemap {
 public:
  explicit VerticalRemap(const AirLevels& levels);

  /// The layers' masses are the first field; fields from `first` to before `end` are remapped.
  void step(const ColumnFields& columns, std::size_t first, std::size_t end);

  /// Floating-point operations of a column.
  static std::int64_t operations(std::size_t levels, std::size_t fields);

 private:
  using Columns = std::array<std::size_t, column_lanes>;

  void find_shifts(const ColumnFields& columns, const Columns& taken);
  void remap(const ColumnFields& columns, const Columns& taken, std::size_t field);
  void find_parabolas();
  void find_moved(std::size_t edge);
  double moved_far(std::size_t edge, std::size_t lane) const;

  AirLevels levels_;
  // Of the columns under way; edges are above the levels of their number.
  std::vector<Lanes> masses_;
  std::vector<Lanes> shifts_;  // of edges, downward, in mass
  std::vector<Lanes> sums_;    // the mass that a column has in all
  std::vector<Lanes> values_;
  std::vector<Lanes> slopes_;
  std::vector<Lanes> edges_;
  std::vector<Lanes> first_;
  std::vector<Lanes> last_;
  std::vector<Lanes> moved_;
};

}  // namespace halocline::numerics
