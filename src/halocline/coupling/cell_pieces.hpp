#pragma once

#include <functional>
#include <span>
#include <vector>

#include "halocline/coupling/exchange_grid.hpp"

namespace halocline::coupling {

/// The pieces of a rank's cells of a component: a sparse matrix of areas. Sums over a cell's pieces
/// are in order of the piece, so the bits do not depend on which rank has the cell.
class CellPieces {
 public:
  /// For `cells` with these areas; `cell_of` names a piece's cell, or is negative for none.
  CellPieces(const std::vector<Piece>& pieces, std::span<const layout::Index> cells,
             std::vector<double> areas_m2,
             const std::function<layout::Index(const Piece&)>& cell_of);

  const std::vector<layout::Index>& numbers() const { return numbers_; }

  /// Gives all pieces of a cell its value.
  void spread(std::span<const double> cells, std::span<double> pieces) const;
  /// The mean of each cell over its pieces: their integral over its area.
  std::vector<double> mean(std::span<const double> pieces) const;
  double area_m2(std::size_t cell) const { return areas_m2_[cell]; }

 private:
  std::vector<double> areas_m2_;  // of cells
  std::vector<layout::Index> numbers_;
  std::vector<std::size_t> cell_of_piece_;
  std::vector<double> piece_areas_m2_;
};

/// This rank's part of the integral over cells with these areas, and of its absolute value.
double integral(std::span<const double> areas_m2, std::span<const double> cells);
double absolute_integral(std::span<const double> areas_m2, std::span<const double> cells);

}  // namespace halocline::coupling
