#include "halocline/numerics/zonal_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halocline/numerics/parabolas.hpp"

namespace halocline::numerics {
namespace {

bool within_a_cell(const double* courant, std::size_t length) {
  double most = 0;
  for (std::size_t cell = 0; cell < length; ++cell) {
    most = std::max(most, std::abs(courant[cell]));
  }
  return most < 1;
}

}  // namespace

ZonalLine::ZonalLine(std::size_t length)
    : length_(length),
      values_(length + 2 * pad),
      slopes_(length + 2 * pad),
      edges_(length + 2 * pad),
      first_(length + 2 * pad),
      last_(length + 2 * pad) {}

void ZonalLine::take(const double* values) {
  std::copy_n(values, length_, values_.begin() + pad);
  for (std::size_t ghost = 0; ghost < pad; ++ghost) {
    values_[ghost] = values[(2 * length_ + ghost - pad) % length_];
    values_[pad + length_ + ghost] = values[ghost % length_];
  }
}

void ZonalLine::means(const double* courant, double* means) {
  const auto from = [](auto& line, std::ptrdiff_t cell) {
    return line.data() + static_cast<std::ptrdiff_t>(pad) + cell;
  };
  // Includes cell -1, which is west of the first side.
  half_slopes(from(values_, -3), from(values_, -2), from(values_, -1), from(slopes_, -2),
              length_ + 4);
  edge_values(from(values_, -2), from(values_, -1), from(slopes_, -2), from(slopes_, -1),
              from(edges_, -1), length_ + 3);
  limited_ends(from(values_, -1), from(slopes_, -1), from(edges_, -1), from(edges_, 0),
               from(first_, -1), from(last_, -1), length_ + 2);
  if (!within_a_cell(courant, length_)) {
    for (std::size_t cell = 0; cell < length_; ++cell) {
      means[cell] = mean_of_many(cell, courant[cell]);
    }
    return;
  }
  const double* const here = from(values_, 0);
  const double* const first = from(first_, 0);
  const double* const last = from(last_, 0);
  const double* const west = from(values_, -1);
  const double* const west_first = from(first_, -1);
  const double* const west_last = from(last_, -1);
  for (std::size_t cell = 0; cell < length_; ++cell) {
    const double share = std::abs(courant[cell]);
    const double from_west = mean_of_end(west[cell], west_first[cell], west_last[cell], share);
    const double from_east = mean_of_beginning(here[cell], first[cell], last[cell], share);
    means[cell] = courant[cell] > 0 ? from_west : from_east;
  }
}

double ZonalLine::mean_of_many(std::size_t cell, double courant) const {
  const double length = std::abs(courant);
  if (!(length < static_cast<double>(length_))) {  // not a wind, but a diverged state
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto whole = static_cast<std::ptrdiff_t>(length);
  const double share = length - static_cast<double>(whole);
  const auto side = static_cast<std::ptrdiff_t>(cell);
  const std::ptrdiff_t step = courant > 0 ? -1 : 1;
  std::ptrdiff_t upwind = courant > 0 ? side - 1 : side;
  double sum = 0;
  for (std::ptrdiff_t passed = 0; passed < whole; ++passed, upwind += step) {
    sum += values_[around(upwind)];
  }
  const std::size_t at = around(upwind);
  const double part = courant > 0 ? mean_of_end(values_[at], first_[at], last_[at], share)
                                  : mean_of_beginning(values_[at], first_[at], last_[at], share);
  return whole == 0 ? part : (sum + share * part) / length;
}

void ZonalLine::carried(const double* courant, double* carried) const {
  const double* const here = values_.data() + pad;
  const double* const west = here - 1;
  const double* const east = here + 1;
  if (within_a_cell(courant, length_)) {
    with_east(length_, [&](std::size_t cell, std::size_t next) {
      const double passed = 0.5 * (courant[cell] + courant[next]);
      const double difference = passed > 0 ? here[cell] - west[cell] : east[cell] - here[cell];
      carried[cell] = here[cell] - passed * difference;
    });
    return;
  }
  with_east(length_, [&](std::size_t cell, std::size_t next) {
    const double passed = 0.5 * (courant[cell] + courant[next]);
    if (!(std::abs(passed) < static_cast<double>(length_))) {
      carried[cell] = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    const double whole = std::floor(passed);
    const std::ptrdiff_t nearer =
        static_cast<std::ptrdiff_t>(cell) - static_cast<std::ptrdiff_t>(whole);
    const double near = values_[around(nearer)];
    carried[cell] = near + (passed - whole) * (values_[around(nearer - 1)] - near);
  });
}

}  // namespace halocline::numerics
