#include "halocline/numerics/layer_winds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/williamson.hpp"
#include "numerics/each_cell.hpp"

namespace halocline::numerics {
namespace {

/// A layer of shallow water that begins as a case of Williamson et al. (1992).
class ShallowLayer {
 public:
  ShallowLayer(int latitudes, int test_case, double step_s)
      : grid_(CellGrid::of(latitudes)),
        rows_{.begin = 0, .end = latitudes, .longitudes = grid_.longitudes},
        winds_(grid_, rows_, Seconds{step_s}, fastest_m_s),
        transport_(grid_, rows_),
        height_(rows_.size()),
        eastward_(rows_.size()),
        southward_(rows_.size()),
        courant_(rows_.size()),
        swept_(rows_.edges_size()),
        fluxes_east_(rows_.size()),
        fluxes_south_(rows_.edges_size()) {
    const auto test = williamson_case(test_case, 0);
    each_cell(rows_, [&](int row, std::size_t k) {
      const double west = static_cast<double>(k) * grid_.longitude_step;
      const double middle = west + grid_.longitude_step / 2;
      const auto index = static_cast<std::size_t>(row);
      const double latitude = std::asin(grid_.row_sine[index]);
      height_[rows_.at(row) + k] = test->flow({middle, latitude}, 0).height;
      eastward_[rows_.at(row) + k] = test->flow({west, latitude}, 0).eastward;
      if (row > 0) {
        southward_[rows_.at(row) + k] =
            -test->flow({middle, std::asin(grid_.edge_sine[index])}, 0).northward;
      }
    });
    first_ = height_;
  }

  void run(int steps) {
    const LayerFlow flow{.eastward = eastward_.data(), .southward = southward_.data()};
    for (int step = 0; step < steps; ++step) {
      fill();
      winds_.push(flow, height_.data(), earth::gravity_m_s2);
      fill();
      winds_.find_paths(flow, courant_.data(), swept_.data());
      transport_.carry_mass({.courant = courant_.data(), .swept = swept_.data()}, height_.data(),
                            {.eastward = fluxes_east_.data(), .southward = fluxes_south_.data()});
    }
  }

  double mass() const {
    double sum = 0;
    each_cell(rows_,
              [&](int row, std::size_t k) { sum += weight(row) * height_[rows_.at(row) + k]; });
    return sum;
  }

  double energy() const {
    double sum = 0;
    each_cell(rows_, [&](int row, std::size_t k) {
      const std::size_t at = rows_.at(row) + k;
      sum += weight(row) * height_[at] *
             (eastward_[at] * eastward_[at] + southward_[at] * southward_[at] +
              earth::gravity_m_s2 * height_[at]);
    });
    return sum;
  }

  /// Of the height, since the beginning.
  double change() const {
    double changed = 0;
    double all = 0;
    each_cell(rows_, [&](int row, std::size_t k) {
      const std::size_t at = rows_.at(row) + k;
      changed += weight(row) * std::pow(height_[at] - first_[at], 2);
      all += weight(row) * std::pow(first_[at], 2);
    });
    return std::sqrt(changed / all);
  }

 private:
  static constexpr double fastest_m_s = 420;

  double weight(int row) const { return grid_.row_weight[static_cast<std::size_t>(row)]; }

  void fill() {
    fill_beyond_poles(grid_, rows_, height_.data());
    fill_beyond_poles(grid_, rows_, eastward_.data());
  }

  CellGrid grid_;
  CellRows rows_;
  LayerWinds winds_;
  LayerTransport transport_;
  std::vector<double> height_;
  std::vector<double> eastward_;
  std::vector<double> southward_;
  std::vector<double> courant_;
  std::vector<double> swept_;
  std::vector<double> fluxes_east_;
  std::vector<double> fluxes_south_;
  std::vector<double> first_;
};

constexpr int steps_a_day = 192;

TEST(LayerWindsTest, a_steady_flow_stays) {
  ShallowLayer layer(46, 2, 86'400.0 / steps_a_day);
  const double mass = layer.mass();
  layer.run(steps_a_day);
  EXPECT_LT(layer.change(), 1e-4);
  EXPECT_NEAR(layer.mass() / mass, 1, 1e-13);
}

TEST(LayerWindsTest, a_rossby_haurwitz_wave_travels_and_keeps_its_energy) {
  ShallowLayer layer(46, 6, 86'400.0 / steps_a_day);
  const double mass = layer.mass();
  const double energy = layer.energy();
  layer.run(3 * steps_a_day);
  EXPECT_GT(layer.change(), 0.03);
  EXPECT_NEAR(layer.mass() / mass, 1, 1e-13);
  EXPECT_NEAR(layer.energy() / energy, 1, 0.01);
}

}  // namespace
}  // namespace halocline::numerics
