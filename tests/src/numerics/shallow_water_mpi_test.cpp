#include "halocline/numerics/shallow_water.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "halocline/numerics/atmosphere_dynamics.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::numerics {
namespace {

struct Result {
  Errors errors;
  Invariants first;
  Invariants last;
};

/// One level group on this rank alone.
Result run_alone(int number, int truncation, double step_seconds, double days,
                 bool semi_implicit = true) {
  const auto world = mpi::Communicator::world();
  const SpectralGrid grid = SpectralGrid::of(truncation);
  const auto test = williamson_case(number, published_angle(number));
  const int fields_out = ShallowWater<double>::fields_out(*test);
  SphereTransform<double> transform(
      grid, {.groups = 1, .fields_in = ShallowWater<double>::fields_in, .fields_out = fields_out},
      {}, world, Pages::as_system);
  ShallowWater<double> model(transform, *test,
                             {.step_seconds = step_seconds, .semi_implicit = semi_implicit},
                             Pages::as_system);
  auto state = model.initial();
  Result result{.errors = {}, .first = model.invariants(state), .last = {}};
  while (model.seconds(state) < days * 86'400) {
    model.step(state);
  }
  result.errors = model.errors(state);
  result.last = model.invariants(state);
  return result;
}

/// Case 4, which notes when its forcing is evaluated.
class NotedLow final : public WilliamsonCase {
 public:
  Flow flow(const Place& place, double seconds) const override {
    return low_->flow(place, seconds);
  }
  bool is_forced() const override { return true; }
  Forcing forcing(const Place& place, double seconds) const override {
    ++evaluations;
    is_on_grid = is_on_grid && phase == SpherePhase::grid;
    return low_->forcing(place, seconds);
  }

  SpherePhase phase = SpherePhase::none;
  mutable int evaluations = 0;
  mutable bool is_on_grid = true;

 private:
  std::unique_ptr<WilliamsonCase> low_ = williamson_case(4, 0);
};

// The full set is benchmarks/shallow_water.py; tolerances are those of the published digits.
TEST(ShallowWaterTest, steady_zonal_flow_stays) {
  const Errors errors = run_alone(2, 42, 1200, 1).errors;
  EXPECT_LT(errors.height, 4.2e-12);
  EXPECT_LT(errors.wind, 3.2e-11);
}

TEST(ShallowWaterTest, a_compact_jet_is_off_by_its_truncation) {
  const Errors errors = run_alone(3, 42, 1200, 5).errors;
  EXPECT_NEAR(errors.height, 5.157e-10, 0.01 * 5.157e-10);
  EXPECT_NEAR(errors.wind, 7.6e-8, 0.01 * 7.6e-8);
}

TEST(ShallowWaterTest, explicit_steps_follow_the_low) {
  EXPECT_LT(run_alone(4, 21, 450, 0.25, false).errors.wind, 0.15);  // of the low's
}

TEST(ShallowWaterTest, flow_over_a_mountain_keeps_mass_and_energy) {
  const Result result = run_alone(5, 21, 1800, 2);
  EXPECT_NEAR(result.last.mass / result.first.mass, 1, 1e-13);
  EXPECT_NEAR(result.last.energy / result.first.energy, 1, 1e-5);
}

TEST(ShallowWaterTest, evaluates_the_forcing_once_for_each_time_in_the_phase_of_the_grid) {
  const auto world = mpi::Communicator::world();
  const SpectralGrid grid = SpectralGrid::of(5);
  NotedLow low;
  SphereTransform<double> transform(grid,
                                    {.groups = 1,
                                     .fields_in = ShallowWater<double>::fields_in,
                                     .fields_out = ShallowWater<double>::fields_out(low)},
                                    {}, world, Pages::as_system);
  transform.observe([&low](SpherePhase phase) { low.phase = phase; });
  ShallowWater<double> model(transform, low, {.step_seconds = 600}, Pages::as_system);
  auto some_levels = model.initial();
  auto others = model.initial();
  const int points = 2 * grid.latitude_pairs * grid.longitudes;
  model.step(some_levels);
  EXPECT_EQ(low.evaluations, points);
  model.step(others);
  EXPECT_EQ(low.evaluations, points);
  model.step(some_levels);
  EXPECT_EQ(low.evaluations, 2 * points);
  EXPECT_TRUE(low.is_on_grid);
}

TEST(AtmosphereDynamicsTest, tries_its_transposes) {
  const auto world = mpi::Communicator::world();
  const SpectralGrid grid = SpectralGrid::of(10);
  const SphereWay way{.along_latitude = world.size(),
                      .reproducible = true,
                      .protocol = &protocol::find("isend_irecv")};
  AtmosphereDynamics dynamics(grid, 3, Seconds{1200}, way, world, Pages::as_system);
  int transposes = 0;
  dynamics.transform().observe(
      [&](SpherePhase phase) { transposes += phase == SpherePhase::transpose ? 1 : 0; });
  EXPECT_EQ(dynamics.changed_on_the_way(7), 0);
  EXPECT_EQ(transposes, world.size() > 1 ? 2 : 0);
}

TEST(WilliamsonTest, forcing_is_what_the_equations_leave_over) {
  // Without it the low would not travel: the error of a step is of second order in its length.
  const double longer = run_alone(4, 63, 600, 600.0 / 86'400).errors.wind;
  const double shorter = run_alone(4, 63, 300, 300.0 / 86'400).errors.wind;
  EXPECT_NEAR(longer / shorter, 4, 0.5);
}

TEST(WilliamsonTest, errors_of_the_low_are_relative_to_it_alone) {
  const auto low = williamson_case(4, 0);
  const Place within{.longitude = 0, .latitude = 0.7};
  const Place far{.longitude = 0, .latitude = -0.7};
  EXPECT_LT(low->flow(within, 0).height, low->basic_flow(within).height - 100);
  EXPECT_NEAR(low->flow(far, 0).height, low->basic_flow(far).height, 1e-9);
  EXPECT_GT(low->basic_flow(far).eastward, 1);
  EXPECT_EQ(williamson_case(2, 0)->basic_flow(far).height, 0);
}

TEST(WilliamsonTest, refuses_a_case_that_is_not_there) {
  EXPECT_THROW(williamson_case(7, 0), UsageError);
}

}  // namespace
}  // namespace halocline::numerics
