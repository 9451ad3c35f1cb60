#include "halocline/bundle/redistribution.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"
#include "halocline/base/workers.hpp"
#include "halocline/bundle/copies.hpp"
#include "halocline/bundle/exchange.hpp"
#include "halocline/bundle/fitting.hpp"
#include "halocline/bundle/near_exchange.hpp"
#include "halocline/bundle/parcels.hpp"
#include "halocline/bundle/stores_choice.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/progress_thread.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::bundle {
namespace {

constexpr std::size_t least_portion_bytes = 256 * kibibyte;

/// A route's legs, by where their peers are.
struct Split {
  route::Route own;
  route::Route near;
  route::Route far;
};

Split split(const route::Route& route, int rank, const std::set<int>& near_ranks) {
  Split split;
  const auto deal = [&](const std::vector<route::Leg>& legs,
                        std::vector<route::Leg> route::Route::* side) {
    for (const route::Leg& leg : legs) {
      route::Route& part = leg.peer == rank                ? split.own
                           : near_ranks.contains(leg.peer) ? split.near
                                                           : split.far;
      (part.*side).push_back(leg);
    }
  };
  deal(route.sends, &route::Route::sends);
  deal(route.receives, &route::Route::receives);
  return split;
}

std::set<int> near_ranks(Near near, const mpi::Communicator& communicator) {
  if (near == Near::messages || mpi::simulated) {
    return {};
  }
  const std::vector<int> ranks = communicator.node().all_gather(communicator.rank());
  return {ranks.begin(), ranks.end()};
}

bool anywhere(bool here, const mpi::Communicator& communicator) {
  return communicator.maximum(std::int64_t{here ? 1 : 0}) != 0;
}

/// Throws Error on all ranks if any of them cannot start its threads.
std::unique_ptr<Workers> workers_of(const Way& way, const mpi::Communicator& communicator) {
  std::unique_ptr<Workers> workers;
  mpi::agreed(communicator, [&] { workers = std::make_unique<Workers>(way.threads); });
  return workers;
}

std::size_t bytes_of(const route::Leg& leg, const Blocks& blocks) {
  return packed_bytes(blocks[static_cast<std::size_t>(leg.part)], leg);
}

}  // namespace

/// Fields that travel together.
class Stage {
 public:
  Stage(const Split& split, const Blocks& source, const Blocks& destination, FieldRange fields,
        const Way& way, const mpi::Communicator& communicator, const NodeMemory* memory,
        Workers& workers)
      : workers_(workers) {
    for (const std::vector<Copy>& portion :
         local_portions(split.own, source, destination, fields)) {
      local_.emplace_back(portion, workers_.count());
    }
    if (anywhere(!split.near.sends.empty() || !split.near.receives.empty(), communicator)) {
      near_.emplace(by_rank(split.near.sends, source, fields),
                    by_rank(split.near.receives, destination, fields), communicator, memory,
                    workers, way.stores.value_or(Stores::cached));
    }
    stores_ = StoresChoice(way.stores,
                           streamable_bytes(local_) + (near_ ? near_->streamable_bytes() : 0));
    if (anywhere(!split.far.sends.empty() || !split.far.receives.empty(), communicator)) {
      Parcels parcels = far_parcels(split.far, source, destination, fields, way, communicator);
      far_.emplace(std::move(parcels.sends), std::move(parcels.receives), protocol_of(way),
                   communicator);
    }
  }

  bool crosses_nodes() const { return far_.has_value(); }
  bool settled() const { return stores_.settled(); }

  void start() {
    if (far_) {
      far_->start();  // under way while the node's ranks copy
    }
    if (near_) {
      near_->start();
    }
  }

  void finish() {
    std::size_t portions = 0;
    const auto copy_portion = [&] {
      if (portions < local_.size()) {
        stores_.run(local_[portions++], workers_);
      }
      return portions == local_.size();
    };
    if (near_) {
      near_->finish(stores_, copy_portion);
    }
    while (!copy_portion()) {
    }
    stores_.end_run();
    if (far_) {
      far_->finish();
    }
  }

 private:
  /// Copies within the rank. Columns are made together; others by field, each portion while the
  /// caches have what travels to the node's other ranks and while that is awaited.
  static std::vector<std::vector<Copy>> local_portions(const route::Route& own,
                                                       const Blocks& source,
                                                       const Blocks& destination,
                                                       FieldRange fields) {
    std::vector<Copy> columns;
    std::vector<std::vector<Copy>> portions;
    std::size_t portion_bytes = least_portion_bytes;
    for (std::size_t field = fields.first; field < fields.last; ++field) {
      for (std::size_t index = 0; index < own.receives.size(); ++index) {
        const FieldRange one{.first = field, .last = field + 1};
        const Copy copy(boxes_of(own.receives[index], destination, one).front(),
                        boxes_of(own.sends.at(index), source, one).front());
        if (copy.column()) {
          columns.push_back(copy);
          continue;
        }
        if (portion_bytes >= least_portion_bytes) {
          portions.emplace_back();
          portion_bytes = 0;
        }
        portions.back().push_back(copy);
        portion_bytes += copy.size_bytes();
      }
    }
    if (!columns.empty()) {
      portions.push_back(std::move(columns));
    }
    return portions;
  }

