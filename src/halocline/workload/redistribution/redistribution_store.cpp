#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "halocline/bundle/chosen_way.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/redistribution.hpp"
#include "halocline/workload/kernel/loop.hpp"
#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/redistribution/layouts.hpp"
#include "halocline/workload/redistribution/side.hpp"

namespace halocline::workload {

extern const Workload redistribution_store;

namespace {

using route::Leg;
using route::Route;

constexpr std::size_t fields = 8;  // of the paper's bundle
constexpr std::size_t point_bytes = fields * element_bytes;
constexpr int most_checked_peers = 32;     // of one rank: each one's route is computed
constexpr int most_summed_ranks = 65'536;  // routes that are computed only for the totals

const IntegerAxis& planned_ranks_axis() {
  static const IntegerAxis axis{
      .name = "planned_ranks",
      .unit = "ranks",
      .low = 0,
      .high = 1'048'576,
      .defaults = {0, 32, 64, 128, 256, 512, 1024, 2048},
  };
  return axis;
}

/// How much of the preparation is timed: the route, or all one-time work of a program.
const ChoiceAxis& store_axis() {
  static const ChoiceAxis axis{
      .name = "store", .choices = {"route", "whole"}, .defaults = {"route"}};
  return axis;
}

/// By which way the whole is created: the library's choice, or messages to all other ranks.
const ChoiceAxis& way_axis() {
  static const ChoiceAxis axis{
      .name = "way", .choices = {"chosen", "isend_irecv", "sendrecv"}, .defaults = {"chosen"}};
  return axis;
}

std::size_t bytes_to_others(const Route& route, int rank) {
  std::size_t points = 0;
  for (const Leg& leg : route.sends) {
    points += leg.peer == rank ? 0 : static_cast<std::size_t>(leg.box.volume());
  }
  return points * point_bytes;
}

std::size_t kept_bytes(const Route& route) {
  return sizeof(Route) + (route.sends.capacity() + route.receives.capacity()) * sizeof(Leg);
}

std::size_t points_of(const std::vector<Leg>& legs) {
  std::size_t points = 0;
  for (const Leg& leg : legs) {
    points += static_cast<std::size_t>(leg.box.volume());
  }
  return points;
}

/// Whether each box lies within the part that it is of, and none overlaps another: with the number
/// of points, boxes are then all that the rank owns.
bool apart_within(const std::vector<layout::Part>& parts, const std::vector<Leg>& legs) {
  constexpr std::size_t most_compared = 4096;  // with one another
  for (std::size_t at = 0; at < legs.size(); ++at) {
    const Leg& leg = legs[at];
    if (!parts[static_cast<std::size_t>(leg.part)].local.contains(leg.box)) {
      return false;
    }
    for (std::size_t other = at + 1; other < std::min(legs.size(), most_compared); ++other) {
      if (legs[other].part == leg.part && !legs[other].box.intersection(leg.box).empty()) {
        return false;
      }
    }
  }
  return true;
}

bool same_extents(const layout::Box& one, const layout::Box& other) {
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    if (one.extent(dimension) != other.extent(dimension)) {
      return false;
    }
  }
  return true;
}

/// What is wrong with a rank's route, if anything. Its boxes must be all that the rank owns, and
/// its first peers, whose routes are also computed, must receive them in this order.
std::optional<std::string> wrong_in(const Layouts& layouts, int rank) {
  const Route route = route::redistribution(layouts.source, layouts.destination, rank);
  const auto wrong = [rank](const std::string& what) {
    return "the route of rank " + std::to_string(rank) + " " + what;
  };
  for (const auto& [side, legs, name] :
       {std::tuple(&layouts.source, &route.sends, "sends"),
        std::tuple(&layouts.destination, &route.receives, "receives")}) {
    const std::vector<layout::Part> parts = side->owned(rank);
    std::size_t owned = 0;
    for (const layout::Part& part : parts) {
      owned += static_cast<std::size_t>(part.local.volume());
    }
    if (!apart_within(parts, *legs)) {
      return wrong(std::string{name} + " boxes that overlap, or are not its own");
    }
    if (points_of(*legs) != owned) {
      return wrong(std::string{name} + " " + std::to_string(points_of(*legs)) + " of " +
                   std::to_string(owned) + " points");
    }
  }
  int peer = -1;
  int peers = 0;
  Route there;
  std::size_t next = 0;
  for (const Leg& leg : route.sends) {
    if (leg.peer != std::exchange(peer, leg.peer)) {  // a peer's legs are consecutive
      if (++peers > most_checked_peers) {
        break;
      }
      there = route::redistribution(layouts.source, layouts.destination, peer);
      next = 0;
    }
    while (next < there.receives.size() && there.receives[next].peer != rank) {
      ++next;
    }
    if (next == there.receives.size() || !same_extents(there.receives[next].box, leg.box)) {
      return wrong("sends rank " + std::to_string(leg.peer) + " what it does not receive");
    }
    ++next;
  }
  return std::nullopt;
}

/// Totals of the routes of all ranks, or of a sample if there are very many.
class Totals {
 public:
  Totals(const Layouts& layouts, int ranks) : all_(ranks <= most_summed_ranks) {
    const int step = all_ ? 1 : ranks / most_summed_ranks;
    for (int rank = 0; rank < ranks; rank += step) {
      const Route route = route::redistribution(layouts.source, layouts.destination, rank);
      moved_bytes_ += bytes_to_others(route, rank);
      most_kept_bytes_ = std::max(most_kept_bytes_, kept_bytes(route));
      most_boxes_ = std::max(most_boxes_, route.sends.size() + route.receives.size());
    }
  }

