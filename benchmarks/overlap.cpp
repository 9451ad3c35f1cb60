// A redistribution between two hosts next to a computation that takes as long: one after the other,
// and the computation between start() and finish(). All in one process, in turns, so that the
// machine's drift cancels. Prints one JSON line: the slower rank's seconds in each turn, by the
// clock and of its core.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>

#include "halocline/base/json.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/route/redistribution.hpp"
#include "settle.hpp"

namespace {

using namespace halocline;

constexpr int turns = 9;
constexpr int turns_to_calibrate = 3;
constexpr layout::Index extent_x = 1024;
constexpr layout::Index extent_y = 1024;
constexpr layout::Index extent_z = 8;

layout::Blocks cut(int parts_x, int parts_y) {
  using layout::Cuts;
  return layout::Blocks({Cuts::even({.lower = 0, .upper = extent_x}, parts_x),
                         Cuts::even({.lower = 0, .upper = extent_y}, parts_y),
                         Cuts::even({.lower = 0, .upper = extent_z}, 1)});
}

/// A rank's block of a field whose points have the numbers of the grid.
class Block {
 public:
  Block(const layout::Blocks& layout, int rank)
      : box_(layout.owned(rank).front().local),
        values_(static_cast<std::size_t>(box_.volume()), -1) {}

  void fill() { std::ranges::copy(numbers(), values_.begin()); }
  void spoil() { std::ranges::fill(values_, -1); }
  bool right() const { return values_ == numbers(); }
  bundle::Blocks blocks() {
    return {{{.data = reinterpret_cast<std::byte*>(values_.data()),
              .element_bytes = sizeof(double),
              .extent = box_}}};
  }

 private:
  std::vector<double> numbers() const {
    std::vector<double> numbers;
    numbers.reserve(values_.size());
    for (layout::Index z = box_.lower[2]; z < box_.upper[2]; ++z) {
      for (layout::Index y = box_.lower[1]; y < box_.upper[1]; ++y) {
        for (layout::Index x = box_.lower[0]; x < box_.upper[0]; ++x) {
          numbers.push_back(static_cast<double>(x + extent_x * (y + extent_y * z)));
        }
      }
    }
    return numbers;
  }

  layout::Box box_;
  std::vector<double> values_;
};

/// Arithmetic that stays in the first cache: it competes for the core alone.
class Computation {
 public:
  void run() {
    for (std::int64_t sweep = 0; sweep < sweeps_; ++sweep) {
      for (double& value : values_) {
        value = value * 0.999 + 0.001;
      }
    }
  }
  /// Takes as long as wanted from now on, when these sweeps take so long.
  void scale(double wanted_s, double taken_s) {
    sweeps_ =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(sweeps_) * wanted_s / taken_s));
  }
  bool sound() const {
    return std::ranges::all_of(values_, [](double value) { return value > 0 && value <= 2; });
  }

 private:
  std::vector<double> values_ = std::vector<double>(2048, 2);
  std::int64_t sweeps_ = 10'000;
};

/// The slower rank's time of one run.
struct Taken {
  double elapsed_s;
  double core_s;  // that all threads of the rank ran
};

double core_now_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Taken timed(const mpi::Communicator& world, const std::function<void()>& run) {
  const auto slower = [&world](double seconds) {
    return static_cast<double>(world.maximum(std::llround(1e9 * seconds))) / 1e9;
  };
  world.barrier();
  const double core_begin_s = core_now_s();
  const Seconds begin = measure::now();
  run();
  const double elapsed_s = (measure::now() - begin).count();
  const double core_s = core_now_s() - core_begin_s;
  return {.elapsed_s = slower(elapsed_s), .core_s = slower(core_s)};
}

struct Way {
  const char* name;
  bundle::Redistribution redistribution;
};

std::vector<Way> ways(const mpi::Communicator& world, Block& source, Block& destination) {
  const auto route = route::redistribution(cut(world.size(), 1), cut(1, world.size()), world);
  const auto way = [&](const char* name, bool progress_thread) {
    return Way{name, bundle::Redistribution(route, source.blocks(), destination.blocks(),
                                            {.progress_thread = progress_thread}, world)};
  };
  std::vector<Way> all;
  all.push_back(way("without the thread", false));
  all.push_back(way("with the thread", true));
  for (Way& each : all) {
    settle(each.redistribution, world);
  }
  return all;
}

/// Whether every point comes where it belongs, also with a computation meanwhile.
bool right(Way& way, Block& destination, Computation& computation) {
  destination.spoil();
  way.redistribution.start();
  computation.run();
  way.redistribution.finish();
  return destination.right();
}

/// What is timed in each turn, by name.
using Steps = std::vector<std::pair<std::string, std::function<void()>>>;

constexpr const char* computation_alone = "computation";
constexpr const char* exchange_alone = "without the thread, alone";

Steps steps(std::vector<Way>& ways, Computation& computation) {
  Steps all{{computation_alone, [&computation] { computation.run(); }}};
  for (Way& way : ways) {
    all.emplace_back(way.name + std::string{", alone"}, [&way] {
      way.redistribution.start();
      way.redistribution.finish();
    });
    all.emplace_back(way.name + std::string{", overlapped"}, [&way, &computation] {
      way.redistribution.start();
      computation.run();
      way.redistribution.finish();
    });
  }
  return all;
}

using Times = std::map<std::string, std::vector<double>>;

/// The machine drifts: the computation of each turn is as long as the exchange of the one before.
Times times_of(const Steps& steps, Computation& computation, const mpi::Communicator& world) {
  Times times;
  for (int turn = -turns_to_calibrate; turn < turns; ++turn) {
    std::map<std::string, Taken> taken;
    for (std::size_t step = 0; step < steps.size(); ++step) {
      const auto first = static_cast<std::size_t>(turn + turns_to_calibrate);
      const auto& [name, run] = steps[(first + step) % steps.size()];
      taken[name] = timed(world, run);
    }
    computation.scale(taken[exchange_alone].elapsed_s, taken[computation_alone].elapsed_s);
    for (const auto& [name, each] : taken) {
      if (turn >= 0) {
        times[name].push_back(each.elapsed_s);
        times[name + ", core"].push_back(each.core_s);
      }
    }
  }
  return times;
}

int measure_all(const mpi::Communicator& world) {
  Block source(cut(world.size(), 1), world.rank());
  Block destination(cut(1, world.size()), world.rank());
  source.fill();
  auto all = ways(world, source, destination);
  Computation computation;
  for (Way& way : all) {
    if (!right(way, destination, computation)) {
      std::fprintf(stderr, "%s moved a point wrongly\n", way.name);
      return 1;
    }
  }
  Times times = times_of(steps(all, computation), computation, world);
  if (!computation.sound()) {
    std::fputs("the computation went wrong\n", stderr);
    return 1;
  }
  times["sent bytes"] = {static_cast<double>(all.front().redistribution.sent_bytes())};
  if (world.rank() == 0) {
    JsonText json;
    json.begin_object();
    for (const auto& [what, values] : times) {
      json.list(what, values);
    }
    std::puts(json.end_object().text().c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv, mpi::CallsFrom::many_threads);
  return measure_all(mpi::Communicator::world());
}
