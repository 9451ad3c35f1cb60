#include "halocline/numerics/ocean_tracers.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double sideways_share = 1e-3;  // share of a cell's area that is mixed per step
constexpr double stable_mixing_m2_s = 1e-5;
constexpr double convection_m2_s = 0.1;

/// Value that a flow carries from cell `up` to `down`, when the share `courant` of the cell passes
/// in a step.
inline double carried(double far_up, double up, double down, double courant) {
  return up + (2 - courant) * (1 - courant) / 6 * (down - up) +
         (1 - courant * courant) / 6 * (up - far_up);
}

/// A tracer at a level, and what its fluxes to the next cell in one direction depend on.
struct Sides {
  const double* tracer;
  const std::int32_t* levels;
  const double* per_area_s_m2;
  const double* water_m3_s;
  const double* mixing_m2_s;
  const double* ratio;  // side length over the distance across it
  std::ptrdiff_t step;  // to the next cell
};

void flux_row(const Sides& sides, std::int32_t level, double thickness_m, std::ptrdiff_t from,
              std::ptrdiff_t to, double* __restrict flux) {
  const auto [tracer, levels, per_area, water, mixing, ratio, step] = sides;
  const double per_thickness = 1 / thickness_m;
  for (std::ptrdiff_t at = from; at < to; ++at) {
    const double here = tracer[at];
    const double next = tracer[at + step];
    const bool onward = water[at] >= 0;
    const double up = onward ? here : next;
    const double down = onward ? next : here;
    const double far = onward ? tracer[at - step] : tracer[at + 2 * step];
    const std::int32_t far_levels = onward ? levels[at - step] : levels[at + 2 * step];
    const double courant =
        std::abs(water[at]) * per_thickness * (onward ? per_area[at] : per_area[at + step]);
    const bool open = std::min(levels[at], levels[at + step]) > level;
    const double mixed = mixing[at] * ratio[at] * thickness_m * (here - next);
    flux[at] =
        water[at] * carried(far_levels > level ? far : up, up, down, courant) + (open ? mixed : 0);
  }
}

}  // namespace

OceanTracers::OceanTracers(const OceanBlock& block, Seconds time_step)
    : block_(block),
      time_step_s_(time_step.count()),
      per_area_s_m2_(block.level_of_zeros()),
      mixing_m2_s_(block.level_of_zeros()),
      sides_(block),
      below_m3_s_(block.level_of_zeros()),
      above_m3_s_(block.level_of_zeros()),
      east_flux_(block.level_of_zeros()),
      north_flux_(block.level_of_zeros()),
      columns_(block) {
  below_flux_.fill(block.level_of_zeros());
  for (std::size_t at = 0; at < block.area_m2.size(); ++at) {
    per_area_s_m2_[at] = time_step_s_ * block.per_area[at];
    mixing_m2_s_[at] = sideways_share * block.area_m2[at] / time_step_s_;
  }
}

void OceanTracers::step(const OceanField& u, const OceanField& v, std::vector<double>& surface_m,
                        const Tracers& tracers, const Tracers& advected) {
  std::ranges::fill(below_m3_s_, 0.0);
  for (auto& flux : below_flux_) {
    std::ranges::fill(flux, 0.0);
  }
  for (Index k = block_.levels - 1; k >= 0; --k) {
    sides_.compute(block_, k, u, v);
    for_each_row(block_, 0, 0, [&](std::size_t row) {
      const auto first = static_cast<std::ptrdiff_t>(row);
      for (std::ptrdiff_t at = first; at < first + block_.box.extent(0); ++at) {
        const auto cell = static_cast<std::size_t>(at);
        above_m3_s_[cell] = below_m3_s_[cell] - sides_.leaving_m3_s(at, block_.stride);
      }
    });
    for (std::size_t index = 0; index < count; ++index) {
      sideways(k, *tracers[index]);
      upward(k, *tracers[index], surface_m, *advected[index], index);
    }
    std::swap(below_m3_s_, above_m3_s_);
  }
  move_surface(surface_m);
  for_each_row(block_, 0, 0, [&](std::size_t row) { mix_row(row, surface_m, tracers, advected); });
}

void OceanTracers::sideways(Index k, const OceanField& tracer) {
  const double thickness_m = block_.thickness_m[static_cast<std::size_t>(k)];
  const auto level = static_cast<std::int32_t>(k);
  const auto length = static_cast<std::ptrdiff_t>(block_.box.extent(0));
  for_each_row(block_, 1, 0, [&](std::size_t row) {
    Sides sides{.tracer = tracer.data() + block_.level(k) + row,
                .levels = block_.cell_levels.data() + row,
                .per_area_s_m2 = per_area_s_m2_.data() + row,
                .water_m3_s = sides_.east_m3_s.data() + row,
                .mixing_m2_s = mixing_m2_s_.data() + row,
                .ratio = block_.east_ratio.data() + row,
                .step = 1};
    flux_row(sides, level, thickness_m, -1, length, east_flux_.data() + row);
    sides.water_m3_s = sides_.north_m3_s.data() + row;
    sides.ratio = block_.north_ratio.data() + row;
    sides.step = block_.stride;
    flux_row(sides, level, thickness_m, 0, length, north_flux_.data() + row);
  });
}

