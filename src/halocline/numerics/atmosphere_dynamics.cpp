#include "halocline/numerics/atmosphere_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/numerics/dry_air.hpp"

namespace halocline::numerics {
namespace {

constexpr int levels_in_group = lanes_of<double>;

}  // namespace

int AtmosphereDynamics::groups_of(int levels) {
  return (levels + levels_in_group - 1) / levels_in_group;
}

AtmosphereDynamics::AtmosphereDynamics(const SpectralGrid& grid, int levels, Seconds time_step,
                                       const SphereWay& way, const mpi::Communicator& ranks,
                                       Pages pages)
    : grid_(grid),
      levels_(levels),
      test_(williamson_case(test_case, 0)),
      transform_(grid,
                 {.groups = groups_of(levels),
                  .fields_in = ShallowWater<double>::fields_in,
                  .fields_out = ShallowWater<double>::fields_out(*test_)},
                 way, ranks, pages),
      water_(transform_, *test_, {.step_seconds = time_step.count()}, pages),
      first_(water_.initial()),
      state_(water_.initial()) {
  const ColumnGrid all = columns_of(grid);
  const Block pairs = transform_.pairs();
  const Block longitudes = transform_.longitudes();
  for (int pair = pairs.begin; pair < pairs.begin + pairs.count; ++pair) {
    for (const int latitude : {pair, all.latitudes - 1 - pair}) {
      for (int step = 0; step < longitudes.count; ++step) {
        columns_.push_back(all.column(longitudes.begin + step, latitude));
      }
    }
  }
}

void AtmosphereDynamics::begin() {
  std::ranges::copy(first_.now.numbers(), state_.now.numbers().begin());
  std::ranges::copy(first_.before.numbers(), state_.before.numbers().begin());
  state_.steps = 0;
}

void AtmosphereDynamics::step(const ColumnFields& pushes, const ColumnFields& air) {
  water_.step(state_, [&](const GridBatch<double>& batch) { exchange_with(batch, pushes, air); });
}

void AtmosphereDynamics::exchange_with(const GridBatch<double>& batch, const ColumnFields& pushes,
                                       const ColumnFields& air) const {
  const double sine = grid_.rows.sine[static_cast<std::size_t>(batch.pair)];
  const double per_cosine = 1 / std::sqrt(1 - sine * sine);
  const int first_level = batch.group * levels_in_group;
  const int levels = std::min(levels_in_group, levels_ - first_level);
  const int ground = levels_;
  for (int hemisphere = 0; hemisphere < 2; ++hemisphere) {
    const auto row =
        std::size_t{2} * static_cast<std::size_t>(batch.pair - transform_.pairs().begin) +
        static_cast<std::size_t>(hemisphere);
    const auto column = row * static_cast<std::size_t>(batch.longitudes);
    for (int lane = 0; lane < levels; ++lane) {
      const std::size_t level =
          static_cast<std::size_t>(first_level) + static_cast<std::size_t>(lane);
      const std::ptrdiff_t first = hemisphere * levels_in_group + lane;
      constexpr std::ptrdiff_t step = std::ptrdiff_t{2} * levels_in_group;
      const double* const in = batch.in + first;
      double* const out = batch.out + first;
      double* const eastward = air.level(air::eastward, level) + column;
      double* const northward = air.level(air::northward, level) + column;
      double* const vorticity = air.level(air::vorticity, level) + column;
      double* const geopotential = air.level(air::geopotential, level) + column;
      const double* const east_push = pushes.level(air::eastward, level) + column;
      const double* const north_push = pushes.level(air::northward, level) + column;
      for (std::ptrdiff_t at = 0; at < batch.longitudes; ++at) {
        eastward[at] = per_cosine * in[at * step];
        northward[at] = per_cosine * in[batch.in_step + at * step];
        vorticity[at] = in[2 * batch.in_step + at * step];
        geopotential[at] = in[3 * batch.in_step + at * step];
        out[at * step] -= per_cosine * north_push[at];
        out[batch.out_step + at * step] += per_cosine * east_push[at];
      }
    }
    if (first_level + levels == ground) {
      const double* const lowest =
          air.level(air::geopotential, static_cast<std::size_t>(ground - 1)) + column;
      double* const pressure =
          air.level(air::geopotential, static_cast<std::size_t>(ground)) + column;
      for (std::ptrdiff_t at = 0; at < batch.longitudes; ++at) {
        pressure[at] = dry_air::mean_pressure_pa * (1 + lowest[at] / dry_air::thickness_m2_s2);
      }
    }
  }
}

std::vector<layout::Index> AtmosphereDynamics::rows() const {
  const SpectralRows& rows = transform_.rows();
  std::vector<layout::Index> numbers;
  for (std::size_t position = 0; position < rows.orders().size(); ++position) {
    const layout::Index order = rows.orders()[position];
    // Before it, orders 0, 1 … have T+2, T+1 … degrees.
    const layout::Index first = order * (grid_.truncation + 2) - order * (order - 1) / 2;
    for (int degree = 0; degree < rows.degrees(position); ++degree) {
      numbers.push_back(first + degree);
    }
  }
  return numbers;
}

layout::Index AtmosphereDynamics::all_rows(int truncation) {
  return layout::Index{truncation + 2} * (truncation + 3) / 2 - 1;
}

std::size_t AtmosphereDynamics::numbers_of_row(int levels) {
  constexpr std::size_t times = 2;
  constexpr std::size_t fields = 3;
  constexpr std::size_t parts = 2;  // real and imaginary
  return times * fields * parts * std::size_t{levels_in_group} *
         static_cast<std::size_t>(groups_of(levels));
}

std::vector<double> AtmosphereDynamics::saved() const {
  const std::size_t rows = rows_here();
  std::vector<double> numbers;
  for (const Array<double>* const time : {&state_.before, &state_.now}) {
    const std::span<const double> all = time->numbers();
    const std::size_t each = all.size() / rows;
    for (std::size_t index = 0; index < each; ++index) {
      for (std::size_t row = 0; row < rows; ++row) {
        numbers.push_back(all[row * each + index]);
      }
    }
  }
  return numbers;
}

void AtmosphereDynamics::load(std::span<const double> numbers) {
  const std::size_t rows = rows_here();
  auto next = numbers.begin();
  for (Array<double>* const time : {&state_.before, &state_.now}) {
    const std::span<double> all = time->numbers();
    const std::size_t each = all.size() / rows;
    for (std::size_t index = 0; index < each; ++index) {
      for (std::size_t row = 0; row < rows; ++row) {
        all[row * each + index] = *next++;
      }
    }
  }
}

AirWork AtmosphereDynamics::work_of(AtmospherePhase phase) const {
  if (phase == AtmospherePhase::transposes) {
    return {.sent_bytes = transform_.work_of(SpherePhase::transpose).sent_bytes};
  }
  if (phase != AtmospherePhase::dynamics) {
    return {};
  }
  AirWork work{.operations = water_.grid_work().operations + water_.spectral_work().operations};
  for (const SpherePhase part : {SpherePhase::legendre, SpherePhase::fft}) {
    work.operations += transform_.work_of(part).operations;
  }
  // Not those of levels that only fill the last group.
  work.operations =
      work.operations * levels_ / (std::int64_t{groups_of(levels_)} * levels_in_group);
  return work;
}

}  // namespace halocline::numerics
