#include "halocline/numerics/vertical_remap.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/numerics/parabolas.hpp"

namespace halocline::numerics {

VerticalRemap::VerticalRemap(const AirLevels& levels)
    : levels_(levels),
      masses_(levels.count()),
      shifts_(levels.count() + 1),
      sums_(1),
      values_(levels.count()),
      slopes_(levels.count()),
      edges_(levels.count() + 1),
      first_(levels.count()),
      last_(levels.count()),
      moved_(levels.count() + 1) {}

std::int64_t VerticalRemap::operations(std::size_t levels, std::size_t fields) {
  constexpr std::int64_t of_field = 8 + 5 + 8 + 14 + 6;  // as in parabolas.hpp
  constexpr std::int64_t of_shifts = 5;
  return static_cast<std::int64_t>(levels) *
         (of_shifts + of_field * static_cast<std::int64_t>(fields));
}

void VerticalRemap::step(const ColumnFields& columns, std::size_t first, std::size_t end) {
  for (std::size_t begin = 0; begin < columns.columns; begin += column_lanes) {
    Columns taken{};
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      taken[lane] = std::min(begin + lane, columns.columns - 1);
    }
    find_shifts(columns, taken);
    for (std::size_t field = first; field < end; ++field) {
      remap(columns, taken, field);
    }
    for (std::size_t level = 0; level < levels_.count(); ++level) {
      for (std::size_t lane = 0; lane < column_lanes; ++lane) {
        columns.at(0, level, taken[lane]) = levels_.share(level) * sums_[0][lane];
      }
    }
  }
}

void VerticalRemap::find_shifts(const ColumnFields& columns, const Columns& taken) {
  Lanes above{};
  for (std::size_t level = 0; level < levels_.count(); ++level) {
    shifts_[level] = above;
    const double* const masses = columns.level(0, level);
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      masses_[level][lane] = masses[taken[lane]];
      above[lane] += masses_[level][lane];
    }
  }
  sums_[0] = above;
  for (std::size_t edge = 1; edge < levels_.count(); ++edge) {
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      shifts_[edge][lane] = levels_.edge(edge - 1) * above[lane] - shifts_[edge][lane];
    }
  }
  shifts_.back() = {};
}

void VerticalRemap::remap(const ColumnFields& columns, const Columns& taken, std::size_t field) {
  const std::size_t count = levels_.count();
  for (std::size_t level = 0; level < count; ++level) {
    const double* const values = columns.level(field, level);
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      values_[level][lane] = values[taken[lane]];
    }
  }
  find_parabolas();
  moved_.front() = {};
  moved_.back() = {};
  for (std::size_t edge = 1; edge < count; ++edge) {
    find_moved(edge);
  }
  for (std::size_t level = 0; level < count; ++level) {
    double* const values = columns.level(field, level);
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      const double content = values_[level][lane] * masses_[level][lane] +
                             (moved_[level + 1][lane] - moved_[level][lane]);
      const double mass = masses_[level][lane] + (shifts_[level + 1][lane] - shifts_[level][lane]);
      values[taken[lane]] = content / mass;
    }
  }
}

/// The top and bottom layers are flat, as is everything beyond them.
void VerticalRemap::find_parabolas() {
  const std::size_t count = levels_.count();
  for (std::size_t level = 0; level < count; ++level) {
    half_slopes(values_[level > 0 ? level - 1 : 0].data(), values_[level].data(),
                values_[std::min(level + 1, count - 1)].data(), slopes_[level].data(),
                column_lanes);
  }
  edges_.front() = values_.front();
  edges_.back() = values_.back();
  for (std::size_t edge = 1; edge < count; ++edge) {
    edge_values(values_[edge - 1].data(), values_[edge].data(), slopes_[edge - 1].data(),
                slopes_[edge].data(), edges_[edge].data(), column_lanes);
  }
  for (std::size_t level = 0; level < count; ++level) {
    limited_ends(values_[level].data(), slopes_[level].data(), edges_[level].data(),
                 edges_[level + 1].data(), first_[level].data(), last_[level].data(), column_lanes);
  }
}

/// Amount of the field that moves up across a sinking edge, or down, counted as negative, across a
/// rising one. An edge usually moves by less than the thickness of the next layer.
void VerticalRemap::find_moved(std::size_t edge) {
  bool far = false;
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    const double shift = shifts_[edge][lane];
    const double moved = std::abs(shift);
    const double mass = shift > 0 ? masses_[edge][lane] : masses_[edge - 1][lane];
    const double share = moved / mass;
    const double below =
        mean_of_beginning(values_[edge][lane], first_[edge][lane], last_[edge][lane], share);
    const double above =
        mean_of_end(values_[edge - 1][lane], first_[edge - 1][lane], last_[edge - 1][lane], share);
    moved_[edge][lane] = shift * (shift > 0 ? below : above);
    far |= moved > mass;
  }
  for (std::size_t lane = 0; far && lane < column_lanes; ++lane) {
    const std::size_t next = shifts_[edge][lane] > 0 ? edge : edge - 1;
    if (std::abs(shifts_[edge][lane]) > masses_[next][lane]) {
      moved_[edge][lane] = moved_far(edge, lane);
    }
  }
}

/// Same for an edge that moves across whole layers.
double VerticalRemap::moved_far(std::size_t edge, std::size_t lane) const {
  const bool sinks = shifts_[edge][lane] > 0;
  double left = std::abs(shifts_[edge][lane]);
  double content = 0;
  std::size_t level = sinks ? edge : edge - 1;
  const std::size_t farthest = sinks ? levels_.count() - 1 : 0;
  while (left > masses_[level][lane] && level != farthest) {
    content += values_[level][lane] * masses_[level][lane];
    left -= masses_[level][lane];
    level = sinks ? level + 1 : level - 1;
  }
  const double share = left / masses_[level][lane];
  const double mean =
      sinks
          ? mean_of_beginning(values_[level][lane], first_[level][lane], last_[level][lane], share)
          : mean_of_end(values_[level][lane], first_[level][lane], last_[level][lane], share);
  content += left * mean;
  return sinks ? content : -content;
}

}  // namespace halocline::numerics