void OceanTracers::upward(Index k, const OceanField& tracer, const std::vector<double>& surface_m,
                          OceanField& result, std::size_t index) {
  const auto length = static_cast<std::ptrdiff_t>(block_.box.extent(0));
  const auto level = static_cast<std::int32_t>(k);
  const std::ptrdiff_t stride = block_.stride;
  const double thickness_m = block_.thickness_m[static_cast<std::size_t>(k)];
  const double per_thickness = 1 / thickness_m;
  const bool top = k == 0;
  const double per_thickness_above =
      top ? 0 : 1 / block_.thickness_m[static_cast<std::size_t>(k) - 1];
  // Beyond the surface and the deepest bottom, use the nearest level's values.
  const std::ptrdiff_t above_by = top ? 0 : -block_.plane;
  const std::ptrdiff_t far_above_by = k >= 2 ? 2 * above_by : above_by;
  const std::ptrdiff_t below_by = k + 1 < block_.levels ? block_.plane : 0;
  for_each_row(block_, 0, 0, [&](std::size_t row) {
    const double* const value = tracer.data() + block_.level(k) + row;
    const std::int32_t* const levels = block_.cell_levels.data() + row;
    const double* const per_area = per_area_s_m2_.data() + row;
    const double* const water = above_m3_s_.data() + row;
    const double* const surface = surface_m.data() + row;
    const double* const east = east_flux_.data() + row;
    const double* const north = north_flux_.data() + row;
    double* __restrict const below_flux = below_flux_[index].data() + row;
    double* __restrict const stepped = result.data() + block_.level(k) + row;
    for (std::ptrdiff_t at = 0; at < length; ++at) {
      const double here = value[at];
      const double above = value[at + above_by];
      const bool rises = water[at] >= 0;
      const double below = levels[at] > level + 1 ? value[at + below_by] : here;
      const double courant =
          std::abs(water[at]) * per_area[at] * (rises ? per_thickness : per_thickness_above);
      const double above_flux =
          top ? 0
              : water[at] * carried(rises ? below : value[at + far_above_by], rises ? here : above,
                                    rises ? above : here, courant);
      const double gone = east[at] - east[at - 1] + (north[at] - north[at - stride]) +
                          (above_flux - below_flux[at]);
      const double old_m = top ? thickness_m + surface[at] : thickness_m;
      const double new_m = top ? old_m + water[at] * per_area[at] : thickness_m;
      stepped[at] = levels[at] > level ? (old_m * here - per_area[at] * gone) / new_m : here;
      below_flux[at] = above_flux;
    }
  });
}

void OceanTracers::move_surface(std::vector<double>& surface_m) {
  for_each_row(block_, 0, 0, [&](std::size_t row) {
    for (std::size_t at = row; at < row + static_cast<std::size_t>(block_.box.extent(0)); ++at) {
      surface_m[at] += below_m3_s_[at] * per_area_s_m2_[at];
    }
  });
}

void OceanTracers::mix_row(std::size_t row, const std::vector<double>& surface_m,
                           const Tracers& tracers, const Tracers& advected) {
  const auto length = static_cast<std::size_t>(block_.box.extent(0));
  const std::int32_t* const levels = block_.cell_levels.data() + row;
  double depth_m = 0;
  for (Index k = 0; k < block_.levels; ++k) {
    const std::size_t level = block_.level(k) + row;
    const auto n = static_cast<std::size_t>(k);
    const double thickness_m = block_.thickness_m[n];
    depth_m += thickness_m;
    const std::size_t next_level = k + 1 < block_.levels ? level + block_.level(1) : level;
    const double to_next_m =
        (thickness_m + block_.thickness_m[std::min(n + 1, block_.thickness_m.size() - 1)]) / 2;
    const double exchange = time_step_s_ / to_next_m;
    const double* const t = advected[0]->data() + level;
    const double* const s = advected[1]->data() + level;
    const double* const next_t = advected[0]->data() + next_level;
    const double* const next_s = advected[1]->data() + next_level;
    for (std::size_t at = 0; at < length; ++at) {
      const bool unstable =
          density_kg_m3(t[at], s[at], depth_m) > density_kg_m3(next_t[at], next_s[at], depth_m);
      const double down =
          levels[at] > k + 1 ? exchange * (unstable ? convection_m2_s : stable_mixing_m2_s) : 0;
      const double full_m = k == 0 ? thickness_m + surface_m[row + at] : thickness_m;
      columns_.eliminate(n, at, full_m, down, {full_m * t[at], full_m * s[at]});
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    columns_.substitute(index, tracers[index]->data() + row, block_.plane, length);
  }
}

}  // namespace halocline::numerics
