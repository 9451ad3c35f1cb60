#include "halocline/numerics/layer_transport.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/numerics/parabolas.hpp"

namespace halocline::numerics {

LayerTransport::LayerTransport(const CellGrid& grid, const CellRows& rows)
    : grid_(grid),
      rows_(rows),
      line_(rows.width()),
      half_way_(rows.size()),
      slopes_(rows.size()),
      edges_(rows.size()),
      first_(rows.size()),
      last_(rows.size()),
      eastward_means_(static_cast<std::size_t>(rows.count()) * rows.width()),
      southward_means_(rows.edges_size()) {}

void LayerTransport::carry_mass(const LayerPaths& paths, double* mass, const LayerFluxes& fluxes) {
  find_means(paths, mass);
  const std::size_t width = rows_.width();
  const std::size_t own = rows_.at(rows_.begin);
  for (std::size_t k = 0; k < eastward_means_.size(); ++k) {
    fluxes.eastward[k] = paths.courant[own + k] * eastward_means_[k];
  }
  for (std::size_t k = 0; k < southward_means_.size(); ++k) {
    fluxes.southward[k] = paths.swept[k] * southward_means_[k];
  }
  for (int row = rows_.begin; row < rows_.end; ++row) {
    const double per_weight = 1 / grid_.row_weight[static_cast<std::size_t>(row)];
    const double* const west = fluxes.eastward + rows_.edge_at(row);
    const double* const north = fluxes.southward + rows_.edge_at(row);
    const double* const south = north + width;
    double* const own_row = mass + rows_.at(row);
    with_east(width, [&](std::size_t k, std::size_t east) {
      own_row[k] -= (west[east] - west[k]) + (south[k] - north[k]) * per_weight;
    });
  }
}

void LayerTransport::carry(const LayerPaths& paths, const LayerFluxes& fluxes,
                           const double* mass_before, const double* mass_after, double* tracer) {
  find_means(paths, tracer);
  const std::size_t width = rows_.width();
  for (std::size_t k = 0; k < eastward_means_.size(); ++k) {
    eastward_means_[k] *= fluxes.eastward[k];
  }
  for (std::size_t k = 0; k < southward_means_.size(); ++k) {
    southward_means_[k] *= fluxes.southward[k];
  }
  for (int row = rows_.begin; row < rows_.end; ++row) {
    const double per_weight = 1 / grid_.row_weight[static_cast<std::size_t>(row)];
    const double* const west = eastward_means_.data() + rows_.edge_at(row);
    const double* const north = southward_means_.data() + rows_.edge_at(row);
    const double* const south = north + width;
    const double* const before = mass_before + rows_.at(row);
    const double* const after = mass_after + rows_.at(row);
    double* const own_row = tracer + rows_.at(row);
    with_east(width, [&](std::size_t k, std::size_t east) {
      const double lost = (west[east] - west[k]) + (south[k] - north[k]) * per_weight;
      own_row[k] = (own_row[k] * before[k] - lost) / after[k];
    });
  }
}

/// Means of what passes each side. Each direction uses the field as the crosswind has carried it
/// for half the time, so that diagonal motion arrives where it should.
void LayerTransport::find_means(const LayerPaths& paths, const double* field) {
  const std::size_t width = rows_.width();
  for (int row = rows_.begin - CellRows::ghosts; row < rows_.end + CellRows::ghosts; ++row) {
    const double* const here = field + rows_.at(row);
    double* const half_way = half_way_.data() + rows_.at(row);
    line_.take(here);
    line_.carried(paths.courant + rows_.at(row), half_way);
    for (std::size_t k = 0; k < width; ++k) {
      half_way[k] = 0.5 * (here[k] + half_way[k]);
    }
  }
  find_southward_means(paths.swept);
  double* const half_way = half_way_.data();
  for (int row = rows_.begin; row < rows_.end; ++row) {
    const double per_weight = 1 / grid_.row_weight[static_cast<std::size_t>(row)];
    const double* const here = field + rows_.at(row);
    const double* const north = here - width;
    const double* const south = here + width;
    const double* const swept = paths.swept + rows_.edge_at(row);
    for (std::size_t k = 0; k < width; ++k) {
      const double passed = 0.5 * (swept[k] + swept[width + k]) * per_weight;
      const double difference = passed > 0 ? here[k] - north[k] : south[k] - here[k];
      half_way[k] = here[k] - 0.5 * passed * difference;
    }
    line_.take(half_way);
    line_.means(paths.courant + rows_.at(row), eastward_means_.data() + rows_.edge_at(row));
  }
}

void LayerTransport::find_southward_means(const double* swept) {
  const std::size_t width = rows_.width();
  const auto rows_from = [&](int row, int end) {
    return static_cast<std::size_t>(end - row) * width;
  };
  const int begin = rows_.begin;
  const int end = rows_.end;
  const auto from = [&](std::vector<double>& field, int row) {
    return field.data() + rows_.at(row);
  };
  half_slopes(from(half_way_, begin - 3), from(half_way_, begin - 2), from(half_way_, begin - 1),
              from(slopes_, begin - 2), rows_from(begin - 2, end + 2));
  edge_values(from(half_way_, begin - 2), from(half_way_, begin - 1), from(slopes_, begin - 2),
              from(slopes_, begin - 1), from(edges_, begin - 1), rows_from(begin - 1, end + 2));
  limited_ends(from(half_way_, begin - 1), from(slopes_, begin - 1), from(edges_, begin - 1),
               from(edges_, begin), from(first_, begin - 1), from(last_, begin - 1),
               rows_from(begin - 1, end + 1));
  for (int edge = begin; edge <= end; ++edge) {
    const auto weight_of = [&](int row) {  // nothing comes from beyond a pole
      return grid_.row_weight[static_cast<std::size_t>(std::clamp(row, 0, grid_.latitudes - 1))];
    };
    const double of_north = 1 / weight_of(edge - 1);
    const double of_south = 1 / weight_of(edge);
    const std::size_t north = rows_.at(edge - 1);
    const std::size_t south = rows_.at(edge);
    const double* const passed = swept + rows_.edge_at(edge);
    double* const means = southward_means_.data() + rows_.edge_at(edge);
    for (std::size_t k = 0; k < width; ++k) {
      const double from_north = mean_of_end(half_way_[north + k], first_[north + k],
                                            last_[north + k], std::abs(passed[k]) * of_north);
      const double from_south = mean_of_beginning(half_way_[south + k], first_[south + k],
                                                  last_[south + k], std::abs(passed[k]) * of_south);
      means[k] = passed[k] > 0 ? from_north : from_south;
    }
  }
}

}  // namespace halocline::numerics
