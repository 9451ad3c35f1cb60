#pragma once

#include <cstddef>
#include <vector>

namespace halocline::numerics {

/// Calls each(cell, its western neighbour) around a circle; the first alone, so that the others are
/// a plain loop.
template <class Each>
void with_west(std::size_t width, Each each) {
  each(std::size_t{0}, width - 1);
  for (std::size_t k = 1; k < width; ++k) {
    each(k, k - 1);
  }
}

/// Same with the eastern neighbour.
template <class Each>
void with_east(std::size_t width, Each each) {
  for (std::size_t k = 0; k + 1 < width; ++k) {
    each(k, k + 1);
  }
  each(width - 1, std::size_t{0});
}

/// A circle of latitude along which the wind carries values by any number of cells.
class ZonalLine {
 public:
  explicit ZonalLine(std::size_t length);

  /// Takes the values of the circle's cells and draws parabolas through them.
  void take(const double* values);

  /// Mean of what passes the western side of each cell in a time step, at these Courant numbers.
  void means(const double* courant, double* means);

  /// The values as the wind brings them to each cell: linear between cells. `courant` is at western
  /// sides.
  void carried(const double* courant, double* carried) const;

 private:
  static constexpr std::size_t pad = 4;

  std::size_t around(std::ptrdiff_t cell) const {
    const auto length = static_cast<std::ptrdiff_t>(length_);
    return pad + static_cast<std::size_t>((cell % length + length) % length);
  }
  double mean_of_many(std::size_t cell, double courant) const;

  std::size_t length_;
  std::vector<double> values_;  // with some cells of the other end before and after
  std::vector<double> slopes_;
  std::vector<double> edges_;
  std::vector<double> first_;
  std::vector<double> last_;
};

}  // namespace halocline::numerics
