#include "halocline/layout/cuts.hpp"

#include <string>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline::layout {
namespace {

void require_length(Interval whole) {
  if (!Box{}.with(0, whole.lower, whole.upper).countable()) {
    throw Error("a dimension from " + std::to_string(whole.lower) + " to " +
                std::to_string(whole.upper) +
                "; allowed: up to 9223372036854775807 indices; check its bounds");
  }
}

void require_parts(const char* what, Interval whole, int parts) {
  if (parts < 1) {
    throw Error(std::string{what} + " into " + std::to_string(parts) +
                " parts; allowed: 1 or more; give the number of parts along this dimension");
  }
  if (whole.upper < whole.lower) {
    throw Error(std::string{what} + " from " + std::to_string(whole.lower) + " to " +
                std::to_string(whole.upper) + "; the end comes before the beginning; swap them");
  }
  require_length(whole);
}

}  // namespace

Cuts Cuts::even(Interval whole, int parts) {
  require_parts("a dimension cut", whole, parts);
  return {whole, parts};
}

Cuts Cuts::at(std::vector<Index> points) {
  if (points.size() < 2) {
    throw Error("a dimension cut at " + std::to_string(points.size()) +
                " points; allowed: 2 or more, its two ends among them; give one more than parts");
  }
  const auto out_of_order = std::ranges::is_sorted_until(points);
  if (out_of_order != points.end()) {
    throw Error("cut points out of order: " + std::to_string(*(out_of_order - 1)) + " before " +
                std::to_string(*out_of_order) +
                "; allowed: each at least the one before; sort them");
  }
  require_length({.lower = points.front(), .upper = points.back()});
  Cuts cuts({.lower = points.front(), .upper = points.back()}, static_cast<int>(points.size()) - 1);
  cuts.points_ = std::move(points);
  return cuts;
}

Cuts Cuts::cyclic(Interval whole, Index block, int places) {
  require_parts("a dimension distributed in blocks", whole, places);
  if (block < 1) {
    throw Error("a dimension distributed in blocks of " + std::to_string(block) +
                " indices; allowed: 1 or more; give the length of a block");
  }
  Cuts cuts(whole, places);
  cuts.block_ =
      std::min(block, std::max<Index>(1, whole.length()));  // so that no product overflows
  return cuts;
}

Index Cuts::owned(int place) const {
  if (block_ == 0) {
    return part(place).length();
  }
  const Index blocks = whole_.length() / block_;
  const Index rest = whole_.length() % block_;
  const Index rounds = blocks / places_;
  const Index left = blocks % places_;
  return rounds * block_ + (place < left ? block_ : place == left ? rest : 0);
}

Index Cuts::first(int place) const {
  return block_ == 0 ? part(place).lower : whole_.lower + place * block_;
}

int Cuts::place_of(Index index) const {
  if (!points_.empty()) {
    // Of equal points the last begins the non-empty part.
    const auto after = std::ranges::upper_bound(points_, index);
    return static_cast<int>(after - points_.begin()) - 1;
  }
  const Index shorter = whole_.length() / places_;
  const Index longer = whole_.length() % places_;
  const Index from_begin = index - whole_.lower;
  if (from_begin < longer * (shorter + 1)) {
    return static_cast<int>(from_begin / (shorter + 1));
  }
  return static_cast<int>(longer + (from_begin - longer * (shorter + 1)) / shorter);
}

std::vector<Index> Cuts::description() const {
  std::vector<Index> numbers{whole_.lower, whole_.upper, places_, block_};
  numbers.insert(numbers.end(), points_.begin(), points_.end());
  return numbers;
}

}  // namespace halocline::layout
