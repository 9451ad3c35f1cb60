#include "halocline/numerics/shallow_water.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/spectral_operators.hpp"

namespace halocline::numerics {
namespace {

constexpr double a = earth::radius_m;
// Truncation used to compute the mean geopotential, the same for every truncation and distribution.
constexpr int mean_truncation = 42;

double square(double number) { return number * number; }

Place place_on(const SpectralGrid& grid, int pair, int hemisphere, int longitude) {
  const double latitude = std::asin(grid.rows.sine[static_cast<std::size_t>(pair)]);
  return {.longitude = 2 * std::numbers::pi * longitude / grid.longitudes,
          .latitude = hemisphere == 0 ? latitude : -latitude};
}

/// Mean geopotential of the fluid's depth; 0 if only the depth changes.
double mean_geopotential(const WilliamsonCase& test) {
  if (test.only_advects()) {
    return 0;
  }
  const SpectralGrid grid = SpectralGrid::of(mean_truncation);
  double sum = 0;
  for (int pair = 0; pair < grid.latitude_pairs; ++pair) {
    for (int point = 0; point < 2 * grid.longitudes; ++point) {
      const Place place = place_on(grid, pair, point % 2, point / 2);
      sum += grid.rows.weight[static_cast<std::size_t>(pair)] *
             (test.flow(place, 0).height - test.surface(place));
    }
  }
  return earth::gravity_m_s2 * sum / (2 * grid.longitudes);
}

}  // namespace

template <class Real>
ShallowWater<Real>::ShallowWater(SphereTransform<Real>& transform, const WilliamsonCase& test,
                                 const TimeStepping& stepping, Pages pages)
    : transform_(transform),
      test_(test),
      stepping_(stepping),
      pages_(pages),
      mean_geopotential_(mean_geopotential(test)),
      in_(length(fields_in), pages),
      out_(length(fields_out(test)), pages) {
  const SpectralRows& rows = transform.rows();
  for (std::size_t position = 0; position < rows.orders().size(); ++position) {
    for (int degree = rows.orders()[position]; degree <= rows.truncation() + 1; ++degree) {
      order_of_row_.push_back(rows.orders()[position]);
      degree_of_row_.push_back(degree);
    }
  }
  set_grid();
}

template <class Real>
std::size_t ShallowWater<Real>::length(int fields) const {
  return static_cast<std::size_t>(transform_.rows().count()) *
         static_cast<std::size_t>(transform_.groups().count * fields * batch_width);
}

template <class Real>
Place ShallowWater<Real>::place_of(int pair, int hemisphere, int longitude) const {
  return place_on(transform_.grid(), pair, hemisphere, longitude);
}

template <class Real>
template <class Value>
void ShallowWater<Real>::for_each_point(Value value) const {
  const Block pairs = transform_.pairs();
  const Block longitudes = transform_.longitudes();
  std::size_t index = 0;
  for (int pair = pairs.begin; pair < pairs.begin + pairs.count; ++pair) {
    for (int point = 0; point < 2 * longitudes.count; ++point) {
      value(index++, place_of(pair, point % 2, longitudes.begin + point / 2));
    }
  }
}

template <class Real>
void ShallowWater<Real>::set_grid() {
  const std::size_t points = 2 * static_cast<std::size_t>(transform_.pairs().count) *
                             static_cast<std::size_t>(transform_.longitudes().count);
  coriolis_.resize(points);
  surface_on_grid_.resize(points);
  for_each_point([this](std::size_t index, const Place& place) {
    coriolis_[index] = static_cast<Real>(test_.coriolis(place));
    surface_on_grid_[index] = static_cast<Real>(test_.surface(place));
  });
  if (test_.is_forced()) {
    for (auto* const force : {&force_u_, &force_v_, &force_phi_}) {
      force->resize(points);
    }
  }
  // The ground as coefficients: gradients of the geopotential are taken of these.
  set_out([this](const Place& place) {
    return std::array<double, 3>{earth::gravity_m_s2 * test_.surface(place), 0, 0};
  });
  surface_.resize(2 * static_cast<std::size_t>(transform_.rows().count()));
  for (std::size_t row = 0; row < order_of_row_.size(); ++row) {
    const Real* const from = row_of(out_, row, 0, 0, fields_out(test_));
    surface_[2 * row] = from[0];
    surface_[2 * row + 1] = from[lanes_of<Real>];
  }
}

template <class Real>
template <class Values>
void ShallowWater<Real>::set_out(Values values) {
  transform_.run(
      {},
      [&](const GridBatch<Real>& batch) {
        for (int field = 0; field < fields_out(test_); ++field) {
          std::fill_n(batch.out + field * batch.out_step,
                      std::ptrdiff_t{batch.longitudes} * batch_width, Real{0});
        }
        for (int point = 0; point < 2 * batch.longitudes; ++point) {
          const Place place = place_of(batch.pair, point % 2, batch.first_longitude + point / 2);
          const std::array<double, 3> numbers = values(place);
          for (std::size_t field = 0; field < numbers.size(); ++field) {
            std::fill_n(batch.out + static_cast<std::ptrdiff_t>(field) * batch.out_step +
                            std::ptrdiff_t{point} * lanes_of<Real>,
                        lanes_of<Real>, static_cast<Real>(numbers[field]));
          }
        }
      },
      out_.numbers());
}

template <class Real>
ShallowWaterState<Real> ShallowWater<Real>::initial() {
  set_out([this](const Place& place) {
    const Flow flow = test_.flow(place, 0);
    const double cosine = std::cos(place.latitude);
    return std::array<double, 3>{
        flow.eastward / cosine, flow.northward / cosine,
        earth::gravity_m_s2 * (flow.height - test_.surface(place)) - mean_geopotential_};
  });
  ShallowWaterState<Real> state{.before = Array<Real>(length(state_fields), pages_),
                                .now = Array<Real>(length(state_fields), pages_)};
  const int fields = fields_out(test_);
  for (std::size_t row = 0; row < order_of_row_.size(); ++row) {
    const int degree = degree_of_row_[row];
    const int order = order_of_row_[row];
    if (degree > transform_.rows().truncation()) {
      continue;
    }
    const Neighbours<double> next = of_integral(degree, order);
    const std::size_t row_below = degree == order ? row : row - 1;
    const auto m = static_cast<Real>(order / a);
    const auto below = static_cast<Real>(degree == order ? 0.0 : next.below / a);
    const auto above = static_cast<Real>(next.above / a);
    for (int group = 0; group < transform_.groups().count; ++group) {
      const auto from = [&](std::size_t which, int field) {
        return row_of(out_, which, group, field, fields);
      };
      const Real* const u = from(row, 0);
      const Real* const v = from(row, 1);
      const Real* const phi = from(row, 2);
      const Real* const u_below = from(row_below, 0);
      const Real* const u_above = from(row + 1, 0);
      const Real* const v_below = from(row_below, 1);
      const Real* const v_above = from(row + 1, 1);
      Real* const vorticity = row_of(state.now, row, group, 0, state_fields);
      Real* const divergence = row_of(state.now, row, group, 1, state_fields);
      Real* const geopotential = row_of(state.now, row, group, 2, state_fields);
      for (int part = 0; part < batch_width; ++part) {
        const int other = (part + lanes_of<Real>) % batch_width;  // swaps real and imaginary
        const Real times_i = part < lanes_of<Real> ? -m : m;
        vorticity[part] = times_i * v[other] + below * u_below[part] + above * u_above[part];
        divergence[part] = times_i * u[other] - below * v_below[part] - above * v_above[part];
        geopotential[part] = phi[part];
      }
    }
  }
  std::ranges::copy(state.now.numbers(), state.before.numbers().begin());
  return state;
}

/// Coefficients of U = u cos φ and V, and of everything else that goes to the grid.
template <class Real>
void ShallowWater<Real>::find_winds(const Array<Real>& state) {
  const int truncation = transform_.rows().truncation();
  for (std::size_t row = 0; row < order_of_row_.size(); ++row) {
    const int degree = degree_of_row_[row];
    const int order = order_of_row_[row];
    const Neighbours<double> next = of_series(degree, order);
    const std::size_t row_below = degree == order ? row : row - 1;
    const std::size_t row_above = degree > truncation ? row : row + 1;
    const auto m = static_cast<Real>(order * inverse_laplacian(degree) / a);
    const auto below =
        static_cast<Real>(degree == order ? 0.0 : next.below * inverse_laplacian(degree - 1) / a);
    const auto above = static_cast<Real>(
        degree > truncation ? 0.0 : next.above * inverse_laplacian(degree + 1) / a);
    for (int group = 0; group < transform_.groups().count; ++group) {
      const auto from = [&](std::size_t which, int field) {
        return row_of(state, which, group, field, state_fields);
      };
      const Real* const vorticity = from(row, 0);
      const Real* const vorticity_below = from(row_below, 0);
      const Real* const vorticity_above = from(row_above, 0);
      const Real* const divergence = from(row, 1);
      const Real* const divergence_below = from(row_below, 1);
      const Real* const divergence_above = from(row_above, 1);
      const Real* const geopotential = from(row, 2);
      Real* const to = row_of(in_, row, group, 0, fields_in);
      for (int part = 0; part < batch_width; ++part) {
        const int other = (part + lanes_of<Real>) % batch_width;  // swaps real and imaginary
        const Real times_i = part < lanes_of<Real> ? -m : m;
        to[part] = times_i * divergence[other] - below * vorticity_below[part] -
                   above * vorticity_above[part];
        to[batch_width + part] = times_i * vorticity[other] + below * divergence_below[part] +
                                 above * divergence_above[part];
        to[2 * batch_width + part] = vorticity[part];
        to[3 * batch_width + part] = geopotential[part];
      }
    }
  }
}

template <class Real>
void ShallowWater<Real>::set_forcing(double seconds) {
  if (!test_.is_forced() || forced_at_s_ == seconds) {
    return;
  }
  forced_at_s_ = seconds;
  for_each_point([this, seconds](std::size_t index, const Place& place) {
    const Forcing forcing = test_.forcing(place, seconds);
    const double cosine = std::cos(place.latitude);
    force_u_[index] = static_cast<Real>(forcing.eastward * cosine);
    force_v_[index] = static_cast<Real>(forcing.northward * cosine);
    force_phi_[index] = static_cast<Real>(forcing.geopotential);
  });
}

template <class Real>
void ShallowWater<Real>::compute(const GridBatch<Real>& batch) const {
  const double sine = transform_.grid().rows.sine[static_cast<std::size_t>(batch.pair)];
  const auto first = static_cast<std::size_t>(batch.pair - transform_.pairs().begin) * 2 *
                     static_cast<std::size_t>(batch.longitudes);
  const bool forced = test_.is_forced();
  vector_kernels<Real>().products(
      {.longitudes = batch.longitudes,
       .inverse_square_cosine = static_cast<Real>(1 / (1 - sine * sine)),
       .coriolis = coriolis_.data() + first,
       .force_u = forced ? force_u_.data() + first : nullptr,
       .force_v = forced ? force_v_.data() + first : nullptr,
       .force_phi = forced ? force_phi_.data() + first : nullptr},
      batch.in, batch.in_step, batch.out, batch.out_step);
}

template <class Real>
void ShallowWater<Real>::step(ShallowWaterState<Real>& state,
                              const SphereTransform<Real>::GridWork& also) {
  find_winds(state.now);
  const auto work = [&](const GridBatch<Real>& batch) {
    set_forcing(seconds(state));  // with the first batch: it is work on the grid
    compute(batch);
    also(batch);
  };
  transform_.run(in_.numbers(), work, out_.numbers());
  // The first step goes forward from the first time to the second, so it spans one step.
  advance(state, state.steps == 0 ? stepping_.step_seconds : 2 * stepping_.step_seconds);
  std::swap(state.before, state.now);
  ++state.steps;
}

/// Overwrites the previous time with the next.
template <class Real>
void ShallowWater<Real>::advance(ShallowWaterState<Real>& state, double interval) {
  const int truncation = transform_.rows().truncation();
  const int fields = fields_out(test_);
  const auto filter = static_cast<Real>(state.steps == 0 ? 0.0 : stepping_.filter);
  const auto span = static_cast<Real>(interval);
  const auto half = static_cast<Real>(interval / 2);
  const auto mean = static_cast<Real>(mean_geopotential_);
  for (std::size_t row = 0; row < order_of_row_.size(); ++row) {
    const int degree = degree_of_row_[row];
    const int order = order_of_row_[row];
    if (degree > truncation) {
      continue;
    }
    const Neighbours<double> next = of_integral(degree, order);
    const std::size_t row_below = degree == order ? row : row - 1;
    const auto m = static_cast<Real>(order / a);
    const auto below = static_cast<Real>(degree == order ? 0.0 : next.below / a);
    const auto above = static_cast<Real>(next.above / a);
    const double wave = double{1} * degree * (degree + 1) / (a * a);
    const auto laplacian = static_cast<Real>(wave);
    const auto implicit = static_cast<Real>(
        stepping_.semi_implicit ? 1 / (1 + square(interval / 2) * wave * mean_geopotential_) : 1.0);
    // A rotation of the whole fluid is not damped.
    const auto wind_kept =
        static_cast<Real>(1 / (1 + interval * stepping_.diffusion *
                                       std::max(0.0, square(wave) - square(2 / (a * a)))));
    const auto depth_kept =
        static_cast<Real>(1 / (1 + interval * stepping_.diffusion * square(wave)));
    for (int group = 0; group < transform_.groups().count; ++group) {
      const Real* const here = row_of(out_, row, group, 0, fields);
      const Real* const lower = row_of(out_, row_below, group, 0, fields);
      const Real* const upper = row_of(out_, row + 1, group, 0, fields);
      Real* const before = row_of(state.before, row, group, 0, state_fields);
      Real* const now = row_of(state.now, row, group, 0, state_fields);
      for (int part = 0; part < batch_width; ++part) {
        const int other = (part + lanes_of<Real>) % batch_width;  // swaps real and imaginary
        const Real times_i = part < lanes_of<Real> ? -m : m;
        const auto east = [&](int field) { return times_i * here[field * batch_width + other]; };
        const auto north = [&](int field) {
          return below * lower[field * batch_width + part] +
                 above * upper[field * batch_width + part];
        };
        constexpr int divergence_at = batch_width;
        constexpr int phi_at = 2 * batch_width;
        const std::size_t half_of = part < lanes_of<Real> ? 0 : 1;
        const Real energy = here[4 * batch_width + part] + surface_[2 * row + half_of];
        const Real vorticity_change = north(1) - east(0);
        const Real divergence_change = east(1) + north(0) + laplacian * energy;
        Real phi_change = north(3) - east(2);
        if (fields > 5) {
          phi_change += here[5 * batch_width + part];
        }
        const Real phi_before = before[phi_at + part];
        const Real divergence_before = before[divergence_at + part];
        Real divergence_next{};
        Real phi_next{};
        if (stepping_.semi_implicit) {
          const Real phi_explicit =
              phi_before + span * phi_change - half * mean * divergence_before;
          divergence_next = implicit * (divergence_before + span * divergence_change +
                                        half * laplacian * (phi_before + phi_explicit));
          phi_next = phi_explicit - half * mean * divergence_next;
        } else {
          divergence_next =
              divergence_before + span * (divergence_change + laplacian * now[phi_at + part]);
          phi_next = phi_before + span * (phi_change - mean * now[divergence_at + part]);
        }
        Real vorticity_next = before[part] + span * vorticity_change;
        if (test_.only_advects()) {
          vorticity_next = now[part];
          divergence_next = now[divergence_at + part];
        }
        const auto put = [&](int place, Real value) {
          now[place] += filter * (before[place] - 2 * now[place] + value);
          before[place] = value;
        };
        put(part, vorticity_next * wind_kept);
        put(divergence_at + part, divergence_next * wind_kept);
        put(phi_at + part, phi_next * depth_kept);
      }
    }
  }
}

template <class Real>
template <class Sum>
std::vector<double> ShallowWater<Real>::integrate(const ShallowWaterState<Real>& state,
                                                  std::size_t count, Sum sum) {
  std::vector<double> sums(count);
  find_winds(state.now);
  transform_.run(
      in_.numbers(),
      [&](const GridBatch<Real>& batch) {
        if (batch.group != 0) {
          return;
        }
        const auto pair = static_cast<std::size_t>(batch.pair);
        const double sine = transform_.grid().rows.sine[pair];
        const double cosine = std::sqrt(1 - sine * sine);
        const double weight =
            transform_.grid().rows.weight[pair] / (2 * transform_.grid().longitudes);
        const auto first = static_cast<std::size_t>(batch.pair - transform_.pairs().begin) * 2 *
                           static_cast<std::size_t>(batch.longitudes);
        for (int point = 0; point < 2 * batch.longitudes; ++point) {
          const auto value = [&](int field) {
            return double{batch.in[field * batch.in_step + std::ptrdiff_t{point} * lanes_of<Real>]};
          };
          const auto index = first + static_cast<std::size_t>(point);
          sum(sums, weight, place_of(batch.pair, point % 2, batch.first_longitude + point / 2),
              Point{.wind = {.eastward = value(0) / cosine,
                             .northward = value(1) / cosine,
                             .height = (value(3) + mean_geopotential_) / earth::gravity_m_s2},
                    .vorticity = value(2) + coriolis_[index],
                    .surface = surface_on_grid_[index]});
        }
      },
      {});
  transform_.add_up(sums);
  return sums;
}

template <class Real>
Errors ShallowWater<Real>::errors(const ShallowWaterState<Real>& state) {
  const double time = seconds(state);
  const std::vector<double> sums = integrate(
      state, 4,
      [&](std::vector<double>& parts, double weight, const Place& place, const Point& point) {
        const Flow known = test_.flow(place, time);
        const Flow scale = known - test_.basic_flow(place);
        parts[0] += weight * square(point.wind.height + point.surface - known.height);
        parts[1] += weight * square(scale.height);
        parts[2] += weight * squared_speed(point.wind - known);
        parts[3] += weight * squared_speed(scale);
      });
  return {.height = std::sqrt(sums[0] / sums[1]), .wind = std::sqrt(sums[2] / sums[3])};
}

template <class Real>
Invariants ShallowWater<Real>::invariants(const ShallowWaterState<Real>& state) {
  const std::vector<double> sums = integrate(
      state, 3,
      [&](std::vector<double>& parts, double weight, const Place& /*place*/, const Point& point) {
        const double depth = point.wind.height;
        const double speed = squared_speed(point.wind);
        const double top = square(depth + point.surface) - square(point.surface);
        parts[0] += weight * depth;
        parts[1] += weight * (depth * speed + earth::gravity_m_s2 * top) / 2;
        parts[2] += weight * square(point.vorticity) / (2 * depth);
      });
  return {.mass = sums[0], .energy = sums[1], .enstrophy = sums[2]};
}

template <class Real>
void ShallowWater<Real>::add_heights(const ShallowWaterState<Real>& state, SphereMap& surface,
                                     SphereMap& ground) {
  integrate(state, 0,
            [&](std::vector<double>& /*parts*/, double /*weight*/, const Place& place,
                const Point& point) {
              surface.add(place.latitude, place.longitude, point.wind.height + point.surface);
              ground.add(place.latitude, place.longitude, point.surface);
            });
}

template class ShallowWater<float>;
template class ShallowWater<double>;

}  // namespace halocline::numerics