  static const protocol::Protocol& protocol_of(const Way& way) {
    return way.protocol == nullptr ? protocol::find("isend_irecv") : *way.protocol;
  }

  static Parcels far_parcels(const route::Route& far, const Blocks& source,
                             const Blocks& destination, FieldRange fields, const Way& way,
                             const mpi::Communicator& communicator) {
    switch (way.packing) {
      case Packing::box:
        return {.sends = by_box(far.sends, source, fields),
                .receives = by_box(far.receives, destination, fields)};
      case Packing::run:
        return by_run(far, source, destination, fields, communicator);
      case Packing::rank:
        break;
    }
    return {.sends = by_rank(far.sends, source, fields),
            .receives = by_rank(far.receives, destination, fields)};
  }

  Workers& workers_;
  StoresChoice stores_{Stores::cached, 0};
  std::vector<Copies> local_;
  std::optional<NearExchange> near_;
  std::optional<Exchange> far_;
};

class Redistribution::Parts {
 public:
  Parts(const route::Route& route, const Blocks& source, const Blocks& destination, const Way& way,
        const mpi::Communicator& communicator, const NodeMemory* memory)
      : communicator_(communicator.duplicate()), workers_(workers_of(way, communicator_)) {
    for (const route::Leg& leg : route.sends) {
      if (leg.peer != communicator_.rank()) {
        sent_.push_back({.peer = leg.peer, .bytes = bytes_of(leg, source)});
      }
    }
    const Split parts = split(route, communicator_.rank(), near_ranks(way.near, communicator_));
    const std::size_t here = !source.empty()        ? source.front().size()
                             : !destination.empty() ? destination.front().size()
                                                    : 0;
    // Ranks without data also take part in each stage.
    const auto fields =
        static_cast<std::size_t>(communicator_.maximum(static_cast<std::int64_t>(here)));
    const std::size_t together = way.whole_bundle ? std::max<std::size_t>(fields, 1) : 1;
    for (std::size_t first = 0; first < fields; first += together) {
      stages_.push_back(std::make_unique<Stage>(
          parts, source, destination, FieldRange{.first = first, .last = first + together}, way,
          communicator_, memory, *workers_));
    }
    if (way.progress_thread && !stages_.empty() && stages_.front()->crosses_nodes()) {
      mpi::agreed(communicator_, [this] { progress_.emplace(communicator_); });
    }
  }

  void start() {
    if (!stages_.empty()) {
      stages_.front()->start();
    }
    if (progress_) {
      progress_->resume();
    }
  }

  void finish() {
    if (progress_) {
      progress_->pause();
    }
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      if (stage > 0) {
        stages_[stage]->start();
      }
      stages_[stage]->finish();
    }
    if (progress_) {
      progress_->rethrow_failure();
    }
  }

  bool settled() const {
    return std::ranges::all_of(stages_, [](const auto& stage) { return stage->settled(); });
  }

  std::size_t sent_bytes() const {
    std::size_t bytes = 0;
    for (const Sent& sent : sent_) {
      bytes += sent.bytes;
    }
    return bytes;
  }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const {
    const auto own = static_cast<std::size_t>(communicator_.rank());
    std::size_t bytes = 0;
    for (const Sent& sent : sent_) {
      if (node_of_rank[static_cast<std::size_t>(sent.peer)] != node_of_rank[own]) {
        bytes += sent.bytes;
      }
    }
    return bytes;
  }

 private:
  struct Sent {
    int peer;
    std::size_t bytes;
  };

  const mpi::Communicator communicator_;
  const std::unique_ptr<Workers> workers_;
  std::vector<Sent> sent_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::optional<mpi::ProgressThread> progress_;
};

Redistribution::Redistribution(const route::Route& route, const Blocks& source,
                               const Blocks& destination, const Way& way,
                               const mpi::Communicator& communicator, const NodeMemory* memory) {
  require_fitting(route, source, destination, way, communicator, memory);
  parts_ = std::make_unique<Parts>(route, source, destination, way, communicator, memory);
}

Redistribution::~Redistribution() = default;
Redistribution::Redistribution(Redistribution&&) noexcept = default;
Redistribution& Redistribution::operator=(Redistribution&&) noexcept = default;

void Redistribution::start() { parts_->start(); }
void Redistribution::finish() { parts_->finish(); }

bool Redistribution::settled() const { return parts_->settled(); }

std::size_t Redistribution::sent_bytes() const { return parts_->sent_bytes(); }

std::size_t Redistribution::off_node_bytes(std::span<const int> node_of_rank) const {
  return parts_->off_node_bytes(node_of_rank);
}

}  // namespace halocline::bundle
