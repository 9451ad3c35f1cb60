#include "halocline/numerics/partial_sums.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace halocline::numerics {
namespace {

constexpr std::size_t lanes = 8;

/// Several at once: one after the other, each addition would wait for the one before.
double sum_of(std::span<const double> numbers) {
  std::array<double, lanes> partial{};
  for (std::size_t at = 0; at + lanes <= numbers.size(); at += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      partial[lane] += numbers[at + lane];
    }
  }
  double sum = 0;
  for (std::size_t at = numbers.size() / lanes * lanes; at < numbers.size(); ++at) {
    sum += numbers[at];
  }
  for (const double each : partial) {
    sum += each;
  }
  return sum;
}

std::size_t numbers_of(Summation summation) {
  return summation == Summation::plain ? 1 : ExactSum::bins;
}

}  // namespace

PartialSums::PartialSums(layout::Index widest, std::size_t count, Summation summation)
    : stride_((static_cast<std::size_t>(widest) + lanes - 1) / lanes * lanes),
      summation_(summation),
      columns_(stride_ * count),
      numbers_(count * numbers_of(summation)) {}

void PartialSums::clear() { std::ranges::fill(numbers_, 0.0); }

void PartialSums::end_strip(layout::Index columns) {
  const std::size_t per_sum = numbers_of(summation_);
  for (std::size_t sum = 0; sum * per_sum < numbers_.size(); ++sum) {
    const std::span<double> terms{columns_.data() + sum * stride_,
                                  static_cast<std::size_t>(columns)};
    if (summation_ == Summation::plain) {
      numbers_[sum] += sum_of(terms);
    } else {
      ExactSum::add(terms, std::span(numbers_).subspan(sum * per_sum).first<ExactSum::bins>());
    }
    std::ranges::fill(terms, 0.0);
  }
}

double PartialSums::value(std::size_t sum) const {
  if (summation_ == Summation::plain) {
    return numbers_[sum];
  }
  return ExactSum::value(std::span(numbers_).subspan(sum * ExactSum::bins).first<ExactSum::bins>());
}

}  // namespace halocline::numerics
