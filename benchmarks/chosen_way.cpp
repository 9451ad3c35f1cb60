// The way that the library chooses next to every fixed way, on the survey's grids. All in one
// process, in turns, so that the machine's drift cancels: first a few turns of all ways, then many
// of the fastest ones and the choice. Prints a JSON line for each problem: the slowest rank's
// seconds in each turn, for each way that was left. Arguments: grids to leave the others out.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "halocline/base/json.hpp"
#include "halocline/base/memory.hpp"
#include "halocline/bundle/chosen_way.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/measure/preemption.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/redistribution.hpp"
#include "halocline/workload/redistribution/layouts.hpp"
#include "halocline/workload/redistribution/side.hpp"
#include "settle.hpp"

namespace {

using namespace halocline;

constexpr int screening_turns = 3;
constexpr int final_turns = 200;
constexpr int tries = 3;  // of a turn in which a rank lost its core
constexpr std::size_t finalists = 4;
constexpr double turn_s = 2e-4;        // at least, of one way: longer, and other work is in all
constexpr double budget_s = 12;        // of a problem's last turns
constexpr int fewest_final_turns = 8;  // however long they take

struct Problem {
  const char* grid;
  std::size_t fields;
};
constexpr std::array problems{Problem{"16x32x4", 8}, Problem{"64x128x16", 8},
                              Problem{"512x1024x16", 1}};

struct Candidate {
  std::string name;
  bundle::Redistribution redistribution;
  std::vector<double> elapsed_s;
};

/// The fields of a problem, in the library's memory or in the program's.
class Fields {
 public:
  Fields(const Problem& problem, bool of_library, const mpi::Communicator& world)
      : world_(world),
        grid_(workload::grid_of_text(problem.grid)),
        layouts_(workload::layouts_of("table1", grid_, world.size())),
        source_(layouts_.source, world.rank(), problem.fields),
        destination_(layouts_.destination, world.rank(), problem.fields),
        own_(of_library ? 0 : bytes()) {
    if (of_library) {
      library_.emplace(world, bytes());
    }
    const std::span<std::byte> memory = library_ ? library_->own() : own_.bytes();
    source_.lie_in(memory);
    destination_.lie_in(memory.subspan(source_.bytes()));
    source_.write(grid_, 1);
  }

  bundle::ChosenWay choice() const {
    return bundle::chosen_way(route(), source_.blocks(), {}, world_, node());
  }

  /// Ready to run; nothing where the library cannot. Each point is checked.
  std::optional<Candidate> candidate(const std::string& name, const bundle::Way& way) {
    try {
      Candidate made{name,
                     bundle::Redistribution(route(), source_.blocks(), destination_.blocks(), way,
                                            world_, node()),
                     {}};
      destination_.spoil();
      made.redistribution.start();
      made.redistribution.finish();
      const bool wrong = destination_.difference(grid_, 1).has_value();
      if (world_.maximum(std::int64_t{wrong ? 1 : 0}) != 0) {
        throw Error(name + " moved a point wrongly");
      }
      settle(made.redistribution, world_);
      return made;
    } catch (const Skip&) {
      return std::nullopt;
    }
  }

 private:
  std::size_t bytes() const { return source_.bytes() + destination_.bytes(); }
  const bundle::NodeMemory* node() const { return library_ ? &*library_ : nullptr; }
  route::Route route() const {
    return route::redistribution(layouts_.source, layouts_.destination, world_);
  }

