#include "support/random_halos.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace halocline::test {
namespace {

using layout::Index;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}
  Index up_to(Index most) {
    return static_cast<Index>(generator_() % static_cast<std::uint64_t>(most + 1));
  }
  bool one_in(Index times) { return up_to(times - 1) == 0; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace

RandomHalo::RandomHalo(std::uint64_t drawn, int ranks)
    : seed(drawn), dimensions(0), owners(1), halo() {
  Dice dice(seed);
  dimensions = static_cast<std::size_t>(1 + dice.up_to(3));
  const Index longest = dimensions < 3 ? 14 : 6;
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    if (dimension >= dimensions) {
      points[dimension] = {0, 1};
      continue;
    }
    const Index lower = dice.up_to(6) - 3;
    const Index upper = lower + 1 + dice.up_to(longest - 1);
    points[dimension] = {lower, upper};
    for (Index cut = dice.up_to(3); cut > 0; --cut) {
      points[dimension].push_back(lower + dice.up_to(upper - lower));
    }
    std::ranges::sort(points[dimension]);
    halo.below[dimension] = dice.up_to(3);
    halo.above[dimension] = dice.one_in(2) ? halo.below[dimension] : dice.up_to(3);
    halo.periodic[dimension] = dice.one_in(2);
    owners.resize(owners.size() * (points[dimension].size() - 1));
  }
  halo.corners = !dice.one_in(3);
  if (dimensions > 1 && dice.one_in(2)) {
    halo.fold = {.shift = dice.up_to(2) - 1, .skipped = dice.up_to(1)};
    halo.periodic[0] = true;
    halo.periodic[1] = false;
    const Index rows = points[1].back() - points[1].front();
    halo.fold->skipped = std::min(halo.fold->skipped, rows);
    halo.above[1] = std::min(halo.above[1], rows - halo.fold->skipped);
  }
  const bool land = dice.one_in(2);
  for (int& owner : owners) {
    owner = land && dice.one_in(4) ? -1 : static_cast<int>(dice.up_to(ranks - 1));
  }
  owners.front() = std::max(owners.front(), 0);
}

layout::Blocks RandomHalo::layout() const {
  std::vector<layout::Cuts> cuts;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    cuts.push_back(layout::Cuts::at(points[dimension]));
  }
  return {std::move(cuts), owners};
}

/// Which part along each dimension a place is.
RandomHalo::Cell RandomHalo::part(int place) const {
  Cell part{};
  Index rest = place;
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    const auto parts = static_cast<Index>(points[dimension].size()) - 1;
    part[dimension] = rest % parts;
    rest /= parts;
  }
  return part;
}

layout::Box RandomHalo::with_ghosts(int place) const {
  const Cell at = part(place);
  layout::Box box;
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    const auto first = static_cast<std::size_t>(at[dimension]);
    box = box.with(dimension, points[dimension][first] - halo.below[dimension],
                   points[dimension][first + 1] + halo.above[dimension]);
  }
  return box;
}

bool RandomHalo::owns(int place, const Cell& cell) const {
  const Cell at = part(place);
  bool inside = true;
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    const auto first = static_cast<std::size_t>(at[dimension]);
    inside = inside && points[dimension][first] <= cell[dimension] &&
             cell[dimension] < points[dimension][first + 1];
  }
  return inside;
}

std::optional<RandomHalo::Cell> RandomHalo::meant(int place, const Cell& cell) const {
  const Cell at = part(place);
  Cell there = cell;
  int outside = 0;
  bool empty = false;
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    const auto first = static_cast<std::size_t>(at[dimension]);
    const Index lower = points[dimension][first];
    const Index upper = points[dimension][first + 1];
    outside += cell[dimension] < lower || cell[dimension] >= upper ? 1 : 0;
    empty = empty || lower == upper;
  }
  if (empty || outside == 0 || (outside > 1 && !halo.corners)) {
    return std::nullopt;
  }
  if (halo.fold && cell[1] >= points[1].back()) {
    const Index beyond = cell[1] - points[1].back();
    there[1] = points[1].back() - 1 - halo.fold->skipped - beyond;
    there[0] = points[0].front() + points[0].back() - 1 + halo.fold->shift - cell[0];
  }
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    const Index lower = points[dimension].front();
    const Index upper = points[dimension].back();
    while (halo.periodic[dimension] && there[dimension] < lower) {
      there[dimension] += upper - lower;
    }
    while (halo.periodic[dimension] && there[dimension] >= upper) {
      there[dimension] -= upper - lower;
    }
    if (there[dimension] < lower || there[dimension] >= upper) {
      return std::nullopt;
    }
  }
  return there;
}

std::optional<Index> RandomHalo::number(int place, const Cell& cell) const {
  const std::optional<Cell> there = owns(place, cell) ? cell : meant(place, cell);
  if (!there) {
    return std::nullopt;
  }
  for (std::size_t of = 0; of < owners.size(); ++of) {
    if (owns(static_cast<int>(of), *there)) {
      if (owners[of] < 0) {
        return std::nullopt;
      }
      Index number = 0;
      for (std::size_t dimension = layout::max_dimensions; dimension-- > 0;) {
        const Index extent = points[dimension].back() - points[dimension].front();
        number = number * extent + (*there)[dimension] - points[dimension].front();
      }
      return number;
    }
  }
  return std::nullopt;
}

std::string RandomHalo::text() const {
  std::string text = "seed " + std::to_string(seed) + ":";
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    text += " cut at";
    for (const Index point : points[dimension]) {
      text += " " + std::to_string(point);
    }
    text += ", halo " + std::to_string(halo.below[dimension]) + "+" +
            std::to_string(halo.above[dimension]) +
            (halo.periodic[dimension] ? " periodic;" : " closed;");
  }
  text += halo.corners ? " corners" : " faces";
  if (halo.fold) {
    text += ", fold " + std::to_string(halo.fold->shift) + "/" + std::to_string(halo.fold->skipped);
  }
  text += ", owners";
  for (const int owner : owners) {
    text += " " + std::to_string(owner);
  }
  return text;
}

}  // namespace halocline::test
