#include "halocline/numerics/block_fields.hpp"

#include <algorithm>

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr Index numbers_in_line = 8;
constexpr Index shortest_gap = 8;  // of land, which ends a run

}  // namespace

bool allow_reproducible_sums(const layout::Blocks& blocks) {
  const auto begin_at_multiples = [&blocks](std::size_t dimension, Index of) {
    for (int place = 0; place < blocks.parts().extent[dimension]; ++place) {
      if (blocks.cuts(dimension).first(place) % of != 0) {
        return false;
      }
    }
    return true;
  };
  return begin_at_multiples(0, columns_in_unit) && begin_at_multiples(1, strip_rows);
}

BlockFields::BlockFields(const layout::Blocks& blocks, int rank,
                         const std::function<bool(Index, Index)>& ocean)
    : blocks_(blocks), ocean_(ocean), parts_(blocks.owned(rank)) {
  struct Rows {
    std::size_t part;
    std::size_t first_run;
    std::size_t end_run;
  };
  std::vector<Rows> strips;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const layout::Box& box = parts_[part].local;
    const Index needed = ghosts_before + box.extent(0) + 1;
    strides_.push_back((needed + numbers_in_line - 1) / numbers_in_line * numbers_in_line);
    begins_.push_back(size_);
    size_ += static_cast<std::size_t>(strides_.back() * (box.extent(1) + 2));
    widest_ = std::max(widest_, box.extent(0));
    for (Index row = box.lower[1]; row < box.upper[1]; ++row) {
      if (row == box.lower[1] || row % strip_rows == 0) {
        strips.push_back({part, runs_.size(), runs_.size()});
      }
      Index last = box.lower[0] - shortest_gap - 1;  // last ocean cell of this row
      for (Index column = box.lower[0]; column < box.upper[0]; ++column) {
        if (!ocean(column, row)) {
          continue;
        }
        ++ocean_cells_;
        if (column - last > shortest_gap) {
          runs_.push_back(
              {.at = at(part, column, row), .column = column - box.lower[0], .length = 0});
        }
        runs_.back().length = column - box.lower[0] - runs_.back().column + 1;
        last = column;
        strips.back().end_run = runs_.size();
      }
    }
  }
  for (const Rows& rows : strips) {
    Strip strip{.first_column = widest_,
                .end_column = 0,
                .row_stride = strides_[rows.part],
                .runs = std::span(runs_).subspan(rows.first_run, rows.end_run - rows.first_run)};
    for (const Run& run : strip.runs) {
      strip.first_column =
          std::min(strip.first_column, run.column / columns_in_unit * columns_in_unit);
      strip.end_column = std::max(strip.end_column, run.column + run.length);
    }
    if (!strip.runs.empty()) {
      strips_.push_back(strip);
    }
  }
}

void BlockFields::clear_ghosts(BlockVector& vector) const {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const layout::Box& box = parts_[part].local;
    for (const Index row : {box.lower[1] - 1, box.upper[1]}) {
      std::fill_n(vector.begin() + static_cast<std::ptrdiff_t>(at(part, box.lower[0] - 1, row)),
                  box.extent(0) + 2, 0.0);
    }
    for (Index row = box.lower[1]; row < box.upper[1]; ++row) {
      vector[at(part, box.lower[0] - 1, row)] = 0;
      vector[at(part, box.upper[0], row)] = 0;
    }
  }
}

bundle::Blocks BlockFields::bundles(BlockVector& vector) const {
  bundle::Blocks bundles;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const layout::Box& box = parts_[part].local;
    const layout::Box extent = box.widened(0, 1).widened(1, 1);
    const auto step = static_cast<std::ptrdiff_t>(sizeof(double));
    double* const first = vector.data() + at(part, extent.lower[0], extent.lower[1]);
    bundles.push_back(
        {{.data = reinterpret_cast<std::byte*>(first),
          .element_bytes = sizeof(double),
          .extent = extent,
          .stride_bytes = {step, strides_[part] * step, strides_[part] * step * extent.extent(1),
                           strides_[part] * step * extent.extent(1)}}});
  }
  return bundles;
}

}  // namespace halocline::numerics