  const mpi::Communicator& world_;
  layout::Box grid_;
  workload::Layouts layouts_;
  workload::Side source_;
  workload::Side destination_;
  std::optional<bundle::NodeMemory> library_;
  Memory own_;
};

using Named = std::pair<std::string, bundle::Way>;

/// Every way that a program could fix.
std::vector<Named> fixed_ways(bool one_node, bool of_library) {
  std::vector<Named> ways;
  if (one_node) {
    for (const bool whole : {true, false}) {
      const std::string name = whole ? "shared" : "shared, field by field";
      ways.push_back({name + ", cached", {.whole_bundle = whole, .stores = Stores::cached}});
      ways.push_back({name + ", streaming", {.whole_bundle = whole, .stores = Stores::streaming}});
    }
  }
  if (of_library) {
    return ways;  // messages do not ask whose the memory is
  }
  const auto messages = [&ways](const protocol::Protocol* protocol, bundle::Packing packing,
                                const std::string& packed, bool whole) {
    ways.push_back({std::string{protocol->name} + packed + (whole ? "" : ", field by field"),
                    {.protocol = protocol,
                     .packing = packing,
                     .whole_bundle = whole,
                     .near = bundle::Near::messages}});
  };
  for (const protocol::Protocol* protocol : protocol::all()) {
    if (protocol::missing(*protocol).empty()) {
      messages(protocol, bundle::Packing::rank, "", true);
    }
  }
  for (const char* name : {"isend_irecv", "persistent"}) {
    messages(&protocol::find(name), bundle::Packing::box, ", by box", true);
    messages(&protocol::find(name), bundle::Packing::rank, "", false);
  }
  return ways;
}

/// The slowest rank's time of one run of so many; 0 where a rank lost its core each time. One run
/// goes before: caches are as this way leaves them, not the one whose turn was before.
double timed(Candidate& candidate, int repeats, const mpi::Communicator& world) {
  const auto run = [&candidate](int times) {
    for (int time = 0; time < times; ++time) {
      candidate.redistribution.start();
      candidate.redistribution.finish();
    }
  };
  for (int attempt = 0; attempt < tries; ++attempt) {
    run(1);
    world.barrier();
    const measure::Preemption preemption;
    const Seconds begin = measure::now();
    run(repeats);
    const Seconds elapsed = measure::now() - begin;
    const bool spoiled = world.maximum(std::int64_t{preemption.spoils(elapsed) ? 1 : 0}) != 0;
    const auto slowest_ns = world.maximum(std::llround(1e9 * elapsed.count() / repeats));
    if (!spoiled) {
      return static_cast<double>(slowest_ns) / 1e9;
    }
  }
  return 0;
}

/// Of the turns that count; far more than any where none does.
double median(std::vector<double> values) {
  std::erase(values, 0.0);
  if (values.empty()) {
    return 1e9;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Turns of all candidates, each time in another order: none always follows the same one.
void take_turns(std::vector<Candidate>& candidates, int turns, int repeats,
                const mpi::Communicator& world) {
  std::vector<Candidate*> order;
  for (Candidate& candidate : candidates) {
    order.push_back(&candidate);
  }
  std::mt19937 generator(1);  // the same order on all ranks
  for (int turn = 0; turn < turns; ++turn) {
    std::ranges::shuffle(order, generator);
    for (Candidate* const next : order) {
      next->elapsed_s.push_back(timed(*next, repeats, world));
    }
  }
}

void measure_problem(const Problem& problem, bool of_library, bool one_node,
                     const mpi::Communicator& world) {
  Fields fields(problem, of_library, world);
  const bundle::ChosenWay choice = fields.choice();
  std::vector<Candidate> candidates;
  candidates.push_back(fields.candidate("the choice", choice.way).value());
  for (const auto& [name, way] : fixed_ways(one_node, of_library)) {
    if (auto candidate = fields.candidate(name, way)) {
      candidates.push_back(std::move(*candidate));
    }
  }
  double first_s = 0;
  for (int attempt = 0; attempt < 20 && first_s == 0; ++attempt) {
    first_s = timed(candidates.front(), 1, world);
  }
  const int repeats = std::clamp(static_cast<int>(turn_s / std::max(first_s, 1e-7)), 1, 100);
  take_turns(candidates, screening_turns, repeats, world);
  const auto all = candidates.size();
  std::sort(candidates.begin() + 1, candidates.end(), [](const Candidate& a, const Candidate& b) {
    return median(a.elapsed_s) < median(b.elapsed_s);
  });
  candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(std::min(all, finalists + 1)),
                   candidates.end());
  double round_s = 0;
  for (Candidate& candidate : candidates) {
    round_s += std::min(median(candidate.elapsed_s), 1.0) * repeats;
    candidate.elapsed_s.clear();
  }
  const int turns =
      std::clamp(static_cast<int>(budget_s / round_s), fewest_final_turns, final_turns);
  take_turns(candidates, turns, repeats, world);
  if (world.rank() != 0) {
    return;
  }
  JsonText json;
  json.begin_object()
      .field("grid", problem.grid)
      .field("fields", problem.fields)
      .field("memory", of_library ? "library" : "user")
      .field("origin", choice.origin)
      .field("fixed_ways", all - 1);
  json.key("elapsed_s").begin_object();
  for (const Candidate& candidate : candidates) {
    json.list(candidate.name, candidate.elapsed_s);
  }
  std::puts(json.end_object().end_object().text().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv);
  const auto world = mpi::Communicator::world();
  const bool one_node = world.maximum(std::int64_t{world.size() - world.node().size()}) == 0;
  const std::vector<std::string_view> wanted(argv + 1, argv + argc);
  for (const Problem& problem : problems) {
    if (!wanted.empty() && std::ranges::find(wanted, problem.grid) == wanted.end()) {
      continue;
    }
    measure_problem(problem, false, one_node, world);
    if (one_node) {
      measure_problem(problem, true, one_node, world);
    }
  }
  return 0;
}
