#include "halocline/numerics/block_ssor.hpp"

#include <algorithm>
#include <ranges>

#include "halocline/numerics/rows.hpp"
#include "halocline/numerics/ssor_rows.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double omega = 1.2;

}  // namespace

BlockSsor::BlockSsor(const BarotropicOperator& a)
    : a_(a), alternating_(static_cast<std::size_t>(a.fields().widest()) + 1) {
  for (std::size_t column = 1; column < alternating_.size(); column += 2) {
    alternating_[column] = -omega;
  }
  const BlockFields& fields = a.fields();
  const auto& [east, north, north_east, north_west] = a.weights();
  for (std::size_t part = 0; part < fields.parts().size(); ++part) {
    const layout::Box& box = fields.parts()[part].local;
    const auto add = [&](std::size_t cell, Index i, Index j, double weight) {
      const bool inside =
          i >= box.lower[0] && i < box.upper[0] && j >= box.lower[1] && j < box.upper[1];
      if (!inside && weight != 0) {
        edges_.push_back({cell, fields.at(part, i, j), omega * weight});
      }
    };
    for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
      const bool whole_row = j == box.lower[1] || j == box.upper[1] - 1;
      const Index step = whole_row ? 1 : std::max<Index>(1, box.extent(0) - 1);
      for (Index i = box.lower[0]; i < box.upper[0]; i += step) {
        const std::size_t cell = fields.at(part, i, j);
        if (!fields.ocean(i, j)) {
          continue;
        }
        const std::size_t south = fields.at(part, i, j - 1);
        add(cell, i - 1, j - 1, north_east[south - 1]);
        add(cell, i, j - 1, north[south]);
        add(cell, i + 1, j - 1, north_west[south + 1]);
        add(cell, i - 1, j, east[cell - 1]);
        add(cell, i + 1, j, east[cell]);
        add(cell, i - 1, j + 1, north_west[cell]);
        add(cell, i, j + 1, north[cell]);
        add(cell, i + 1, j + 1, north_east[cell]);
      }
    }
  }
}

void BlockSsor::apply(const BlockVector& residual, BlockVector& result) const {
  divide_by_lower(residual, result);
  divide_by_upper(result, result);
}

void BlockSsor::divide_by_lower(const BlockVector& v, BlockVector& x) const {
  a_.fields().clear_ghosts(x);  // other blocks contribute nothing
  const SsorRows& loops = ssor_rows();
  std::vector<double> buffer(alternating_.size() + 1);
  double* const middle = buffer.data() + 1;
  for_each_run(a_.fields(), nullptr, [&](const Strip& strip, const Run& run) {
    const SsorRow row = a_.row_of(x.data(), strip, run);
    loops.take_south(row, omega, v.data() + run.at, middle);
    loops.end(row, alternating_.data() + run.column % 2, middle);
  });
}

void BlockSsor::divide_by_upper(const BlockVector& v, BlockVector& x) const {
  a_.fields().clear_ghosts(x);
  const SsorRows& loops = ssor_rows();
  std::vector<double> buffer(alternating_.size() + 1);
  double* const middle = buffer.data() + 1;
  for (const Strip& strip : std::views::reverse(a_.fields().strips())) {
    for (const Run& run : std::views::reverse(strip.runs)) {
      const SsorRow row = a_.row_of(x.data(), strip, run);
      loops.add_north(row, -omega, v.data() + run.at, middle);
      loops.end(row, alternating_.data() + 1 - run.column % 2, middle);
    }
  }
}

void BlockSsor::multiply_by_upper(BlockVector& x) const {
  a_.fields().clear_ghosts(x);
  const SsorRows& loops = ssor_rows();
  std::vector<double> buffer(alternating_.size() + 1);
  double* const middle = buffer.data() + 1;
  for_each_run(a_.fields(), nullptr, [&](const Strip& strip, const Run& run) {
    const SsorRow row = a_.row_of(x.data(), strip, run);
    loops.add_north(row, omega, row.x, middle);
    for (std::ptrdiff_t k = run.column % 2; k < run.length; k += 2) {
      middle[k] += omega * (row.east[k - 1] * row.x[k - 1] + row.east[k] * row.x[k + 1]);
    }
    std::copy_n(middle, run.length, row.x);
  });
}

/// Sweeps south to north; finish(strip) ends a strip when the next one no longer reads it, while it
/// is in the caches.
template <class Finish>
void BlockSsor::sweep_between(const BlockVector& v, const BlockVector& x, BlockVector& result,
                              Finish finish) const {
  a_.fields().clear_ghosts(result);
  const SsorRows& loops = ssor_rows();
  std::vector<double> buffer(alternating_.size() + 1);
  double* const middle = buffer.data() + 1;
  auto edge = edges_.begin();
  const Strip* last = nullptr;
  for (const Strip& strip : a_.fields().strips()) {
    for (const Run& run : strip.runs) {
      const SsorRow row = a_.row_of(result.data(), strip, run);
      loops.take_south_from_both(row, omega, v.data() + run.at, x.data() + run.at, middle);
      for (; edge != edges_.end() && edge->cell < run.at + static_cast<std::size_t>(run.length);
           ++edge) {
        middle[edge->cell - run.at] += edge->weight * x[edge->ghost];
      }
      loops.end(row, alternating_.data() + run.column % 2, middle);
    }
    if (last != nullptr) {
      finish(*last);
    }
    last = &strip;
  }
  if (last != nullptr) {
    finish(*last);
  }
}

void BlockSsor::multiply(const BlockVector& v, const BlockVector& x, BlockVector& result,
                         PartialSums* sums) const {
  if (sums != nullptr) {
    sums->clear();
  }
  const SsorRows& loops = ssor_rows();
  sweep_between(v, x, result, [&](const Strip& strip) {
    for (const Run& run : strip.runs) {
      const SsorRow row = a_.row_of(result.data(), strip, run);
      if (sums == nullptr) {
        loops.add_and_divide(row, omega, x.data() + run.at);
      } else {
        loops.add_and_divide_with_sums(row, omega, x.data() + run.at, v.data() + run.at,
                                       sums->columns(0) + run.column,
                                       sums->columns(1) + run.column);
      }
    }
    if (sums != nullptr) {
      sums->end_strip(strip.first_column, strip.end_column);
    }
  });
}

void BlockSsor::residual(const BlockVector& right, const BlockVector& v, const BlockVector& x,
                         BlockVector& result) const {
  const SsorRows& loops = ssor_rows();
  sweep_between(v, x, result, [&](const Strip& strip) {
    for (const Run& run : strip.runs) {
      loops.take_from(a_.row_of(result.data(), strip, run), omega, x.data() + run.at,
                      right.data() + run.at);
    }
  });
}

}  // namespace halocline::numerics
