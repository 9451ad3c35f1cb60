#include "halocline/workload/proxy/coupled_setup.hpp"

#include <algorithm>

#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/near.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"

namespace halocline::workload {
namespace {

constexpr layout::Index coupled_block_cells = 96;
constexpr double seconds_of_day = 86'400;
constexpr int percent_for_coupled = 75;

const ChoiceAxis& arrangement_axis() {
  static const ChoiceAxis axis{.name = "arrangement",
                               .choices = {"sequential", "concurrent", "mixed"},
                               .defaults = {"sequential"},
                               .verified = {"mixed"}};
  return axis;
}

const IntegerAxis& component_ranks_axis(coupling::Component component) {
  const auto axis = [](std::string_view name) {
    return IntegerAxis{
        .name = name, .unit = "ranks", .low = 0, .high = any_number_of_ranks, .defaults = {0}};
  };
  // In the order of the components.
  static const std::array<IntegerAxis, coupling::component_count> axes{
      axis("land_ranks"), axis("ice_ranks"), axis("atmosphere_ranks"), axis("ocean_ranks")};
  return axes[coupling::index_of(component)];
}

const IntegerAxis& coupled_truncation_axis() {
  static const IntegerAxis axis{.name = "truncation",
                                .unit = "",
                                .low = 5,
                                .high = 340,
                                .defaults = {21},
                                .only = numerics::SpectralGrid::truncations(),
                                .verified = {10}};
  return axis;
}

const IntegerAxis& coupled_air_levels_axis() {
  static const IntegerAxis axis{.name = "atmosphere_levels",
                                .unit = "",
                                .low = 2,
                                .high = 200,
                                .defaults = {8},
                                .verified = {2}};
  return axis;
}

const ChoiceAxis& coupled_grid_axis() {
  static const ChoiceAxis axis{
      .name = "grid", .choices = ocean_grid_axis().choices, .defaults = {"x4"}, .verified = {"x8"}};
  return axis;
}

const IntegerAxis& coupled_ocean_levels_axis() {
  static const IntegerAxis axis{
      .name = "ocean_levels", .unit = "", .low = 1, .high = 200, .defaults = {10}, .verified = {2}};
  return axis;
}

const IntegerAxis& days_axis() {
  static const IntegerAxis axis{
      .name = "days", .unit = "days", .low = 1, .high = 36'500, .defaults = {1}};
  return axis;
}

const IntegerAxis& couplings_axis() {
  static const IntegerAxis axis{.name = "couplings_per_day",
                                .unit = "",
                                .low = 8,
                                .high = 288,
                                .defaults = {12},
                                .verified = {8}};
  return axis;
}

const ChoiceAxis& history_axis() {
  static const ChoiceAxis axis{.name = "history",
                               .choices = {"none", "written"},
                               .defaults = {"written"},
                               .verified = {"none"}};
  return axis;
}

const FileAxis& restart_axis() {
  static const FileAxis axis{
      .name = "restart", .made_by = "halocline run coupled history=written", .preset = no_restart};
  return axis;
}

Seconds longest_ocean_step(std::string_view grid) {
  constexpr Seconds of_coarse{7200};
  return grid == "x8" || grid == "x4" ? of_coarse : time_step_of(grid);
}

layout::Blocks coupled_blocks(const CoupledCase& asked, const numerics::DisplacedPoleGrid& grid,
                              const numerics::OceanMask& mask, int ranks) {
  const OceanShape shape{.grid = asked.grid,
                         .distribution = layout::Distribution::space_filling_curve,
                         .block = 0,
                         .surface = {},
                         .stop = {},
                         .way = asked.way};
  return ocean_blocks_of(shape, grid, mask, ranks, coupled_block_cells);
}

}  // namespace

std::vector<Axis> coupled_axes() {
  using coupling::Component;
  return {arrangement_axis(),
          component_ranks_axis(Component::atmosphere),
          component_ranks_axis(Component::ocean),
          component_ranks_axis(Component::land),
          component_ranks_axis(Component::ice),
          coupled_truncation_axis(),
          coupled_air_levels_axis(),
          coupled_grid_axis(),
          coupled_ocean_levels_axis(),
          ocean_iterations_axis(),
          days_axis(),
          couplings_axis(),
          history_axis(),
          restart_axis(),
          halo_near_axis()};
}

CoupledCase coupled_case_of(const AxisValues& values, const mpi::Communicator& world) {
  std::array<int, coupling::component_count> ranks{};
  for (std::size_t component = 0; component < ranks.size(); ++component) {
    ranks[component] = static_cast<int>(
        values.integer(component_ranks_axis(static_cast<coupling::Component>(component))));
  }
  const std::int64_t couplings = values.integer(couplings_axis());
  const std::int64_t iterations = values.integer(ocean_iterations_axis());
  return {.arrangement = coupling::arrangement_named(values.choice(arrangement_axis())),
          .ranks = ranks,
          .truncation = static_cast<int>(values.integer(coupled_truncation_axis())),
          .air_levels = static_cast<int>(values.integer(coupled_air_levels_axis())),
          .grid = values.choice(coupled_grid_axis()),
          .ocean_levels = values.integer(coupled_ocean_levels_axis()),
          .until = iterations == 0 ? numerics::Stop{.tolerance = 1e-13}
                                   : numerics::Stop{.iterations = iterations},
          .intervals = values.integer(days_axis()) * couplings,
          .couplings_per_day = couplings,
          .writes = values.choice(history_axis()) == "written",
          .folder = values.setting().files,
          .restart = values.file(restart_axis()),
          .way = way_of(values, world)};
}

CoupledEarth::CoupledEarth(const CoupledCase& asked, const mpi::Communicator& world)
    : case_(asked),
      grid_(numerics::DisplacedPoleGrid::named(asked.grid)),
      mask_(numerics::OceanMask::of_earth(asked.grid)),
      blocks_(coupled_blocks(asked, grid_, mask_, 1)),
      sharing_{} {
  sharing_ = coupling::share(asked.arrangement, world.size(), asked.ranks,
                             coupling::CoupledModel::costs(shape(Pages::as_system)));
  blocks_ = coupled_blocks(asked, grid_, mask_,
                           sharing_[coupling::index_of(coupling::Component::ocean)].count);
  require_memory("truncation " + std::to_string(asked.truncation) + " with " +
                     std::to_string(asked.air_levels) + " levels over a grid of " +
                     std::to_string(grid_.columns()) + " x " + std::to_string(grid_.rows()) +
                     " cells with " + std::to_string(asked.ocean_levels) + " levels",
                 coupling::CoupledModel::bytes(shape(Pages::as_system), world.size(), world.rank()),
                 percent_for_coupled, "a smaller grid or truncation, fewer levels or more nodes",
                 world);
}

coupling::SeaShape CoupledEarth::sea() const {
  return {.grid = grid_,
          .mask = mask_,
          .blocks = blocks_,
          .levels = case_.ocean_levels,
          .longest_step = longest_ocean_step(case_.grid),
          .interval = Seconds{seconds_of_day} / static_cast<double>(case_.couplings_per_day),
          .until = case_.until,
          .way = case_.way};
}

coupling::CoupledShape CoupledEarth::shape(Pages pages) const {
  return {.truncation = case_.truncation,
          .air_levels = case_.air_levels,
          .sea = sea(),
          .sharing = sharing_,
          .way = case_.way,
          .pages = pages};
}

}  // namespace halocline::workload