  std::vector<measure::Fact> facts() const {
    std::vector<measure::Fact> facts{
        {.name = "route memory", .unit = "B", .value = static_cast<double>(most_kept_bytes_)},
        {.name = "route boxes", .unit = "", .value = static_cast<double>(most_boxes_)}};
    if (all_) {
      facts.push_back(
          {.name = "redistributed", .unit = "B", .value = static_cast<double>(moved_bytes_)});
    }
    return facts;
  }

 private:
  bool all_;
  std::size_t moved_bytes_ = 0;
  std::size_t most_kept_bytes_ = 0;
  std::size_t most_boxes_ = 0;
};

/// Computes the routes of ranks that need not exist, one rank after the other: the work that each
/// would do by itself.
class Planning final {
 public:
  Planning(Layouts layouts, int ranks)
      : layouts_(std::move(layouts)), ranks_(ranks), step_(coprime_step(ranks)) {}

  void run() {
    route_ = route::redistribution(layouts_.source, layouts_.destination, rank_);
    rank_ = static_cast<int>((std::int64_t{rank_} + step_) % ranks_);
  }

  void write(std::uint64_t seed) {
    rank_ = static_cast<int>(seed % static_cast<std::uint64_t>(ranks_));
  }

  std::optional<std::string> difference(std::uint64_t seed) const {
    const auto seeded = static_cast<int>(seed % static_cast<std::uint64_t>(ranks_));
    for (const int rank : {0, seeded, ranks_ / 2, ranks_ - 1}) {
      if (auto wrong = wrong_in(layouts_, rank)) {
        return wrong;
      }
    }
    return std::nullopt;
  }

  std::size_t moved_bytes() const { return 0; }
  std::int64_t operations() const { return 0; }
  std::vector<measure::Fact> facts() const { return Totals(layouts_, ranks_).facts(); }

 private:
  /// Neighbours have nearly the same route; ranks far apart are a fair sample from the start.
  static int coprime_step(int ranks) {
    int step = std::max(1, static_cast<int>(0.382 * ranks));
    while (std::gcd(step, ranks) != 1) {
      ++step;
    }
    return step;
  }

  Layouts layouts_;
  int ranks_;
  int step_;
  int rank_ = 0;
  Route route_;
};

/// Computes the routes of the existing ranks, which check that they have the same layouts.
class Agreeing final {
 public:
  Agreeing(Layouts layouts, const mpi::Communicator& world)
      : layouts_(std::move(layouts)), world_(world) {}

  void run() { route_ = route::redistribution(layouts_.source, layouts_.destination, world_); }

  void write(std::uint64_t /*seed*/) { route_ = {}; }

  std::optional<std::string> difference(std::uint64_t /*seed*/) const {
    const Route alone = route::redistribution(layouts_.source, layouts_.destination, world_.rank());
    return route_ == alone ? wrong_in(layouts_, world_.rank())
                           : std::optional<std::string>("another route than by itself");
  }

