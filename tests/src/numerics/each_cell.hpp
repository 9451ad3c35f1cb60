#pragma once

#include <cstddef>

#include "halocline/numerics/cell_grid.hpp"

namespace halocline::numerics {

/// visit(row, longitude) for each cell of the rows.
template <class Visit>
void each_cell(const CellRows& rows, Visit visit) {
  for (int row = rows.begin; row < rows.end; ++row) {
    for (std::size_t k = 0; k < rows.width(); ++k) {
      visit(row, k);
    }
  }
}

}  // namespace halocline::numerics
