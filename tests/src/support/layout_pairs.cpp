#include "support/layout_pairs.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "support/draws.hpp"

namespace halocline::test {
namespace {

Index length(const CutDimension& dimension, Index extent) {
  return dimension.before + extent + dimension.after;
}

std::vector<Index> points(const CutDimension& dimension, Index extent) {
  std::vector<Index> all{0};
  for (const Index offset : dimension.inner) {
    all.push_back(std::min(offset, length(dimension, extent)));
  }
  all.push_back(length(dimension, extent));
  std::ranges::sort(all);
  for (Index& point : all) {
    point += dimension.lower;
  }
  return all;
}

layout::Cuts cuts(const CutDimension& dimension, Index extent) {
  const Interval whole{.lower = dimension.lower,
                       .upper = dimension.lower + length(dimension, extent)};
  switch (dimension.cut) {
    case Cut::at:
      return layout::Cuts::at(points(dimension, extent));
    case Cut::cyclic:
      return layout::Cuts::cyclic(whole, dimension.block, dimension.parts);
    case Cut::even:
      break;
  }
  return layout::Cuts::even(whole, dimension.parts);
}

Blocks blocks(const Side& side, const std::vector<Index>& extents, int owners) {
  std::vector<layout::Cuts> all;
  for (std::size_t dimension = 0; dimension < extents.size(); ++dimension) {
    all.push_back(cuts(side.dimensions[dimension], extents[dimension]));
  }
  if (side.owners_seed == 0) {
    return Blocks(std::move(all), side.first_rank);
  }
  std::mt19937_64 random(side.owners_seed);
  std::vector<int> table(static_cast<std::size_t>(side.places()));
  for (int& owner : table) {
    owner = static_cast<int>(random() % static_cast<std::uint64_t>(owners));
  }
  return Blocks(std::move(all), std::move(table));
}

Box region_of(const Side& side, const std::vector<Index>& extents) {
  Box box;
  for (std::size_t dimension = 0; dimension < extents.size(); ++dimension) {
    const Index lower = side.dimensions[dimension].lower + side.dimensions[dimension].before;
    box = box.with(dimension, lower, lower + extents[dimension]);
  }
  return box;
}

std::string text_of(const Side& side, const std::vector<Index>& extents) {
  std::string text;
  for (std::size_t dimension = 0; dimension < extents.size(); ++dimension) {
    const CutDimension& cut = side.dimensions[dimension];
    text += dimension == 0 ? "" : " x ";
    text += std::to_string(cut.lower) + "+" + std::to_string(cut.before) + "+" +
            std::to_string(extents[dimension]) + "+" + std::to_string(cut.after);
    if (cut.cut == Cut::even) {
      text += " even/" + std::to_string(cut.parts);
    } else if (cut.cut == Cut::cyclic) {
      text += " cyclic " + std::to_string(cut.block) + "/" + std::to_string(cut.parts);
    } else {
      text += " at";
      for (const Index point : points(cut, extents[dimension])) {
        text += " " + std::to_string(point);
      }
    }
  }
  return text + (side.owners_seed != 0 ? ", owners drawn with " + std::to_string(side.owners_seed)
                                       : ", from rank " + std::to_string(side.first_rank));
}

/// Draws numbers; all of a pair come from one seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  Index number(Index least, Index most) {
    return least + static_cast<Index>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool once_in(Index times) { return number(1, times) == 1; }

  CutDimension dimension(Index extent, int most_parts) {
    CutDimension drawn;
    drawn.parts = static_cast<int>(number(1, most_parts));
    drawn.block = number(1, 4);
    drawn.cut = static_cast<Cut>(number(0, 2));
    for (int part = 1; part < drawn.parts; ++part) {
      drawn.inner.push_back(number(0, extent + 3));  // beyond the end: parts without indices
    }
    return drawn;
  }

