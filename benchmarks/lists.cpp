// The route between lists of points, by the number of points of a rank: seconds and memory. One
// launch measures one number of points, because memory that was there once is not given back.
// Prints one JSON line.

#include "halocline/route/lists.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "halocline/base/json.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/environment.hpp"

namespace {

using namespace halocline;
using layout::Index;
using layout::Points;

constexpr int turns = 5;

/// The numbers below a bound in another order, as if drawn by lot, without memory for all: a
/// Feistel network whose values beyond the bound are put through it again.
class Lot {
 public:
  Lot(std::uint64_t bound, std::uint64_t seed)
      : bound_(bound),
        half_bits_((static_cast<int>(std::bit_width(bound - 1)) + 1) / 2),
        seed_(seed) {}

  Index at(std::uint64_t place) const {
    do {
      place = through(place);
    } while (place >= bound_);
    return static_cast<Index>(place);
  }

 private:
  std::uint64_t through(std::uint64_t place) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = place >> half_bits_;
    std::uint64_t right = place & mask;
    for (std::uint64_t round = 1; round <= 4; ++round) {
      const std::uint64_t mixed = (right + seed_ * 16 + round) * 0x9E3779B97F4A7C15U;
      left = std::exchange(right, left ^ ((mixed >> 29U) & mask));
    }
    return left << half_bits_ | right;
  }

  std::uint64_t bound_;
  int half_bits_;
  std::uint64_t seed_;
};

std::vector<Index> scattered(std::size_t points, const mpi::Communicator& world,
                             std::uint64_t seed) {
  const Lot lot(points * static_cast<std::uint64_t>(world.size()), seed);
  const auto first = points * static_cast<std::uint64_t>(world.rank());
  std::vector<Index> numbers(points);
  for (std::size_t point = 0; point < points; ++point) {
    numbers[point] = lot.at(first + point);
  }
  return numbers;
}

/// A line of /proc/self/status, in bytes.
double status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) {
      return 1024 * std::stod(line.substr(name.size() + 1));
    }
  }
  return 0;
}

struct Lists {
  std::vector<Index> source;
  std::vector<Index> destination;
};

/// What a program does: describe both sides, and ask for the route.
std::size_t legs(const Lists& lists, const mpi::Communicator& world) {
  const route::Route route =
      route::redistribution(Points(lists.source), Points(lists.destination), world);
  return route.sends.size() + route.receives.size();
}

/// Memory that a route takes at its peak, next to the lists themselves.
double peak_bytes(const Lists& lists, const mpi::Communicator& world) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const double before = status_bytes("VmRSS");
  legs(lists, world);
  return status_bytes("VmHWM") - before;
}

void measure_points(std::size_t points, const mpi::Communicator& world) {
  const Lists lists{.source = scattered(points, world, 1),
                    .destination = scattered(points, world, 2)};
  const std::int64_t peak = world.maximum(static_cast<std::int64_t>(peak_bytes(lists, world)));
  std::vector<double> elapsed_s;
  for (int turn = 0; turn < turns; ++turn) {
    world.barrier();
    const Seconds begin = measure::now();
    legs(lists, world);
    world.barrier();
    elapsed_s.push_back((measure::now() - begin).count());
  }
  if (world.rank() == 0) {
    JsonText json;
    json.begin_object();
    json.list("elapsed_s", elapsed_s);
    json.field("peak_bytes", peak);
    std::puts(json.end_object().text().c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(argc, argv);
  measure_points(std::strtoull(argv[1], nullptr, 10), mpi::Communicator::world());
}
