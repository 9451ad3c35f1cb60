#include "halocline/numerics/ocean_momentum.hpp"

#include <algorithm>

#include "halocline/numerics/earth.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double viscous_share = 1e-2;  // share of a cell's area that is mixed per step
constexpr double friction_m2_s = 1e-3;  // along columns
constexpr double bottom_drag_m_s = 1e-3;

/// Upwind change of a quantity along a row or column of corners, per grid distance.
inline double slope(const double* value, std::ptrdiff_t step, bool onward) {
  const double sign = onward ? 1 : -1;
  const std::ptrdiff_t up = onward ? -step : step;
  return sign * (2 * value[-up] + 3 * value[0] - 6 * value[up] + value[2 * up]) / 6;
}

/// Change per metre of a cell quantity, at the corner between four cells.
struct Gradient {
  double x;
  double y;
};

inline Gradient gradient(const double* value, std::ptrdiff_t stride, double per_width,
                         double per_height) {
  const double rising = value[stride + 1] - value[0];
  const double falling = value[1] - value[stride];
  return {.x = per_width / 2 * (rising + falling), .y = per_height / 2 * (rising - falling)};
}

inline double curvature(const double* value, std::ptrdiff_t step) {
  return value[step] - 2 * value[0] + value[-step];
}

}  // namespace

OceanMomentum::OceanMomentum(const OceanBlock& block, Seconds time_step)
    : block_(block),
      time_step_s_(time_step.count()),
      viscosity_m2_s_(block.level_of_zeros()),
      sides_(block),
      pressure_m2_s2_(block.level_of_zeros()),
      below_m_s_(block.level_of_zeros()),
      above_m_s_(block.level_of_zeros()),
      columns_(block) {
  for (std::size_t at = 0; at < viscosity_m2_s_.size(); ++at) {
    viscosity_m2_s_[at] = viscous_share * block.width_m[at] * block.height_m[at] / time_step_s_;
  }
}

void OceanMomentum::step(OceanField& u, OceanField& v, const OceanField& temperature,
                         const OceanField& salinity, OceanField& moved_u, OceanField& moved_v,
                         std::vector<double>& u_sum_m2_s, std::vector<double>& v_sum_m2_s) {
  std::ranges::fill(pressure_m2_s2_, 0.0);
  double depth_m = 0;
  for (Index k = 0; k < block_.levels; ++k) {
    press_level(k, depth_m, temperature, salinity, moved_u, moved_v);
    depth_m += block_.thickness_m[static_cast<std::size_t>(k)];
  }
  std::ranges::fill(below_m_s_, 0.0);
  for (Index k = block_.levels - 1; k >= 0; --k) {
    move_level(k, u, v, moved_u, moved_v);
  }
  for_each_row(block_, 0, 0, [&](std::size_t row) {
    mix_row(row, {&moved_u, &moved_v}, {&u, &v}, {&u_sum_m2_s, &v_sum_m2_s});
  });
}

void OceanMomentum::press_level(Index k, double depth_m, const OceanField& temperature,
                                const OceanField& salinity, OceanField& moved_u,
                                OceanField& moved_v) {
  const auto length = static_cast<std::ptrdiff_t>(block_.box.extent(0));
  const std::ptrdiff_t stride = block_.stride;
  const auto n = static_cast<std::size_t>(k);
  const double middle_m = depth_m + block_.thickness_m[n] / 2;
  const double last_middle_m = k == 0 ? 0 : depth_m - block_.thickness_m[n - 1] / 2;
  // Each level owns half of the water between two level centres; the first owns all above its own.
  const double weight = earth::gravity_m_s2 / reference_density_kg_m3;
  const double above = k == 0 ? 0 : weight * block_.thickness_m[n - 1] / 2;
  const double here = weight * block_.thickness_m[n] / 2;
  const std::size_t last_level = k == 0 ? block_.level(k) : block_.level(k - 1);
  for_each_row(block_, 0, 1, [&](std::size_t row) {
    const double* const t = temperature.data() + block_.level(k) + row;
    const double* const s = salinity.data() + block_.level(k) + row;
    const double* const last_t = temperature.data() + last_level + row;
    const double* const last_s = salinity.data() + last_level + row;
    double* __restrict const pressure = pressure_m2_s2_.data() + row;
    for (std::ptrdiff_t at = 0; at <= length; ++at) {
      pressure[at] += above * density_kg_m3(last_t[at], last_s[at], last_middle_m) +
                      here * density_kg_m3(t[at], s[at], middle_m);
    }
  });
  for_each_row(block_, 0, 0, [&](std::size_t row) {
    const double* const p = pressure_m2_s2_.data() + row;
    const double* const per_width = block_.per_width.data() + row;
    const double* const per_height = block_.per_height.data() + row;
    double* __restrict const x = moved_u.data() + block_.level(k) + row;
    double* __restrict const y = moved_v.data() + block_.level(k) + row;
    for (std::ptrdiff_t at = 0; at < length; ++at) {
      const Gradient along = gradient(p + at, stride, per_width[at], per_height[at]);
      x[at] = -along.x;
      y[at] = -along.y;
    }
  });
}

