#include "halocline/workload/proxy/shallow_water_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "halocline/base/pattern.hpp"
#include "halocline/base/words.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/round_trip.hpp"

namespace halocline::workload {
namespace {

constexpr int checked_steps = 4;
// A run restarts after this long: no case becomes turbulent earlier.
constexpr double longest_seconds = 5 * 86'400.0;

template <class Real>
int level_groups(int levels) {
  return (levels + numerics::lanes_of<Real> - 1) / numerics::lanes_of<Real>;
}

bool is_shared(const numerics::SphereWay& way) {
  return way.along_longitude * way.along_latitude > 1;
}

/// A step that is stable at this truncation, as in the reference at T42; shorter for the fast waves
/// of case 6, explicitly, and where a leapfrog step would be long for the Earth's rotation.
numerics::TimeStepping stepping_of(const ModelShape& shape) {
  const bool wave = shape.test_case == 6;
  const double explicit_s = wave ? 300.0 : 400.0;
  const double at_42_s = !shape.semi_implicit ? explicit_s : (wave ? 600.0 : 1200.0);
  return {.step_seconds =
              std::min(numerics::earth::longest_leapfrog_s, at_42_s * 42 / shape.truncation),
          .semi_implicit = shape.semi_implicit,
          .diffusion = wave ? 0.5e16 * std::pow(42.0 / shape.truncation, 4) : 0.0};
}

}  // namespace

double model_bytes(const ModelShape& shape, std::size_t real_bytes) {
  const double t = shape.truncation;
  const double rows = t * t / 2;
  const double pairs = 3 * t / 4;
  const double columns = 2.0 * (shape.levels + 8);
  const double all_at_once = is_shared(shape.way) ? columns : 16.0;
  // States at two times; coefficients of ten fields; Fourier coefficients and points, each before
  // and after their transposes.
  return static_cast<double>(real_bytes) *
         (rows * 6 * columns + rows * 10 * all_at_once + 4 * pairs * t * 10 * all_at_once +
          (is_shared(shape.way) ? 2 * pairs * 3 * t * 10 * columns : 0.0));
}

template <class Real>
ShallowWaterModel<Real>::ShallowWaterModel(const ModelShape& shape,
                                           const mpi::Communicator& communicator, Pages pages)
    : shape_(shape),
      communicator_(communicator),
      grid_(numerics::SpectralGrid::of(shape.truncation)),
      test_(numerics::williamson_case(shape.test_case, numerics::published_angle(shape.test_case))),
      // A model on one rank steps one level group after the other, so that it stays in the cache.
      transform_(grid_,
                 {.groups = is_shared(shape.way) ? level_groups<Real>(shape.levels) : 1,
                  .fields_in = numerics::ShallowWater<Real>::fields_in,
                  .fields_out = numerics::ShallowWater<Real>::fields_out(*test_)},
                 shape.way, communicator, pages),
      model_(transform_, *test_, stepping_of(shape), pages),
      first_(model_.initial()),
      timer_({{.name = "legendre"},
              {.name = "fft"},
              {.name = "grid"},
              {.name = "transpose"},
              {.name = "sums"},
              {.name = "spectral"}}) {
  for (int slice = 0; slice < slices(); ++slice) {
    states_.push_back(model_.initial());
  }
  count_work();
  difference(0);  // for its checksum
  write(0);
  transform_.observe([this](numerics::SpherePhase phase) {
    timer_.begin(static_cast<std::size_t>(phase));  // in the order above; none is spectral
  });
}

template <class Real>
int ShallowWaterModel<Real>::slices() const {
  return is_shared(shape_.way) ? 1 : level_groups<Real>(shape_.levels);
}

template <class Real>
void ShallowWaterModel<Real>::count_work() {
  using numerics::SpherePhase;
  const double used =
      double{1} * shape_.levels / (level_groups<Real>(shape_.levels) * numerics::lanes_of<Real>);
  std::int64_t operations = 0;
  std::size_t sent = 0;
  for (std::size_t index = 0; index < timer_.phases().size(); ++index) {
    numerics::SphereWork work = transform_.work_of(static_cast<SpherePhase>(index));
    if (index == static_cast<std::size_t>(SpherePhase::grid)) {
      work = model_.grid_work();
    } else if (index == static_cast<std::size_t>(SpherePhase::none)) {
      work = model_.spectral_work();
    }
    measure::Phase& phase = timer_.phase(index);
    phase.operations =
        static_cast<std::int64_t>(used * static_cast<double>(work.operations)) * slices();
    phase.memory_bytes = work.memory_bytes * static_cast<std::size_t>(slices());
    phase.sent_bytes = work.sent_bytes;
    if (work.memory_bytes > 0) {
      const bool spectral = index == static_cast<std::size_t>(SpherePhase::none);
      const std::size_t states = model_.state_bytes() * static_cast<std::size_t>(slices());
      phase.resident_bytes = transform_.resident_bytes() + (spectral ? states : 0);
    }
    operations += phase.operations;
    sent += phase.sent_bytes;
  }
  if (is_shared(shape_.way)) {
    operations =
        static_cast<std::int64_t>(communicator_.sum(static_cast<std::uint64_t>(operations)));
    sent = communicator_.sum(sent);
  }
  operations_ = operations;
  sent_bytes_ = sent;
}

template <class Real>
void ShallowWaterModel<Real>::run() {
  if (model_.seconds(states_.front()) > longest_seconds) {
    write(0);
  }
  timer_.begin(static_cast<std::size_t>(numerics::SpherePhase::none));
  for (State& state : states_) {
    model_.step(state);
  }
  timer_.end();
}

template <class Real>
void ShallowWaterModel<Real>::write(std::uint64_t /*seed*/) {
  for (State& state : states_) {
    std::ranges::copy(first_.now.numbers(), state.now.numbers().begin());
    std::ranges::copy(first_.before.numbers(), state.before.numbers().begin());
    state.steps = 0;
  }
}

template <class Real>
std::optional<std::string> ShallowWaterModel<Real>::difference(std::uint64_t seed) {
  // What one rank alone finds wrong ends none of what all ranks do together.
  const bool finite = std::ranges::all_of(states_, [](const State& state) {
    return std::ranges::all_of(state.now.numbers(),
                               [](Real value) { return std::isfinite(value); });
  });
  const std::int64_t steps = states_.front().steps;
  const auto changed = numerics::changed_by_round_trip(transform_, seed);
  write(seed);
  const numerics::Invariants before = model_.invariants(states_.back());
  for (int step = 0; step < checked_steps; ++step) {
    run();
  }
  const numerics::Invariants after = model_.invariants(states_.back());
  const double allowed = 100 * double{std::numeric_limits<Real>::epsilon()};
  const double lost = std::abs(after.mass - before.mass);
  const double error = shape_.test_case == 2 ? model_.errors(states_.back()).height : 0;
  const std::uint64_t sum = shape_.way.reproducible ? checksum() : 0;
  write(seed);
  if (!finite) {
    return "values that are not numbers after " + std::to_string(steps) + " steps";
  }
  if (changed.count > 0) {
    return "a spherical harmonic coefficient as " + number_text(changed.returned, all_digits) +
           " after synthesis and analysis, expected " + number_text(changed.expected, all_digits);
  }
  // Case 4 is forced, and a bell alone has little mass.
  if (!test_->is_forced() && !(lost <= allowed * std::max(before.mass, 1e3))) {
    return "a change of mass by " + number_text(lost / before.mass) + " of it";
  }
  if (!(error <= allowed)) {
    return "a steady flow whose height is off by " + number_text(error) + " of it";
  }
  if (first_checksum_ == 0) {
    first_checksum_ = sum;
  } else if (sum != first_checksum_) {
    return "other bits than at first from the same beginning";
  }
  return std::nullopt;
}

/// Over every bit of the state, by the coefficients' names, whichever rank has them.
template <class Real>
std::uint64_t ShallowWaterModel<Real>::checksum() const {
  std::uint64_t sum = 0;
  const auto& rows = transform_.rows();
  const auto width = 2 * static_cast<std::size_t>(numerics::lanes_of<Real>);
  constexpr std::size_t fields = 3;
  const auto groups = static_cast<std::size_t>(transform_.groups().count);
  for (std::size_t slice = 0; slice < states_.size() && !transform_.repeats_coefficients();
       ++slice) {
    const std::span<const Real> numbers = states_[slice].now.numbers();
    for (std::size_t position = 0; position < rows.orders().size(); ++position) {
      const auto order = static_cast<std::size_t>(rows.orders()[position]);
      for (std::size_t step = 0; step < static_cast<std::size_t>(rows.degrees(position)); ++step) {
        const std::size_t row = static_cast<std::size_t>(rows.first(position)) + step;
        for (std::size_t column = 0; column < groups * fields * width; ++column) {
          using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
          const std::size_t group = static_cast<std::size_t>(transform_.groups().begin) + slice +
                                    column / (fields * width);
          const std::size_t name =
              ((order * 1024 + order + step) * 1024 + group) * 1024 + column % (fields * width);
          sum += pattern_word(std::bit_cast<Bits>(numbers[row * groups * fields * width + column]),
                              name);
        }
      }
    }
  }
  return is_shared(shape_.way) ? communicator_.sum(sum) : sum;
}

template <class Real>
std::vector<measure::Fact> ShallowWaterModel<Real>::facts() const {
  if (!shape_.way.reproducible) {
    return {};
  }
  return {measure::checksum_fact(first_checksum_)};
}

template <class Real>
measure::Picture ShallowWaterModel<Real>::picture() {
  numerics::SphereMap surface;
  numerics::SphereMap ground;
  const State& shown = states_.front();
  model_.add_heights(shown, surface, ground);
  timer_.end();
  measure::Picture picture;
  picture.model_time = Seconds{model_.seconds(shown)};
  picture.rows = numerics::SphereMap::rows;
  picture.columns = numerics::SphereMap::columns;
  picture.maps.push_back({.name = "height",
                          .title = "Height of the surface",
                          .unit = "m",
                          .values = surface.values(communicator_)});
  std::vector<double> heights_m = ground.values(communicator_);
  if (std::ranges::any_of(heights_m, [](double height_m) { return height_m > 1; })) {
    picture.maps.push_back({.name = "ground",
                            .title = "Height of the ground",
                            .unit = "m",
                            .values = std::move(heights_m)});
  }
  return picture;
}

template class ShallowWaterModel<float>;
template class ShallowWaterModel<double>;

}  // namespace halocline::workload
