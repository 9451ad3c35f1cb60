#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace halocline::numerics {

/// Implicit mixing along columns that lie side by side, of several quantities with the same
/// coefficients. A downward sweep expresses each level in terms of the next; an upward sweep then
/// solves for the values.
template <std::size_t quantities>
class ColumnMixing {
 public:
  static constexpr std::size_t count = quantities;

  /// Takes up to `width` columns at a time.
  ColumnMixing(std::size_t width, std::size_t levels)
      : width_(width), levels_(levels), exchanged_(width), factor_(width * levels) {
    right_.fill(factor_);
  }

  /// Call from the top level down, per column: (own + down + exchange above) × value is its content
  /// plus what comes from the levels above and below, `down` weighting the latter.
  void eliminate(std::size_t level, std::size_t at, double own, double down,
                 const std::array<double, count>& contents) {
    const std::size_t kept = level * width_ + at;
    const bool top = level == 0;
    const double up = top ? 0 : exchanged_[at];
    const double pivot = 1 / (own + down + up * (1 - (top ? 0 : factor_[kept - width_])));
    factor_[kept] = down * pivot;
    for (std::size_t index = 0; index < count; ++index) {
      const double above = top ? 0 : right_[index][kept - width_];
      right_[index][kept] = (contents[index] + up * above) * pivot;
    }
    exchanged_[at] = down;
  }

  /// Writes the values of a quantity, `level_step` numbers apart from one level to the next, and
  /// calls each(level, column, value).
  template <class Each>
  void substitute(std::size_t index, double* top, std::ptrdiff_t level_step, std::size_t length,
                  Each each) const {
    for (std::size_t level = levels_; level-- > 0;) {
      const std::size_t kept = level * width_;
      double* const values = top + static_cast<std::ptrdiff_t>(level) * level_step;
      // Nothing is exchanged below the last level: the factor is 0.
      const std::ptrdiff_t below_by = level + 1 < levels_ ? level_step : 0;
      for (std::size_t at = 0; at < length; ++at) {
        const double below = values[static_cast<std::ptrdiff_t>(at) + below_by];
        values[at] = right_[index][kept + at] + factor_[kept + at] * below;
        each(level, at, values[at]);
      }
    }
  }

  void substitute(std::size_t index, double* top, std::ptrdiff_t level_step,
                  std::size_t length) const {
    substitute(index, top, level_step, length,
               [](std::size_t /*level*/, std::size_t /*at*/, double /*value*/) {});
  }

 private:
  std::size_t width_;
  std::size_t levels_;
  std::vector<double> exchanged_;  // per column, with the level above
  std::vector<double> factor_;     // of the next level's value
  std::array<std::vector<double>, count> right_;
};

}  // namespace halocline::numerics
