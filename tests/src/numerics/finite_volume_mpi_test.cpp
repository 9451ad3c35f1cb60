#include "halocline/numerics/finite_volume.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "halocline/protocol/catalogue.hpp"

namespace halocline::numerics {
namespace {

constexpr int latitudes = 51;
constexpr int level_count = 12;

/// Dynamics alone: temperature and two tracers vary, the third is the same everywhere.
class Air {
 public:
  Air(const mpi::Communicator& ranks, int along_vertical)
      : dynamics_(
            {.grid = grid_,
             .levels = levels_,
             .time_step = Seconds{450.0 * 361 / latitudes},
             .along_vertical = along_vertical,
             .way = {.protocol = &protocol::find("isend_irecv"), .near = bundle::Near::messages},
             .ranks = ranks,
             .on_phase = [](AtmospherePhase /*phase*/) {}},
            Pages::as_system),
        values_(2 * air::count * (levels_.count() + 1) * dynamics_.columns().size()) {}

  ColumnFields air() {
    return {.first = values_.data(),
            .levels = levels_.count() + 1,
            .columns = dynamics_.columns().size()};
  }
  ColumnFields pushes() {
    ColumnFields fields = air();
    fields.first += values_.size() / 2;
    return fields;
  }

  void run(int steps) {
    dynamics_.begin();
    const AirGrid grid = air_grid_of(grid_);
    for (std::size_t column = 0; column < dynamics_.columns().size(); ++column) {
      const Place place = grid.place(dynamics_.columns()[column]);
      for (std::size_t level = 0; level < levels_.count(); ++level) {
        air().at(air::temperature, level, column) =
            levels_.temperature(level) + 20 * std::cos(place.latitude);
        air().at(air::tracers, level, column) = 1.1 + std::sin(3 * place.longitude);
        air().at(air::tracers + 1, level, column) = 1.2 + std::sin(5 * place.latitude);
        air().at(air::tracers + 2, level, column) = constant;
        pushes().at(air::northward, level, column) = 1e-5 * std::cos(place.longitude);
      }
    }
    for (int step = 0; step < steps; ++step) {
      dynamics_.step(pushes(), air());
      if (step == 0) {
        kept_ = dynamics_.kept(air());
      }
    }
  }

  /// Bits of all values by the numbers of their columns.
  std::uint64_t checksum(const mpi::Communicator& ranks) {
    std::uint64_t sum = 0;
    for (std::size_t field = 0; field < air::count; ++field) {
      for (std::size_t level = 0; level < levels_.count(); ++level) {
        for (std::size_t column = 0; column < dynamics_.columns().size(); ++column) {
          const auto place = static_cast<std::uint64_t>(dynamics_.columns()[column]) * air::count +
                             field + 1'000'003 * level;
          sum += std::bit_cast<std::uint64_t>(air().at(field, level, column)) * (2 * place + 1);
        }
      }
    }
    return ranks.sum(sum);
  }

  double change_of_constant() {
    double most = 0;
    for (std::size_t level = 0; level < levels_.count(); ++level) {
      for (std::size_t column = 0; column < dynamics_.columns().size(); ++column) {
        most = std::max(most, std::abs(air().at(air::tracers + 2, level, column) / constant - 1));
      }
    }
    return most;
  }

  double change_of_kept() {
    const std::vector<double> after = dynamics_.kept(air());
    double most = 0;
    for (std::size_t index = 0; index < after.size(); ++index) {
      most = std::max(most, std::abs(after[index] / kept_[index] - 1));
    }
    return most;
  }

  FiniteVolume& dynamics() { return dynamics_; }

 private:
  static constexpr double constant = 0.3;

  CellGrid grid_ = CellGrid::of(latitudes);
  AirLevels levels_{level_count};
  FiniteVolume dynamics_;
  std::vector<double> values_;
  std::vector<double> kept_;
};

std::string refusal(int rows, int levels, int ranks, int along_vertical) {
  try {
    const FiniteVolumeSharing sharing(CellGrid::of(rows), levels, ranks, along_vertical);
    return "";
  } catch (const Skip& skip) {
    return skip.what();
  }
}

TEST(FiniteVolumeTest, has_the_same_bits_on_any_ranks_in_both_decompositions) {
  const auto world = mpi::Communicator::world();
  std::optional<std::uint64_t> first;
  for (int ranks = 1; ranks <= world.size(); ++ranks) {
    for (const int along_vertical : {1, 2, 4}) {
      const auto some = world.split(world.rank() < ranks ? 0 : -1);
      if (some && ranks % along_vertical == 0) {
        Air air(*some, along_vertical);
        air.run(3);
        const std::uint64_t checksum = air.checksum(*some);
        first = first.value_or(checksum);
        EXPECT_EQ(checksum, *first) << ranks << " ranks, " << along_vertical;
        EXPECT_LT(air.change_of_kept(), 1e-13);
        EXPECT_LT(air.change_of_constant(), 1e-13);
        EXPECT_EQ(air.dynamics().changed_on_the_way(7), 0);
      }
    }
  }
}

TEST(FiniteVolumeTest, stays_calm_for_days) {
  const auto world = mpi::Communicator::world();
  Air air(world, 1);
  air.run(60);
  EXPECT_LT(air.change_of_kept(), 1e-12);
  double fastest = 0;
  for (std::size_t level = 0; level < level_count; ++level) {
    for (std::size_t column = 0; column < air.dynamics().columns().size(); ++column) {
      fastest = std::max(fastest, std::abs(air.air().at(air::northward, level, column)));
    }
  }
  EXPECT_LT(fastest, 60);
  EXPECT_GT(fastest, 0.1);
}

TEST(FiniteVolumeTest, has_ghost_rows_at_its_own_levels_only) {
  const CellGrid grid = CellGrid::of(361);
  const double all_levels = FiniteVolume::bytes(grid, 26, 120, 1);
  const double some = FiniteVolume::bytes(grid, 26, 960, 8);  // as many ranks along latitude
  EXPECT_NEAR(all_levels / some, 8, 1e-9);
}

TEST(FiniteVolumeSharingTest, says_which_ranks_fit) {
  EXPECT_EQ(refusal(361, 26, 120, 1), "");
  EXPECT_EQ(refusal(361, 26, 960, 8), "");
  EXPECT_EQ(refusal(361, 26, 121, 1),
            "361 latitudes on 121 ranks; each takes at least 3; allowed: up to 120 ranks along "
            "latitude; choose dynamics_ranks=120, a larger along_vertical or more latitudes");
  EXPECT_EQ(refusal(361, 26, 968, 8),
            "361 latitudes on 121 ranks; each takes at least 3; allowed: up to 120 ranks along "
            "latitude; choose dynamics_ranks=960 or more latitudes");
  EXPECT_EQ(refusal(361, 26, 9, 9),
            "26 levels on 9 ranks; each takes at least 3; allowed: up to 8 ranks along the "
            "vertical; choose along_vertical=8 or more levels");
  EXPECT_EQ(refusal(361, 26, 9, 2),
            "dynamics on 9 ranks, 2 of them along the vertical; allowed: multiples; choose another "
            "along_vertical");
}

}  // namespace
}  // namespace halocline::numerics