  Side side(const std::vector<Index>& extents, int most_places, bool table) {
    Side drawn;
    int left = most_places;
    for (const Index extent : extents) {
      drawn.dimensions.push_back(dimension(extent, std::min(left, static_cast<int>(extent) + 2)));
      left /= drawn.dimensions.back().parts;
    }
    // The later dimensions are not always the ones with fewer parts.
    if (once_in(2)) {
      std::ranges::reverse(drawn.dimensions);
    }
    if (table) {
      drawn.owners_seed = static_cast<std::uint64_t>(number(1, 1'000'000));
    } else {
      drawn.first_rank = static_cast<int>(number(0, most_places - drawn.places()));
    }
    return drawn;
  }

  void place_region(Side& side) {
    for (CutDimension& dimension : side.dimensions) {
      dimension.lower = number(-3, 3);
      dimension.before = number(0, 3);
      dimension.after = number(0, 3);
    }
  }

 private:
  std::mt19937_64 random_;
};

void without_dimension(LayoutPair& pair, std::size_t dimension) {
  const auto at = static_cast<std::ptrdiff_t>(dimension);
  pair.extents.erase(pair.extents.begin() + at);
  pair.source.dimensions.erase(pair.source.dimensions.begin() + at);
  pair.destination.dimensions.erase(pair.destination.dimensions.begin() + at);
}

/// Simpler values of one side, each as a change to a copy of the pair.
void simplify_side(const LayoutPair& pair, Side LayoutPair::* which, std::vector<LayoutPair>& all) {
  const auto add = [&](auto change) {
    LayoutPair simpler_pair = pair;
    change(simpler_pair.*which);
    all.push_back(std::move(simpler_pair));
  };
  const Side& side = pair.*which;
  if (side.owners_seed != 0 && side.places() <= pair.owners) {
    add([](Side& changed) { changed.owners_seed = 0; });
  }
  if (side.first_rank != 0) {
    add([](Side& changed) { changed.first_rank = 0; });
  }
  for (std::size_t dimension = 0; dimension < side.dimensions.size(); ++dimension) {
    const CutDimension& cut = side.dimensions[dimension];
    const auto add_cut = [&](auto change) {
      add([&](Side& changed) { change(changed.dimensions[dimension]); });
    };
    if (cut.parts > 1) {
      add_cut([](CutDimension& changed) {
        --changed.parts;
        changed.inner.pop_back();
      });
    }
    if (cut.cut != Cut::even) {
      add_cut([](CutDimension& changed) { changed.cut = Cut::even; });
    }
    if (cut.block > 1) {
      add_cut([](CutDimension& changed) { --changed.block; });
    }
    for (Index CutDimension::* margin : {&CutDimension::before, &CutDimension::after}) {
      if (cut.*margin > 0) {
        add_cut([margin](CutDimension& changed) { --(changed.*margin); });
      }
    }
  }
}

}  // namespace

int Side::places() const {
  int product = 1;
  for (const CutDimension& dimension : dimensions) {
    product *= dimension.parts;
  }
  return product;
}

Blocks LayoutPair::source_layout() const { return blocks(source, extents, owners); }
Blocks LayoutPair::destination_layout() const { return blocks(destination, extents, owners); }

route::Region LayoutPair::region() const {
  return {.source = region_of(source, extents), .destination = region_of(destination, extents)};
}

bool LayoutPair::whole() const {
  return region().source == source_layout().global() &&
         region().destination == destination_layout().global() &&
         region().source == region().destination;
}

int LayoutPair::ranks() const {
  return std::max(source_layout().ranks(), destination_layout().ranks());
}

std::string LayoutPair::text() const {
  return "seed " + std::to_string(seed) + ", source " + text_of(source, extents) +
         ", destination " + text_of(destination, extents) + " (lower+before+moved+after), " +
         std::to_string(owners) + " ranks to choose owners from";
}

