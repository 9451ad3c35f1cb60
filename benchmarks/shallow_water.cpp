// Times spherical harmonic transforms and steps on one core, or integrates a test case; prints one
// object of JSON.
//
//   shallow-water-cost speed TRUNCATION LEVELS
//   shallow-water-cost fourier LONGITUDES LEVELS
//   shallow-water-cost proof CASE TRUNCATION STEP_SECONDS DAYS DIFFUSION [P FOURIER LEGENDRE]
//
// The proof takes any number of ranks: P along longitude, the rest along latitude, Fourier and
// Legendre transforms as the workload's axes name them.

#include "halocline/numerics/shallow_water.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/bundle/stores_choice.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/numerics/array.hpp"
#include "halocline/numerics/streams.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace {

using halocline::LargeVector;
using halocline::Pages;
using halocline::mpi::Communicator;
using namespace halocline::numerics;
using Model = ShallowWater<double>;

constexpr int repetitions = 40;

/// The fastest of many, in milliseconds.
double fastest_ms(const std::function<void()>& work) {
  double fastest = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto begin = halocline::measure::now();
    work();
    fastest = std::min(fastest, 1e3 * (halocline::measure::now() - begin).count());
  }
  return fastest;
}

void speed(int truncation, int levels, const Communicator& world) {
  const SpectralGrid grid = SpectralGrid::of(truncation);
  const int groups = (levels + lanes_of<double> - 1) / lanes_of<double>;
  // Huge pages, as NumPy's arrays have them, which the others work on.
  SphereTransform<double> transform(grid, {.groups = groups, .fields_in = 1, .fields_out = 1}, {},
                                    world, Pages::huge);
  const auto columns = static_cast<std::size_t>(groups * 2 * lanes_of<double>);
  LargeVector<double> there;
  there.resize(static_cast<std::size_t>(transform.rows().count()) * columns, 0.5);
  LargeVector<double> back;
  back.resize(there.size(), 0.0);
  const auto line = static_cast<std::size_t>(grid.longitudes * 2 * lanes_of<double>);
  LargeVector<double> points;
  points.resize(line * static_cast<std::size_t>(grid.latitude_pairs * groups), 0.0);
  const auto place = [&](const GridBatch<double>& batch) {
    return points.data() + static_cast<std::size_t>(batch.pair * groups + batch.group) * line;
  };
  // A caller that keeps the fields streams what is larger than the caches keep.
  const std::size_t bytes = points.size() * sizeof(double);
  const bool past_caches =
      has_streaming_stores() && bytes >= halocline::bundle::least_streamed_bytes;
  const double synthesis = fastest_ms([&] {
    transform.run(there,
                  [&](const GridBatch<double>& batch) {
                    (past_caches ? copy_streaming : copy)(
                        std::as_writable_bytes(std::span(place(batch), line)),
                        std::as_bytes(std::span(batch.in, line)));
                  },
                  {});
  });
  const double analysis = fastest_ms([&] {
    transform.run(
        {}, [&](const GridBatch<double>& batch) { std::copy_n(place(batch), line, batch.out); },
        back);
  });
  // As a model's step has them: fields of a latitude go back while they are in the cache.
  const double in_one_go = fastest_ms([&] {
    transform.run(
        there, [&](const GridBatch<double>& batch) { std::copy_n(batch.in, line, batch.out); },
        back);
  });
  const auto test = williamson_case(5, 0);
  SphereTransform<double> of_model(
      grid, {.groups = 1, .fields_in = Model::fields_in, .fields_out = Model::fields_out(*test)},
      {}, world, Pages::as_system);
  Model model(of_model, *test, {.step_seconds = 1200.0 * 42 / truncation}, Pages::as_system);
  std::vector<ShallowWaterState<double>> states;
  for (int group = 0; group < groups; ++group) {
    states.push_back(model.initial());
  }
  const double step = fastest_ms([&] {
    for (auto& state : states) {
      model.step(state);
    }
  });
  std::printf(
      "{\"synthesis_ms\": %.6g, \"analysis_ms\": %.6g, \"in_one_go_ms\": %.6g, "
      "\"step_ms\": %.6g}\n",
      synthesis, analysis, in_one_go, step);
}

/// Fourier transforms at a pair of latitudes, to the points and back, all frequencies of real
/// numbers below half the length.
void fourier(int longitudes, int levels) {
  const FourierPlan<double> plan(longitudes);
  std::vector<int> all_orders(static_cast<std::size_t>(longitudes / 2));
  std::iota(all_orders.begin(), all_orders.end(), 0);
  const OrderPlaces places = OrderPlaces::of(plan, all_orders);
  const auto& kernels = vector_kernels<double>();
  constexpr int batch_width = 2 * lanes_of<double>;
  const int groups = (levels + lanes_of<double> - 1) / lanes_of<double>;
  const std::ptrdiff_t line = std::ptrdiff_t{longitudes} * batch_width;
  Array<double> coefficients(static_cast<std::size_t>(groups * line));
  Array<double> points(static_cast<std::size_t>(groups * line));
  std::ranges::fill(coefficients.numbers(), 0.5);
  std::ranges::fill(points.numbers(), 0.5);
  const auto row_of = [&](double* first) {
    return FourierRow<double>{
        .coefficients = first, .order_step = 2 * batch_width, .parity_step = batch_width};
  };
  const double inverse = fastest_ms([&] {
    for (std::ptrdiff_t place = 0; place < groups * line; place += line) {
      const FourierRow<double> row = row_of(coefficients.data() + place);
      double* const own = points.data() + place;
      kernels.spread(places.places(), {row.coefficients, row.order_step, row.parity_step}, own,
                     own);
      kernels.inverse(plan, own);
    }
  });
  const double forward = fastest_ms([&] {
    for (std::ptrdiff_t place = 0; place < groups * line; place += line) {
      double* const own = points.data() + place;
      kernels.forward(plan, own);
      kernels.gather(places.places(), 1.0 / longitudes, own, own,
                     row_of(coefficients.data() + place));
    }
  });
  std::printf("{\"inverse_us\": %.6g, \"forward_us\": %.6g}\n", 1e3 * inverse, 1e3 * forward);
}

