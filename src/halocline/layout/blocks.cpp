#include "halocline/layout/blocks.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/base/identity.hpp"

namespace halocline::layout {
namespace {

std::vector<Cuts> all_dimensions(std::vector<Cuts> cuts) {
  if (cuts.empty() || cuts.size() > max_dimensions) {
    throw Error("a layout of " + std::to_string(cuts.size()) +
                " dimensions; allowed: 1 to 4; join dimensions that are not cut");
  }
  cuts.resize(max_dimensions, Cuts::even({.lower = 0, .upper = 1}, 1));
  Box grid;
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    const Interval whole = cuts[dimension].whole();
    grid = grid.with(dimension, whole.lower, whole.upper);
  }
  if (!grid.countable()) {
    throw Error(
        "a grid of more than 9223372036854775807 indices; allowed: fewer; check its bounds");
  }
  return cuts;
}

RankGrid parts_of(const std::vector<Cuts>& cuts) {
  RankGrid parts;
  std::int64_t places = 1;
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    parts.extent[dimension] = cuts[dimension].places();
    places *= cuts[dimension].places();
    if (places > INT32_MAX) {
      throw Error("a layout of more than " + std::to_string(INT32_MAX) +
                  " blocks; cut it into fewer parts");
    }
  }
  return parts;
}

}  // namespace

Blocks::Blocks(std::vector<Cuts> cuts, int first_rank)
    : cuts_(all_dimensions(std::move(cuts))), parts_(parts_of(cuts_)), first_rank_(first_rank) {
  if (first_rank < 0) {
    throw Error("a layout whose first rank is " + std::to_string(first_rank) +
                "; allowed: 0 or more; name a rank of the communicator");
  }
  if (first_rank > INT32_MAX - places()) {
    throw Error("a layout of " + std::to_string(places()) + " blocks whose first rank is " +
                std::to_string(first_rank) + "; allowed: up to " +
                std::to_string(INT32_MAX - places()) + "; name a rank of the communicator");
  }
  ranks_ = first_rank + places();
}

Blocks::Blocks(std::vector<Cuts> cuts, std::vector<int> owners)
    : cuts_(all_dimensions(std::move(cuts))),
      parts_(parts_of(cuts_)),
      owners_(std::move(owners)),
      places_by_owner_(owners_.size()) {
  require_owners();
  std::iota(places_by_owner_.begin(), places_by_owner_.end(), 0);
  std::ranges::stable_sort(places_by_owner_, {}, [this](int place) { return owner(place); });
  ranks_ = *std::ranges::max_element(owners_) + 1;
}

void Blocks::require_owners() const {
  if (owners_.size() != static_cast<std::size_t>(places())) {
    throw Error("a layout of " + std::to_string(places()) + " blocks with " +
                std::to_string(owners_.size()) + " owners; give the rank of each block");
  }
  for (std::size_t place = 0; place < owners_.size(); ++place) {
    if (owners_[place] < nobody || owners_[place] == INT32_MAX) {
      throw Error("block " + std::to_string(place + 1) + " belongs to rank " +
                  std::to_string(owners_[place]) + "; allowed: 0 to " +
                  std::to_string(INT32_MAX - 1) +
                  ", or -1 for a block without owner; name a rank of the communicator");
    }
  }
  if (std::ranges::all_of(owners_, [](int owner) { return owner == nobody; })) {
    throw Error("a layout whose blocks all have no owner; give at least one to a rank");
  }
}

Box Blocks::global() const {
  Box box;
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    const Interval whole = cuts_[dimension].whole();
    box = box.with(dimension, whole.lower, whole.upper);
  }
  return box;
}

Box Blocks::local(int place) const {
  const RankGrid::Place at = parts_.place(place);
  Box box;
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    const Index lower = cuts_[dimension].first(at[dimension]);
    box = box.with(dimension, lower, lower + cuts_[dimension].owned(at[dimension]));
  }
  return box;
}

std::vector<int> Blocks::places_of(int rank) const {
  if (owners_.empty()) {
    const int place = rank - first_rank_;
    return place >= 0 && place < places() ? std::vector{place} : std::vector<int>{};
  }
  const auto [begin, end] = std::ranges::equal_range(places_by_owner_, rank, {},
                                                     [this](int place) { return owner(place); });
  return {begin, end};
}

std::vector<Part> Blocks::owned(int rank) const {
  std::vector<Part> parts;
  for (const int place : places_of(rank)) {
    parts.push_back({.place = place, .local = local(place)});
  }
  return parts;
}

Blocks Blocks::permuted(const std::array<std::size_t, max_dimensions>& order) const {
  auto sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    if (sorted[dimension] != dimension) {
      throw Error(
          "an order of dimensions that does not name each of the 4 once; give one that does");
    }
  }
  std::vector<Cuts> cuts;
  for (const std::size_t dimension : order) {
    cuts.push_back(cuts_[dimension]);
  }
  const RankGrid turned = parts_of(cuts);
  std::vector<int> owners(static_cast<std::size_t>(places()));
  for (int place = 0; place < places(); ++place) {
    const RankGrid::Place at = parts_.place(place);
    RankGrid::Place there{};
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      there[dimension] = at[order[dimension]];
    }
    owners[static_cast<std::size_t>(turned.rank(there))] = owner(place);
  }
  return {std::move(cuts), std::move(owners)};
}

Blocks Blocks::owned_by(std::vector<int> owners) const { return {cuts_, std::move(owners)}; }

std::uint64_t Blocks::identity() const {
  Identity identity;
  for (const Cuts& cuts : cuts_) {
    identity.add(cuts.description());
  }
  identity.add(static_cast<std::uint64_t>(first_rank_));
  for (const int owner : owners_) {
    identity.add(static_cast<std::uint64_t>(owner));
  }
  return identity.value();
}

}  // namespace halocline::layout
