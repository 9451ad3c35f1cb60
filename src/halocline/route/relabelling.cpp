#include "halocline/route/relabelling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Index;

/// Indices that rank `candidate` has at the source and rank `label` owns at the destination: they
/// stay if the candidate takes the label's place.
struct Share {
  std::size_t candidate;
  std::size_t label;
  Index volume;
};

/// For each label, the candidate that takes its place.
using Takers = std::vector<std::size_t>;

std::vector<int> owners_of(const Blocks& layout) {
  std::vector<int> owners;
  for (int place = 0; place < layout.places(); ++place) {
    owners.push_back(layout.owner(place));
  }
  return owners;
}

std::vector<int> each_once(std::vector<int> ranks) {
  std::erase(ranks, layout::nobody);
  std::ranges::sort(ranks);
  const auto again = std::ranges::unique(ranks);
  ranks.erase(again.begin(), again.end());
  return ranks;
}

std::optional<std::size_t> number_of(int rank, const std::vector<int>& ranks) {
  const auto found = std::ranges::lower_bound(ranks, rank);
  if (found == ranks.end() || *found != rank) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - ranks.begin());
}

/// The total that moves, and the part that would stay.
struct Traffic {
  std::vector<Share> shares;
  Index total = 0;
};

Traffic traffic(const Blocks& source, const Blocks& destination, const Region& region,
                const std::vector<int>& ranks) {
  Traffic found;
  for (std::size_t label = 0; label < ranks.size(); ++label) {
    // The receives are in order of peer.
    int last_peer = -1;
    for (const Leg& leg : redistribution(source, destination, ranks[label], region).receives) {
      const Index volume = leg.box.volume();
      found.total += volume;
      if (leg.peer == last_peer) {
        found.shares.back().volume += volume;
      } else if (const auto candidate = number_of(leg.peer, ranks)) {
        found.shares.push_back({.candidate = *candidate, .label = label, .volume = volume});
        last_peer = leg.peer;
      }
    }
  }
  return found;
}

Index kept(const std::vector<Share>& shares, const Takers& takers) {
  Index sum = 0;
  for (const Share& share : shares) {
    sum += takers[share.label] == share.candidate ? share.volume : 0;
  }
  return sum;
}

/// The Hungarian method: adds labels one by one, each along the shortest augmenting path. A pair
/// costs minus its share; paths begin at row and column 0.
class Hungarian {
 public:
  Hungarian(const std::vector<Share>& shares, std::size_t ranks)
      : ranks_(ranks),
        cost_(ranks * ranks),
        label_price_(ranks + 1),
        candidate_price_(ranks + 1),
        label_of_(ranks + 1),
        previous_(ranks + 1) {
    for (const Share& share : shares) {
      cost_[share.label * ranks + share.candidate] = -share.volume;
    }
  }

  Takers takers() {
    for (std::size_t label = 1; label <= ranks_; ++label) {
      exchange_along_path(shortest_path(label));
    }
    Takers found(ranks_);
    for (std::size_t candidate = 1; candidate <= ranks_; ++candidate) {
      found[label_of_[candidate] - 1] = candidate - 1;
    }
    return found;
  }

 private:
  /// The free candidate at the end of the path from a label.
  std::size_t shortest_path(std::size_t label) {
    std::vector<Index> slack(ranks_ + 1, std::numeric_limits<Index>::max());
    std::vector<char> reached(ranks_ + 1);
    label_of_[0] = label;
    std::size_t at = 0;
    while (label_of_[at] != 0) {
      reached[at] = 1;
      const std::size_t from = label_of_[at];
      Index least = std::numeric_limits<Index>::max();
      std::size_t next = 0;
      for (std::size_t candidate = 1; candidate <= ranks_; ++candidate) {
        if (reached[candidate] != 0) {
          continue;
        }
        const Index reduced = cost_[(from - 1) * ranks_ + candidate - 1] - label_price_[from] -
                              candidate_price_[candidate];
        if (reduced < slack[candidate]) {
          slack[candidate] = reduced;
          previous_[candidate] = at;
        }
        if (slack[candidate] < least) {
          least = slack[candidate];
          next = candidate;
        }
      }
      for (std::size_t candidate = 0; candidate <= ranks_; ++candidate) {
        if (reached[candidate] != 0) {
          label_price_[label_of_[candidate]] += least;
          candidate_price_[candidate] -= least;
        } else {
          slack[candidate] -= least;
        }
      }
      at = next;
    }
    return at;
  }

  void exchange_along_path(std::size_t candidate) {
    while (candidate != 0) {
      label_of_[candidate] = label_of_[previous_[candidate]];
      candidate = previous_[candidate];
    }
  }

  std::size_t ranks_;
  std::vector<Index> cost_;
  std::vector<Index> label_price_;
  std::vector<Index> candidate_price_;
  std::vector<std::size_t> label_of_;  // 0: none yet
  std::vector<std::size_t> previous_;  // on the path
};

Takers largest_first(std::vector<Share> shares, std::size_t ranks) {
  std::ranges::sort(shares, [](const Share& one, const Share& other) {
    return std::tuple(other.volume, one.label, one.candidate) <
           std::tuple(one.volume, other.label, other.candidate);
  });
  Takers takers(ranks, ranks);
  std::vector<char> taken(ranks);
  const auto take = [&](std::size_t label, std::size_t candidate) {
    if (takers[label] == ranks && taken[candidate] == 0) {
      takers[label] = candidate;
      taken[candidate] = 1;
    }
  };
  for (const Share& share : shares) {
    take(share.label, share.candidate);
  }
  for (std::size_t label = 0; label < ranks; ++label) {
    take(label, label);
  }
  std::size_t free = 0;
  for (std::size_t label = 0; label < ranks; ++label) {
    while (takers[label] == ranks) {
      take(label, free++);
    }
  }
  return takers;
}

}  // namespace

Relabelling relabelled(const Blocks& source, const Blocks& destination, const Region& region,
                       Assignment assignment) {
  std::vector<int> owners = owners_of(destination);
  const std::vector<int> ranks = each_once(owners);
  const auto [shares, total] = traffic(source, destination, region, ranks);
  Takers as_before(ranks.size());
  std::iota(as_before.begin(), as_before.end(), std::size_t{0});
  const Takers takers = assignment == Assignment::fewest ? Hungarian(shares, ranks.size()).takers()
                                                         : largest_first(shares, ranks.size());
  const Index kept_before = kept(shares, as_before);
  const Index kept_after = kept(shares, takers);
  if (kept_after <= kept_before) {
    return {.owners = std::move(owners),
            .moved_before = total - kept_before,
            .moved_after = total - kept_before};
  }
  for (int& owner : owners) {
    if (const auto number = number_of(owner, ranks)) {
      owner = ranks[takers[*number]];
    }
  }
  return {.owners = std::move(owners),
          .moved_before = total - kept_before,
          .moved_after = total - kept_after};
}

Relabelling relabelled(const Blocks& source, const Blocks& destination) {
  const bool few = each_once(owners_of(destination)).size() <= fewest_ranks_maximum;
  return relabelled(source, destination, whole_grid(source, destination),
                    few ? Assignment::fewest : Assignment::largest_first);
}

}  // namespace halocline::route
