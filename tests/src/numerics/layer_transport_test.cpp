#include "halocline/numerics/layer_transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "numerics/each_cell.hpp"

namespace halocline::numerics {
namespace {

constexpr double pi = std::numbers::pi;

/// Once around the Earth in twelve days, about an axis that is turned by an angle (Williamson et
/// al. 1992, case 1).
class SolidBodyRotation {
 public:
  SolidBodyRotation(int latitudes, double turned_by)
      : grid_(CellGrid::of(latitudes)),
        rows_{.begin = 0, .end = latitudes, .longitudes = grid_.longitudes},
        steps_(7 * latitudes),
        courant_(rows_.size()),
        swept_(rows_.edges_size()),
        eastward_(rows_.size()),
        southward_(rows_.edges_size()),
        mass_(rows_.size(), 2.5),
        constant_(rows_.size(), 0.3),
        bell_(rows_.size()),
        first_(rows_.size()) {
    const double turn = 2 * pi / steps_ / grid_.longitude_step;
    const auto stream = [&](int edge, std::size_t longitude) {
      const auto index = static_cast<std::size_t>(edge);
      return turn * (grid_.edge_sine[index] * std::cos(turned_by) -
                     std::cos(static_cast<double>(longitude) * grid_.longitude_step) *
                         grid_.edge_cosine[index] * std::sin(turned_by));
    };
    each_cell(rows_, [&](int row, std::size_t k) {
      courant_[rows_.at(row) + k] =
          (stream(row, k) - stream(row + 1, k)) / grid_.row_weight[static_cast<std::size_t>(row)];
      swept_[rows_.edge_at(row) + k] = stream(row, (k + 1) % rows_.width()) - stream(row, k);
      first_[rows_.at(row) + k] = height(row, k);
    });
    fill_beyond_poles(grid_, rows_, courant_.data());
    bell_ = first_;
  }

  void run() {
    LayerTransport transport(grid_, rows_);
    const LayerPaths paths{.courant = courant_.data(), .swept = swept_.data()};
    const LayerFluxes fluxes{.eastward = eastward_.data(), .southward = southward_.data()};
    for (int step = 0; step < steps_; ++step) {
      for (std::vector<double>* field : {&mass_, &constant_, &bell_}) {
        fill_beyond_poles(grid_, rows_, field->data());
      }
      const std::vector<double> before = mass_;
      transport.carry_mass(paths, mass_.data(), fluxes);
      for (std::vector<double>* field : {&constant_, &bell_}) {
        transport.carry(paths, fluxes, before.data(), mass_.data(), field->data());
      }
    }
  }

  double bell_mass() const {
    double sum = 0;
    each_cell(rows_, [&](int row, std::size_t k) {
      const std::size_t at = rows_.at(row) + k;
      sum += grid_.row_weight[static_cast<std::size_t>(row)] * mass_[at] * bell_[at];
    });
    return sum;
  }

  /// Of the bell after the turn.
  double error(double power) const {
    double wrong = 0;
    double all = 0;
    each_cell(rows_, [&](int row, std::size_t k) {
      const std::size_t at = rows_.at(row) + k;
      const double weight = grid_.row_weight[static_cast<std::size_t>(row)];
      wrong += weight * std::pow(std::abs(bell_[at] - first_[at]), power);
      all += weight * std::pow(first_[at], power);
    });
    return std::pow(wrong / all, 1 / power);
  }

  /// How far a field is from what it was everywhere.
  double change_of_constant() const { return change(constant_, 0.3); }
  double change_of_mass() const { return change(mass_, 2.5); }

  double longest_courant() const { return std::ranges::max(courant_); }

 private:
  double height(int row, std::size_t k) const {
    constexpr double radius = 1.0 / 3;
    const double longitude = (static_cast<double>(k) + 0.5) * grid_.longitude_step;
    const double distance =
        std::acos(grid_.row_cosine[static_cast<std::size_t>(row)] * std::cos(longitude - 1.5 * pi));
    return distance < radius ? 500 * (1 + std::cos(pi * distance / radius)) : 0;
  }

  double change(const std::vector<double>& field, double value) const {
    double most = 0;
    each_cell(rows_, [&](int row, std::size_t k) {
      most = std::max(most, std::abs(field[rows_.at(row) + k] / value - 1));
    });
    return most;
  }

  CellGrid grid_;
  CellRows rows_;
  int steps_;
  std::vector<double> courant_;
  std::vector<double> swept_;
  std::vector<double> eastward_;
  std::vector<double> southward_;
  std::vector<double> mass_;
  std::vector<double> constant_;
  std::vector<double> bell_;
  std::vector<double> first_;
};

class LayerTransportTest : public testing::TestWithParam<double> {};

/// Runs it, and expects that it keeps the bell's mass and what is the same everywhere.
void run_keeping(SolidBodyRotation& rotation) {
  const double mass = rotation.bell_mass();
  rotation.run();
  EXPECT_LT(std::abs(rotation.bell_mass() / mass - 1), 1e-13);
  EXPECT_LT(rotation.change_of_constant(), 1e-13);
  EXPECT_LT(rotation.change_of_mass(), 1e-13);
}

TEST_P(LayerTransportTest, keeps_mass_and_constants) {
  SolidBodyRotation rotation(46, GetParam());
  run_keeping(rotation);
}

TEST_P(LayerTransportTest, a_bell_returns_better_the_finer_the_grid) {
  std::vector<double> first_norms;
  std::vector<double> second_norms;
  for (const int latitudes : {46, 91, 136}) {
    SolidBodyRotation rotation(latitudes, GetParam());
    run_keeping(rotation);
    first_norms.push_back(rotation.error(1));
    second_norms.push_back(rotation.error(2));
  }
  RecordProperty("l1_at_136", std::to_string(first_norms.back()));
  RecordProperty("l2_at_136", std::to_string(second_norms.back()));
  const auto order = [](double coarse, double fine, double ratio) {
    return std::log(coarse / fine) / std::log(ratio);
  };
  for (const std::vector<double>& norms : {first_norms, second_norms}) {
    EXPECT_GT(order(norms[0], norms[1], 91.0 / 46), 1.8);
    EXPECT_GT(order(norms[1], norms[2], 136.0 / 91), 1.3);
  }
  EXPECT_LT(second_norms.back(), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Angles, LayerTransportTest, testing::Values(0.0, pi / 2));

TEST(SolidBodyRotationTest, crosses_the_poles_by_more_than_a_cell_a_step) {
  EXPECT_GT(SolidBodyRotation(91, pi / 2).longest_courant(), 10);
}

}  // namespace
}  // namespace halocline::numerics
