#include "halocline/numerics/partial_sums.hpp"

#include <algorithm>

namespace halocline::numerics {
namespace {

constexpr std::size_t unit = 8;

std::size_t numbers_of(Summation summation) {
  return summation == Summation::plain ? 1 : ExactSum::bins;
}

}  // namespace

PartialSums::PartialSums(layout::Index widest, std::size_t count, Summation summation)
    : stride_((static_cast<std::size_t>(widest) + unit - 1) / unit * unit),
      summation_(summation),
      columns_(stride_ * count),
      units_(stride_ / unit),
      numbers_(count * numbers_of(summation)) {}

void PartialSums::clear() { std::ranges::fill(numbers_, 0.0); }

void PartialSums::end_strip(layout::Index first_column, layout::Index end_column) {
  const auto first = static_cast<std::size_t>(first_column);
  const std::size_t count = (static_cast<std::size_t>(end_column) - first + unit - 1) / unit;
  const std::size_t per_sum = numbers_of(summation_);
  for (std::size_t sum = 0; sum * per_sum < numbers_.size(); ++sum) {
    double* column = columns_.data() + sum * stride_ + first;
    double all = 0;
    for (std::size_t at = 0; at < count; ++at, column += unit) {
      units_[at] = ((column[0] + column[1]) + (column[2] + column[3])) +
                   ((column[4] + column[5]) + (column[6] + column[7]));
      all += units_[at];
      std::fill_n(column, unit, 0.0);
    }
    if (summation_ == Summation::plain) {
      numbers_[sum] += all;
    } else {
      ExactSum::add(std::span(units_).first(count),
                    std::span(numbers_).subspan(sum * per_sum).first<ExactSum::bins>());
    }
  }
}

double PartialSums::value(std::size_t sum) const {
  if (summation_ == Summation::plain) {
    return numbers_[sum];
  }
  return ExactSum::value(std::span(numbers_).subspan(sum * ExactSum::bins).first<ExactSum::bins>());
}

}  // namespace halocline::numerics