void OceanMomentum::move_level(Index k, const OceanField& u, const OceanField& v,
                               OceanField& moved_u, OceanField& moved_v) {
  const auto length = static_cast<std::ptrdiff_t>(block_.box.extent(0));
  const std::ptrdiff_t stride = block_.stride;
  const auto n = static_cast<std::size_t>(k);
  const bool top = k == 0;
  const bool bottom = k + 1 == block_.levels;
  const double dt = time_step_s_;
  sides_.compute(block_, k, u, v);
  for_each_row(block_, 0, 1, [&](std::size_t row) {
    for (std::ptrdiff_t at = 0; at <= length; ++at) {
      const auto cell = row + static_cast<std::size_t>(at);
      above_m_s_[cell] =
          below_m_s_[cell] -
          sides_.leaving_m3_s(static_cast<std::ptrdiff_t>(cell), stride) * block_.per_area[cell];
    }
  });
  const auto between_m = [this](std::size_t one, std::size_t other) {
    return (block_.thickness_m[one] + block_.thickness_m[other]) / 2;
  };
  // An eighth: the mean of four cells, and of the changes above and below.
  const double above_weight = top ? 0 : 0.125 / between_m(n - 1, n);
  const double below_weight = bottom ? 0 : 0.125 / between_m(n, n + 1);
  const std::ptrdiff_t above_by = top ? 0 : -block_.plane;
  const std::ptrdiff_t below_by = bottom ? 0 : block_.plane;
  for_each_row(block_, 0, 0, [&](std::size_t row) {
    const double* const eastward = u.data() + block_.level(k) + row;
    const double* const northward = v.data() + block_.level(k) + row;
    const double* const above = above_m_s_.data() + row;
    const double* const below = below_m_s_.data() + row;
    const std::int32_t* const levels = block_.corner_levels.data() + row;
    const double* const per_width = block_.per_width.data() + row;
    const double* const per_height = block_.per_height.data() + row;
    const double* const viscosity = viscosity_m2_s_.data() + row;
    const double* const curvature_x = block_.curvature_x.data() + row;
    const double* const curvature_y = block_.curvature_y.data() + row;
    const double* const coriolis = block_.coriolis.data() + row;
    double* __restrict const x = moved_u.data() + block_.level(k) + row;
    double* __restrict const y = moved_v.data() + block_.level(k) + row;
    for (std::ptrdiff_t at = 0; at < length; ++at) {
      const double east = eastward[at];
      const double north = northward[at];
      const double through_top = above_weight * (above[at] + above[at + 1] +
                                                 (above[at + stride] + above[at + stride + 1]));
      const double through_bottom =
          levels[at] > k + 1 ? below_weight * (below[at] + below[at + 1] +
                                               (below[at + stride] + below[at + stride + 1]))
                             : 0;
      const double turning = east * curvature_y[at] - north * curvature_x[at];
      const double widths = per_width[at] * per_width[at];
      const double heights = per_height[at] * per_height[at];
      const auto change = [&](const double* value) {
        return -(east * per_width[at] * slope(value, 1, east >= 0) +
                 north * per_height[at] * slope(value, stride, north >= 0)) -
               (through_top * (value[above_by] - value[0]) +
                through_bottom * (value[0] - value[below_by])) +
               viscosity[at] * (widths * curvature(value, 1) + heights * curvature(value, stride));
      };
      const double pushed_x = x[at] + change(eastward + at) - north * turning;
      const double pushed_y = y[at] + change(northward + at) + east * turning;
      const double turned = coriolis[at] * dt / 2;
      const double old_x = east + dt * pushed_x + turned * north;
      const double old_y = north + dt * pushed_y - turned * east;
      const double share = levels[at] > k ? 1 / (1 + turned * turned) : 0;
      x[at] = share * (old_x + turned * old_y);
      y[at] = share * (old_y - turned * old_x);
    }
  });
  std::swap(below_m_s_, above_m_s_);
}