  std::size_t moved_bytes() const { return 0; }
  std::int64_t operations() const { return 0; }
  std::vector<measure::Fact> facts() const { return Totals(layouts_, world_.size()).facts(); }

 private:
  Layouts layouts_;
  const mpi::Communicator& world_;
  Route route_;
};

/// A program's one-time work, on the existing ranks: the route, the way, the buffers and the
/// protocol's setup. The fields are in the program's own memory.
class Creating final : public measure::TimedLoop {
 public:
  /// Without a way the library chooses one each time.
  Creating(const layout::Box& grid, Layouts layouts, std::optional<bundle::Way> way, Pages pages,
           const mpi::Communicator& world)
      : world_(world),
        grid_(grid),
        layouts_(std::move(layouts)),
        way_(way),
        source_(layouts_.source, world.rank(), fields),
        destination_(layouts_.destination, world.rank(), fields),
        memory_(source_.bytes() + destination_.bytes(), pages) {
    source_.lie_in(memory_.bytes());
    destination_.lie_in(memory_.bytes().subspan(source_.bytes()));
    create();
  }

  void synchronise() override { world_.barrier(); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      create();
    }
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    bundle::Redistribution& redistribution = create();
    source_.write(grid_, seed);
    destination_.spoil();
    synchronise();
    redistribution.start();
    redistribution.finish();
    return destination_.difference(grid_, seed);
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return 0; }
  std::vector<measure::Fact> facts() const override {
    return Totals(layouts_, world_.size()).facts();
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

 private:
  /// Collective. The previous one is freed first, as a program would.
  bundle::Redistribution& create() {
    redistribution_.reset();
    const Route route = route::redistribution(layouts_.source, layouts_.destination, world_);
    if (way_) {
      return redistribution_.emplace(route, source_.blocks(), destination_.blocks(), *way_, world_,
                                     nullptr);
    }
    bundle::ChosenWay chosen = bundle::chosen_way(route, source_.blocks(), {}, world_, nullptr);
    return redistribution_.emplace(bundle::redistribution_of(
        route, source_.blocks(), destination_.blocks(), chosen, world_, nullptr));
  }

  const mpi::Communicator& world_;
  layout::Box grid_;
  Layouts layouts_;
  std::optional<bundle::Way> way_;
  Side source_;
  Side destination_;
  Memory memory_;
  std::optional<bundle::Redistribution> redistribution_;
};

}  // namespace

const Workload redistribution_store{
    .name = "redistribution_store",
    .summary =
        "what a redistribution prepares once; store=route: its route, made by each rank on its "
        "own, with planned_ranks=0 by the existing ranks, which agree on it, otherwise as for that "
        "many, none of them started; store=whole: by the existing ranks, all up to the first run, "
        "with the library's way or messages",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .over_protocols = false,
    .axes = {grid_axis(), layouts_axis(), planned_ranks_axis(), store_axis(), way_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const layout::Box grid = grid_of_text(values.choice(grid_axis()));
      const auto planned = static_cast<int>(values.integer(planned_ranks_axis()));
      const bool whole = values.choice(store_axis()) == "whole";
      const std::string_view way = values.choice(way_axis());
      if (!whole && way != "chosen") {
        throw Skip("a route is the same for each way; choose way=chosen, or store=whole");
      }
      if (whole && planned > 0) {
        throw Skip("store=whole needs the ranks; choose planned_ranks=0, or store=route");
      }
      const Layouts layouts =
          layouts_of(values.choice(layouts_axis()), grid, planned > 0 ? planned : world.size());
      if (whole) {
        std::optional<bundle::Way> messages;
        if (way != "chosen") {
          messages.emplace(
              bundle::Way{.protocol = &protocol::find(way), .near = bundle::Near::messages});
        }
        // Both sides, and as much again in buffers.
        require_memory("moving " + std::to_string(fields) + " fields of " +
                           std::string{values.choice(grid_axis())} + " points",
                       4.0 * static_cast<double>(grid.volume()) * point_bytes / world.size(),
                       percent_for_fields, "a smaller grid or more nodes", world);
        return std::make_unique<Creating>(grid, layouts, messages, values.pages(), world);
      }
      require_real_machine();
      if (planned == 0) {
        return std::make_unique<KernelLoop<Agreeing>>(world, true, layouts, world);
      }
      return std::make_unique<KernelLoop<Planning>>(world, false, layouts, planned);
    },
};

}  // namespace halocline::workload