LayoutPair random_pair(std::uint64_t seed, int most_ranks) {
  Draw draw(seed);
  LayoutPair pair;
  pair.seed = seed;
  pair.owners = static_cast<int>(draw.number(1, most_ranks));
  const Index dimensions = draw.number(1, static_cast<Index>(layout::max_dimensions));
  constexpr std::array<Index, layout::max_dimensions> most_indices{80, 16, 7, 4};
  for (Index dimension = 0; dimension < dimensions; ++dimension) {
    pair.extents.push_back(draw.number(1, most_indices[static_cast<std::size_t>(dimensions) - 1]));
  }
  pair.source = draw.side(pair.extents, most_ranks, draw.once_in(3));
  pair.destination = draw.side(pair.extents, most_ranks, draw.once_in(3));
  if (draw.once_in(3)) {
    draw.place_region(pair.source);
    draw.place_region(pair.destination);
  }
  return pair;
}

std::vector<LayoutPair> simpler(const LayoutPair& pair) {
  std::vector<LayoutPair> all;
  const auto add = [&](auto change) {
    LayoutPair simpler_pair = pair;
    change(simpler_pair);
    all.push_back(std::move(simpler_pair));
  };
  for (std::size_t dimension = 0; dimension < pair.extents.size(); ++dimension) {
    if (pair.extents.size() > 1) {
      add([&](LayoutPair& changed) { without_dimension(changed, dimension); });
    }
    if (pair.extents[dimension] > 2) {
      add([&](LayoutPair& changed) { changed.extents[dimension] /= 2; });
    }
    if (pair.extents[dimension] > 1) {
      add([&](LayoutPair& changed) { --changed.extents[dimension]; });
    }
    // Both at once: a pair without a region keeps the same indices on both sides.
    if (pair.source.dimensions[dimension].lower != 0 ||
        pair.destination.dimensions[dimension].lower != 0) {
      add([&](LayoutPair& changed) {
        changed.source.dimensions[dimension].lower = 0;
        changed.destination.dimensions[dimension].lower = 0;
      });
    }
  }
  simplify_side(pair, &LayoutPair::source, all);
  simplify_side(pair, &LayoutPair::destination, all);
  if (pair.owners > 1) {
    add([](LayoutPair& changed) { --changed.owners; });
  }
  return all;
}

LayoutPair shrunk(LayoutPair failing, const std::function<bool(const LayoutPair&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const LayoutPair& candidate : simpler(failing)) {
      if (fails(candidate)) {
        failing = candidate;
        smaller = true;
        break;
      }
    }
  }
  return failing;
}

std::vector<Home> homes(const CutDimension& dimension, Index extent) {
  const Index indices = length(dimension, extent);
  const std::vector<Index> ends = points(dimension, extent);
  std::vector<Home> all;
  std::vector<Index> next_local(static_cast<std::size_t>(dimension.parts), -1);
  for (Index offset = 0; offset < indices; ++offset) {
    std::size_t place = 0;
    if (dimension.cut == Cut::at) {
      while (ends[place + 1] <= dimension.lower + offset) {
        ++place;
      }
    } else if (dimension.cut == Cut::cyclic) {
      place = static_cast<std::size_t>(offset / dimension.block % dimension.parts);
    } else {
      // Part p of n has the p-th of n shares, the longer ones first.
      for (Index end = 0;; ++place) {
        end += indices / dimension.parts +
               (static_cast<Index>(place) < indices % dimension.parts ? 1 : 0);
        if (offset < end) {
          break;
        }
      }
    }
    Index& local = next_local[place];
    local = local < 0 ? offset : local + 1;
    all.push_back({.place = static_cast<int>(place), .local = dimension.lower + local});
  }
  return all;
}

std::string first_problem(std::uint64_t first_seed, int pairs, int most_ranks,
                          const std::function<std::string(const LayoutPair&)>& check) {
  const std::uint64_t drawn = drawn_at_random(static_cast<std::uint64_t>(pairs));
  for (std::uint64_t number = 0; number < drawn; ++number) {
    const LayoutPair pair = random_pair(first_seed + number, most_ranks);
    if (check(pair).empty()) {
      continue;
    }
    const LayoutPair simplest =
        shrunk(pair, [&](const LayoutPair& candidate) { return !check(candidate).empty(); });
    return check(simplest) + "\nsimplest: " + simplest.text() + "\ndrawn: " + pair.text();
  }
  return "";
}

}  // namespace halocline::test
