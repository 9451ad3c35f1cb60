#include "halocline/numerics/layer_winds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/parabolas.hpp"
#include "halocline/numerics/williamson.hpp"

namespace halocline::numerics {
namespace {

constexpr double most_zonal = 1.6;               // out of 4, where waves along both directions grow
constexpr double divergence_damped = 1.0 / 128;  // of the square of a row's width, per time step

/// Ratio for recursions both ways round a circle: waves become 1 / (1 + 4 β sin²(kΔλ/2)).
double smoothing_ratio(double courant) {
  const double beta = (courant * courant * 4 / most_zonal - 1) / 4;
  if (beta <= 0) {
    return 0;
  }
  const double sum = 2 + 1 / beta;
  return (sum - std::sqrt(sum * sum - 4)) / 2;
}

}  // namespace

LayerWinds::LayerWinds(const CellGrid& grid, const CellRows& rows, Seconds time_step,
                       double wave_m_s)
    : grid_(grid),
      rows_(rows),
      time_step_s_(time_step.count()),
      line_(rows.width()),
      energy_(rows.size()),
      vorticity_(rows.size()),
      slopes_(rows.size()),
      edges_(rows.size()),
      first_(rows.size()),
      last_(rows.size()),
      turned_(rows.size()),
      crossing_(rows.width()),
      means_(rows.width()) {
  for (int row = rows.begin - 1; row < rows.end; ++row) {
    const double cell_m = earth::radius_m * grid.longitude_step *
                          grid.row_cosine[static_cast<std::size_t>(std::max(row, 0))];
    ratios_.push_back(smoothing_ratio(wave_m_s * time_step_s_ / cell_m));
  }
}

void LayerWinds::find_paths(const LayerFlow& flow, double* courant, double* swept) const {
  const std::size_t width = rows_.width();
  for (int row = rows_.begin - CellRows::ghosts; row < rows_.end + CellRows::ghosts; ++row) {
    const int inside =
        row < 0 ? -1 - row : (row < grid_.latitudes ? row : 2 * grid_.latitudes - 1 - row);
    const double cells_per_m =
        grid_.row_step / (earth::radius_m * grid_.longitude_step *
                          grid_.row_weight[static_cast<std::size_t>(inside)]);
    const double* const wind = flow.eastward + rows_.at(row);
    double* const passed = courant + rows_.at(row);
    for (std::size_t k = 0; k < width; ++k) {
      passed[k] = time_step_s_ * cells_per_m * wind[k];
    }
  }
  for (int edge = rows_.begin; edge <= rows_.end; ++edge) {
    const double per_m = grid_.edge_cosine[static_cast<std::size_t>(edge)] / earth::radius_m;
    const double* const wind = flow.southward + rows_.at(edge);
    double* const passed = swept + rows_.edge_at(edge);
    for (std::size_t k = 0; k < width; ++k) {
      passed[k] = time_step_s_ * per_m * wind[k];
    }
  }
}

void LayerWinds::push(const LayerFlow& flow, const double* mass, double geopotential_per_mass) {
  find_energy(flow, mass, geopotential_per_mass);
  find_vorticity(flow, 2 * earth::rotation_per_s);
  turn_eastward(flow);
  turn_southward(flow);
  const std::size_t width = rows_.width();
  for (int row = rows_.begin; row < rows_.end; ++row) {
    const auto index = static_cast<std::size_t>(row);
    const double* const energy = energy_.data() + rows_.at(row);
    const double per_cell =
        time_step_s_ / (earth::radius_m * grid_.longitude_step * grid_.row_cosine[index]);
    double* const eastward = flow.eastward + rows_.at(row);
    const double* const turned = turned_.data() + rows_.at(row);
    with_west(width, [&](std::size_t k, std::size_t west) {
      eastward[k] += turned[k] - per_cell * (energy[k] - energy[west]);
    });
    if (row > 0) {
      const double* const north = energy - width;
      const double per_row = time_step_s_ / (earth::radius_m * grid_.row_step);
      double* const southward = flow.southward + rows_.at(row);
      for (std::size_t k = 0; k < width; ++k) {
        southward[k] -= per_row * (energy[k] - north[k]);
      }
    }
  }
}

/// Energy whose differences drive winds: geopotential plus kinetic energy, reduced where air
/// converges so that the shortest waves fade.
void LayerWinds::find_energy(const LayerFlow& flow, const double* mass,
                             double geopotential_per_mass) {
  const std::size_t width = rows_.width();
  const double height_m = earth::radius_m * grid_.row_step;
  const double damping_m2_s = divergence_damped * height_m * height_m / time_step_s_;
  for (int row = std::max(rows_.begin - 1, 0); row < rows_.end; ++row) {
    const auto index = static_cast<std::size_t>(row);
    const double weight = grid_.row_weight[index];
    const double per_cell =
        damping_m2_s * grid_.row_step / (earth::radius_m * grid_.longitude_step * weight);
    const double of_north = grid_.edge_cosine[index] / (4 * grid_.row_cosine[index]);
    const double of_south = grid_.edge_cosine[index + 1] / (4 * grid_.row_cosine[index]);
    const double north_out = damping_m2_s * grid_.edge_cosine[index] / (earth::radius_m * weight);
    const double south_out =
        damping_m2_s * grid_.edge_cosine[index + 1] / (earth::radius_m * weight);
    const double* const air = mass + rows_.at(row);
    const double* const eastward = flow.eastward + rows_.at(row);
    const double* const north = flow.southward + rows_.at(row);
    const double* const south = north + width;
    double* const energy = energy_.data() + rows_.at(row);
    with_east(width, [&](std::size_t k, std::size_t next) {
      const double east = eastward[next];
      const double kinetic = 0.25 * (eastward[k] * eastward[k] + east * east) +
                             of_north * north[k] * north[k] + of_south * south[k] * south[k];
      const double gathered =
          per_cell * (east - eastward[k]) + (south_out * south[k] - north_out * north[k]);
      energy[k] = geopotential_per_mass * air[k] + kinetic - gathered;
    });
    smooth(row, energy);
  }
}

void LayerWinds::smooth(int row, double* values) const {
  const int place = row - rows_.begin + 1;
  const double ratio = ratios_[static_cast<std::size_t>(place)];
  if (ratio == 0) {
    return;
  }
  const std::size_t width = rows_.width();
  double all_around = 1;
  for (std::size_t k = 0; k < width; ++k) {
    all_around *= ratio;
  }
  // Start each recursion from its limit after many rounds.
  double kept = 0;
  for (std::size_t k = 0; k < width; ++k) {
    kept = ratio * kept + values[k];
  }
  kept /= 1 - all_around;
  for (std::size_t k = 0; k < width; ++k) {
    kept = ratio * kept + values[k];
    values[k] = kept;
  }
  kept = 0;
  for (std::size_t k = width; k-- > 0;) {
    kept = ratio * kept + values[k];
  }
  kept /= 1 - all_around;
  const double factor = (1 - ratio) * (1 - ratio);
  for (std::size_t k = width; k-- > 0;) {
    kept = ratio * kept + values[k];
    values[k] = factor * kept;
  }
}

void LayerWinds::find_vorticity(const LayerFlow& flow, double of_earth) {
  const std::size_t width = rows_.width();
  for (int edge = std::max(rows_.begin - CellRows::ghosts + 1, 1);
       edge < std::min(rows_.end + CellRows::ghosts, grid_.latitudes); ++edge) {
    const auto index = static_cast<std::size_t>(edge);
    const double weight = grid_.row_sine[index - 1] - grid_.row_sine[index];
    const double of_north = grid_.row_cosine[index - 1] / (earth::radius_m * weight);
    const double of_south = grid_.row_cosine[index] / (earth::radius_m * weight);
    const double of_sides = grid_.row_step / (earth::radius_m * grid_.longitude_step * weight);
    const double planet = of_earth * grid_.edge_sine[index];
    const double* const south = flow.eastward + rows_.at(edge);
    const double* const north = south - width;
    const double* const southward = flow.southward + rows_.at(edge);
    double* const vorticity = vorticity_.data() + rows_.at(edge);
    with_west(width, [&](std::size_t k, std::size_t west) {
      vorticity[k] = planet + (of_south * south[k] - of_north * north[k]) -
                     of_sides * (southward[k] - southward[west]);
    });
  }
  if (rows_.begin == 0) {
    find_vorticity_at_pole(flow, 0);
  }
  if (rows_.end == grid_.latitudes) {
    find_vorticity_at_pole(flow, grid_.latitudes);
  }
  for (const int pole : {0, grid_.latitudes}) {
    if (pole == 0 ? rows_.begin == 0 : rows_.end == grid_.latitudes) {
      double* const vorticity = vorticity_.data() + rows_.at(pole);
      const double planet = of_earth * grid_.edge_sine[static_cast<std::size_t>(pole)];
      for (std::size_t k = 0; k < width; ++k) {
        vorticity[k] += planet;
      }
    }
  }
  fill_edges_beyond_poles(grid_, rows_, vorticity_.data());
}

/// Vorticity of the cap inside the nearest circle of winds.
void LayerWinds::find_vorticity_at_pole(const LayerFlow& flow, int edge) {
  const std::size_t width = rows_.width();
  const int row = edge == 0 ? 0 : grid_.latitudes - 1;
  const auto index = static_cast<std::size_t>(row);
  const double* const wind = flow.eastward + rows_.at(row);
  double sum = 0;
  for (std::size_t k = 0; k < width; ++k) {
    sum += wind[k];
  }
  const double mean = sum / static_cast<double>(width);
  const double sign = edge == 0 ? 1 : -1;
  const double value = sign * mean * grid_.row_cosine[index] /
                       (earth::radius_m * (1 - std::abs(grid_.row_sine[index])));
  std::fill_n(vorticity_.data() + rows_.at(edge), width, value);
}

/// Vorticity carried between rows, through the points of eastward winds.
void LayerWinds::turn_eastward(const LayerFlow& flow) {
  const std::size_t width = rows_.width();
  const int begin = rows_.begin;
  const int end = rows_.end;
  const auto from = [&](std::vector<double>& field, int row) {
    return field.data() + rows_.at(row);
  };
  const auto rows_from = [&](int row, int behind) {
    return static_cast<std::size_t>(behind - row) * width;
  };
  // Corners act as cells, own edges as rows: those at `begin` to `end`.
  half_slopes(from(vorticity_, begin - 2), from(vorticity_, begin - 1), from(vorticity_, begin),
              from(slopes_, begin - 1), rows_from(begin - 1, end + 2));
  edge_values(from(vorticity_, begin - 1), from(vorticity_, begin), from(slopes_, begin - 1),
              from(slopes_, begin), from(edges_, begin), rows_from(begin, end + 2));
  limited_ends(from(vorticity_, begin), from(slopes_, begin), from(edges_, begin),
               from(edges_, begin + 1), from(first_, begin), from(last_, begin),
               rows_from(begin, end + 1));
  const double per_row = 1 / (earth::radius_m * grid_.row_step);
  for (int row = begin; row < end; ++row) {
    const auto index = static_cast<std::size_t>(row);
    const double of_north = grid_.edge_cosine[index] / (4 * grid_.row_cosine[index]);
    const double of_south = grid_.edge_cosine[index + 1] / (4 * grid_.row_cosine[index]);
    const double* const north = flow.southward + rows_.at(row);
    const double* const south = north + width;
    const std::size_t here = rows_.at(row);
    const std::size_t below = rows_.at(row + 1);
    with_west(width, [&](std::size_t k, std::size_t west) {
      const double passed_m = time_step_s_ * (of_north * (north[west] + north[k]) +
                                              of_south * (south[west] + south[k]));
      const double share = std::abs(passed_m) * per_row;
      const double from_north =
          mean_of_end(vorticity_[here + k], first_[here + k], last_[here + k], share);
      const double from_south =
          mean_of_beginning(vorticity_[below + k], first_[below + k], last_[below + k], share);
      turned_[here + k] = -passed_m * (passed_m > 0 ? from_north : from_south);
    });
  }
}

/// Vorticity carried along circles, through the points of southward winds.
void LayerWinds::turn_southward(const LayerFlow& flow) {
  const std::size_t width = rows_.width();
  for (int edge = std::max(rows_.begin, 1); edge < rows_.end; ++edge) {
    const double* const south = flow.eastward + rows_.at(edge);
    const double* const north = south - width;
    const double cell_m =
        earth::radius_m * grid_.longitude_step * grid_.edge_cosine[static_cast<std::size_t>(edge)];
    const double per_cell = time_step_s_ / (4 * cell_m);
    // Corners are the line's cells: the wind in the middle of cell k crosses the side between
    // corners k and k + 1.
    with_east(width, [&](std::size_t k, std::size_t east) {
      crossing_[east] = per_cell * (north[k] + north[east] + south[k] + south[east]);
    });
    line_.take(vorticity_.data() + rows_.at(edge));
    line_.means(crossing_.data(), means_.data());
    double* const southward = flow.southward + rows_.at(edge);
    with_east(width, [&](std::size_t k, std::size_t east) {
      southward[k] += cell_m * crossing_[east] * means_[east];
    });
  }
}

void LayerWinds::find_cells(const LayerFlow& flow, const CellFlow& cells) {
  const std::size_t width = rows_.width();
  find_vorticity(flow, 0);
  for (int row = rows_.begin; row < rows_.end; ++row) {
    const auto index = static_cast<std::size_t>(row);
    const double of_north = grid_.edge_cosine[index] / (2 * grid_.row_cosine[index]);
    const double of_south = grid_.edge_cosine[index + 1] / (2 * grid_.row_cosine[index]);
    const double* const eastward = flow.eastward + rows_.at(row);
    const double* const north = flow.southward + rows_.at(row);
    const double* const corner = vorticity_.data() + rows_.at(row);
    const std::size_t out = rows_.edge_at(row);
    with_east(width, [&](std::size_t k, std::size_t east) {
      cells.eastward[out + k] = 0.5 * (eastward[k] + eastward[east]);
      cells.southward[out + k] = of_north * north[k] + of_south * north[width + k];
      cells.vorticity[out + k] =
          0.25 * (corner[k] + corner[east] + corner[width + k] + corner[width + east]);
    });
  }
}

}  // namespace halocline::numerics
