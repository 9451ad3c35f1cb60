#include "halocline/coupling/cell_pieces.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace halocline::coupling {

using layout::Index;

CellPieces::CellPieces(const std::vector<Piece>& pieces, std::span<const Index> cells,
                       std::vector<double> areas_m2,
                       const std::function<Index(const Piece&)>& cell_of)
    : areas_m2_(std::move(areas_m2)) {
  std::unordered_map<Index, std::size_t> places;
  for (std::size_t place = 0; place < cells.size(); ++place) {
    places.emplace(cells[place], place);
  }
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const auto place = places.find(cell_of(pieces[number]));
    if (place != places.end()) {
      numbers_.push_back(static_cast<Index>(number));
      cell_of_piece_.push_back(place->second);
      piece_areas_m2_.push_back(pieces[number].area_m2);
    }
  }
}

void CellPieces::spread(std::span<const double> cells, std::span<double> pieces) const {
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    pieces[piece] = cells[cell_of_piece_[piece]];
  }
}

std::vector<double> CellPieces::mean(std::span<const double> pieces) const {
  std::vector<double> cells(areas_m2_.size());
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    cells[cell_of_piece_[piece]] += piece_areas_m2_[piece] * pieces[piece];
  }
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    cells[cell] /= areas_m2_[cell];
  }
  return cells;
}

double integral(std::span<const double> areas_m2, std::span<const double> cells) {
  return std::inner_product(cells.begin(), cells.end(), areas_m2.begin(), 0.0);
}

double absolute_integral(std::span<const double> areas_m2, std::span<const double> cells) {
  return std::inner_product(cells.begin(), cells.end(), areas_m2.begin(), 0.0, std::plus<>(),
                            [](double cell, double area_m2) { return std::abs(area_m2 * cell); });
}

}  // namespace halocline::coupling
