#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace halocline::coupling {

/// The parts of the coupled model, in the order in which a rank with several runs them.
enum class Component { land, ice, atmosphere, ocean };
inline constexpr std::size_t component_count = 4;
inline constexpr std::array<std::string_view, component_count> component_names{
    "land", "ice", "atmosphere", "ocean"};
constexpr std::size_t index_of(Component component) { return static_cast<std::size_t>(component); }

/// How components are laid out on the ranks.
enum class Arrangement {
  sequential,  // all on all ranks, one after the other
  concurrent,  // each on its own ranks, simultaneously
  mixed        // the ocean on its own ranks; land and ice on those of the atmosphere, before it
};

Arrangement arrangement_named(std::string_view name);

/// Consecutive ranks.
struct RankRange {
  int first;
  int count;

  bool contains(int rank) const { return first <= rank && rank < first + count; }
};

/// The ranks of each component.
using Sharing = std::array<RankRange, component_count>;

/// `asked`: ranks of each component, 0 for what the arrangement gives it by the costs. Throws Skip
/// on all ranks if they cannot be laid out this way.
Sharing share(Arrangement arrangement, int ranks, const std::array<int, component_count>& asked,
              const std::array<double, component_count>& costs);

}  // namespace halocline::coupling
