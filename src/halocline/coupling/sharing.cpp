#include "halocline/coupling/sharing.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "halocline/base/error.hpp"

namespace halocline::coupling {
namespace {

/// Deals ranks to these groups. Groups that ask for no number get one each, and the rest go one by
/// one to the group whose ranks have most to do.
std::vector<int> dealt(int ranks, std::vector<int> asked, const std::vector<double>& costs) {
  std::vector<bool> open(asked.size());
  for (std::size_t group = 0; group < asked.size(); ++group) {
    open[group] = asked[group] == 0;
    asked[group] = std::max(asked[group], 1);
  }
  const int taken = std::accumulate(asked.begin(), asked.end(), 0);
  const bool all_asked = std::ranges::none_of(open, [](bool is_open) { return is_open; });
  if (taken > ranks || (all_asked && taken < ranks)) {
    throw Skip("the components' ranks add up to " + std::to_string(taken) + ", the run has " +
               std::to_string(ranks) + "; allowed: " + std::to_string(ranks) +
               " in total; choose 0 for components that share the remaining ranks, or "
               "arrangement=sequential");
  }
  for (int rank = taken; rank < ranks; ++rank) {
    std::size_t busiest = asked.size();
    for (std::size_t group = 0; group < asked.size(); ++group) {
      if (open[group] && (busiest == asked.size() ||
                          costs[group] / asked[group] > costs[busiest] / asked[busiest])) {
        busiest = group;
      }
    }
    ++asked[busiest];
  }
  return asked;
}

int within(Component component, int asked, int ranks) {
  if (asked > ranks) {
    throw Skip(std::string{component_names[index_of(component)]} + " on " + std::to_string(asked) +
               " ranks; allowed: up to " + std::to_string(ranks) +
               "; choose fewer or arrangement=concurrent");
  }
  return asked == 0 ? ranks : asked;
}

}  // namespace

Arrangement arrangement_named(std::string_view name) {
  if (name == "sequential") {
    return Arrangement::sequential;
  }
  return name == "concurrent" ? Arrangement::concurrent : Arrangement::mixed;
}

Sharing share(Arrangement arrangement, int ranks, const std::array<int, component_count>& asked,
              const std::array<double, component_count>& costs) {
  Sharing sharing{};
  if (arrangement == Arrangement::sequential) {
    for (std::size_t component = 0; component < component_count; ++component) {
      sharing[component] = {
          .first = 0, .count = within(static_cast<Component>(component), asked[component], ranks)};
    }
    return sharing;
  }
  if (arrangement == Arrangement::concurrent) {
    const std::vector<int> counts =
        dealt(ranks, {asked.begin(), asked.end()}, {costs.begin(), costs.end()});
    int first = 0;
    for (std::size_t component = 0; component < component_count; ++component) {
      sharing[component] = {.first = first, .count = counts[component]};
      first += counts[component];
    }
    return sharing;
  }
  constexpr std::size_t land = index_of(Component::land);
  constexpr std::size_t ice = index_of(Component::ice);
  constexpr std::size_t air = index_of(Component::atmosphere);
  constexpr std::size_t sea = index_of(Component::ocean);
  const std::vector<int> counts =
      dealt(ranks, {asked[air], asked[sea]}, {costs[air] + costs[land] + costs[ice], costs[sea]});
  sharing[air] = {.first = 0, .count = counts[0]};
  sharing[sea] = {.first = counts[0], .count = counts[1]};
  const int land_ranks = within(Component::land, asked[land], counts[0]);
  const int ice_ranks = within(Component::ice, asked[ice], counts[0]);
  sharing[land] = {.first = 0, .count = land_ranks};
  sharing[ice] = {.first = counts[0] - ice_ranks, .count = ice_ranks};  // at once if they fit
  return sharing;
}

}  // namespace halocline::coupling