void OceanMomentum::mix_row(std::size_t row, const Pair<const OceanField>& moved,
                            const Pair<OceanField>& mixed, const Pair<std::vector<double>>& sums) {
  const auto length = static_cast<std::size_t>(block_.box.extent(0));
  const std::int32_t* const levels = block_.corner_levels.data() + row;
  const double* const wind = block_.wind_m2_s2.data() + row;
  const double* const north_wind = block_.north_wind_m2_s2.data() + row;
  const double drag_m = time_step_s_ * bottom_drag_m_s;
  for (Index k = 0; k < block_.levels; ++k) {
    const auto n = static_cast<std::size_t>(k);
    const double thickness_m = block_.thickness_m[n];
    const double next_m = block_.thickness_m[std::min(n + 1, block_.thickness_m.size() - 1)];
    const double exchange_m = time_step_s_ * friction_m2_s * 2 / (thickness_m + next_m);
    const double* const x = moved[0]->data() + block_.level(k) + row;
    const double* const y = moved[1]->data() + block_.level(k) + row;
    for (std::size_t at = 0; at < length; ++at) {
      const double down_m = levels[at] > k + 1 ? exchange_m : 0;
      const double slowed_m = levels[at] == k + 1 ? drag_m : 0;
      const double blown_s = k == 0 && levels[at] > 0 ? time_step_s_ : 0;
      columns_.eliminate(n, at, thickness_m + slowed_m, down_m,
                         {thickness_m * x[at] + blown_s * wind[at],
                          thickness_m * y[at] + blown_s * north_wind[at]});
    }
  }
  for (std::size_t index = 0; index < mixed.size(); ++index) {
    double* const sum = sums[index]->data() + row;
    std::fill_n(sum, length, 0.0);
    columns_.substitute(index, mixed[index]->data() + row, block_.plane, length,
                        [&](std::size_t k, std::size_t at, double value) {
                          sum[at] += block_.thickness_m[k] * value;
                        });
  }
}

void OceanMomentum::push(const std::vector<double>& surface_m2_s2, OceanField& u,
                         OceanField& v) const {
  const auto length = static_cast<std::ptrdiff_t>(block_.box.extent(0));
  const std::ptrdiff_t stride = block_.stride;
  for (Index k = 0; k < block_.levels; ++k) {
    for_each_row(block_, 0, 0, [&](std::size_t row) {
      const double* const p = surface_m2_s2.data() + row;
      const std::int32_t* const levels = block_.corner_levels.data() + row;
      const double* const per_width = block_.per_width.data() + row;
      const double* const per_height = block_.per_height.data() + row;
      double* __restrict const x = u.data() + block_.level(k) + row;
      double* __restrict const y = v.data() + block_.level(k) + row;
      for (std::ptrdiff_t at = 0; at < length; ++at) {
        const Gradient along = gradient(p + at, stride, per_width[at], per_height[at]);
        const double step_s = levels[at] > k ? time_step_s_ : 0;
        x[at] -= step_s * along.x;
        y[at] -= step_s * along.y;
      }
    });
  }
}

}  // namespace halocline::numerics