/// Changes of an integral since the beginning, at each step of the last day.
class LastDay {
 public:
  explicit LastDay(double first) : first_(first) {}

  void add(double integral) { changes_.push_back(integral / first_ - 1); }

  /// Leapfrog steps fluctuate, in a case of gravity waves by more than the change of a fortnight:
  /// the value at one step says little.
  void print(const char* name) const {
    const auto [low, high] = std::ranges::minmax(changes_);
    const double mean = std::accumulate(changes_.begin(), changes_.end(), 0.0) /
                        static_cast<double>(changes_.size());
    std::printf(", \"%s\": %.6g, \"%s_low\": %.6g, \"%s_high\": %.6g", name, mean, name, low, name,
                high);
  }

 private:
  double first_;
  std::vector<double> changes_;
};

/// The algorithms that the words name, for these ranks.
SphereWay way_of(const std::vector<std::string>& words, const Communicator& world) {
  if (words.empty()) {
    return {};
  }
  const std::map<std::string, FourierWay> fourier{{"transpose", FourierWay::transpose},
                                                  {"distributed", FourierWay::distributed}};
  const std::map<std::string, LegendreWay> legendre{{"transpose", LegendreWay::transpose},
                                                    {"halving", LegendreWay::halving},
                                                    {"ring", LegendreWay::ring},
                                                    {"allreduce", LegendreWay::allreduce}};
  const int along_longitude = std::stoi(words.at(0));
  return {.along_longitude = along_longitude,
          .along_latitude = world.size() / along_longitude,
          .fourier = fourier.at(words.at(1)),
          .legendre = legendre.at(words.at(2)),
          .protocol = &halocline::protocol::find("isend_irecv")};
}

void prove(int number, int truncation, const TimeStepping& stepping, double days,
           const SphereWay& way, const Communicator& world) {
  const SpectralGrid grid = SpectralGrid::of(truncation);
  const auto test = williamson_case(number, published_angle(number));
  SphereTransform<double> transform(grid,
                                    {.groups = way.along_longitude,
                                     .fields_in = Model::fields_in,
                                     .fields_out = Model::fields_out(*test)},
                                    way, world, Pages::as_system);
  Model model(transform, *test, stepping, Pages::as_system);
  auto state = model.initial();
  const Invariants first = model.invariants(state);
  LastDay mass(first.mass);
  LastDay energy(first.energy);
  LastDay enstrophy(first.enstrophy);
  constexpr double day = 86'400;
  while (model.seconds(state) < days * day - stepping.step_seconds / 2) {
    model.step(state);
    if (model.seconds(state) > (days - 1) * day + stepping.step_seconds / 2) {
      const Invariants now = model.invariants(state);
      mass.add(now.mass);
      energy.add(now.energy);
      enstrophy.add(now.enstrophy);
    }
  }
  const Errors errors = model.errors(state);
  if (world.rank() != 0) {
    return;
  }
  std::printf("{\"height\": %.10g, \"wind\": %.10g", errors.height, errors.wind);
  mass.print("mass");
  energy.print("energy");
  enstrophy.print("enstrophy");
  std::puts("}");
}

}  // namespace

int main(int argc, char** argv) {
  const halocline::mpi::Environment environment(argc, argv);
  const Communicator world = Communicator::world();
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "speed") {
    speed(std::stoi(words[1]), std::stoi(words[2]), world);
  } else if (words.size() == 3 && words[0] == "fourier") {
    fourier(std::stoi(words[1]), std::stoi(words[2]));
  } else if ((words.size() == 6 || words.size() == 9) && words[0] == "proof" &&
             std::stod(words[4]) >= 1) {
    prove(std::stoi(words[1]), std::stoi(words[2]),
          {.step_seconds = std::stod(words[3]), .diffusion = std::stod(words[5])},
          std::stod(words[4]), way_of({words.begin() + 6, words.end()}, world), world);
  } else {
    std::fputs(
        "use speed TRUNCATION LEVELS, fourier LONGITUDES LEVELS, or proof CASE TRUNCATION "
        "STEP_SECONDS DAYS DIFFUSION "
        "[P FOURIER LEGENDRE]; DAYS 1 or more\n",
        stderr);
    return 2;
  }
  return 0;
}
