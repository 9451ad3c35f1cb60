#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "halocline/base/pattern.hpp"
#include "halocline/numerics/sphere_transform.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::numerics {
namespace {

constexpr int lanes = lanes_of<double>;
constexpr int width = 2 * lanes;
constexpr int groups = 2;
constexpr int fields = 2;

/// A number in -1 to 1 that belongs to a coefficient, whoever has it.
double coefficient(int order, int degree, int column) {
  const auto index = static_cast<std::size_t>((order * 1024 + degree) * 1024 + column);
  return static_cast<double>(pattern_word(7, index) >> 11U) * 0x1.0p-52 - 1;
}

using PointName = std::tuple<int, int, int, int>;  // pair, longitude, group, field
using Points = std::map<PointName, double>;        // of the last lane of the south

class DistributedFourierTest : public testing::Test {
 protected:
  template <class Visit>
  static void for_each_coefficient(const SphereTransform<double>& transform, Visit visit) {
    const SpectralRows& rows = transform.rows();
    const int columns = transform.groups().count * fields * width;
    for (std::size_t position = 0; position < rows.orders().size(); ++position) {
      const int order = rows.orders()[position];
      for (int step = 0; step < rows.degrees(position) - 1; ++step) {
        for (int column = 0; column < columns; ++column) {
          const auto at =
              static_cast<std::size_t>((rows.first(position) + step) * columns + column);
          const bool imaginary = column % width >= lanes;
          const int named = transform.groups().begin * fields * width + column;
          visit(at, order == 0 && imaginary ? 0.0 : coefficient(order, order + step, named));
        }
      }
    }
  }

  /// The points of this rank after a transform to the grid; and none of the coefficients may have
  /// changed on the way back.
  Points points(const SphereWay& way) const {
    SphereTransform<double> transform(grid_,
                                      {.groups = groups, .fields_in = fields, .fields_out = fields},
                                      way, world_, Pages::as_system);
    const auto length = static_cast<std::size_t>(transform.rows().count() *
                                                 transform.groups().count * fields * width);
    std::vector<double> there(length);
    std::vector<double> back(length);
    for_each_coefficient(transform, [&](std::size_t at, double value) { there[at] = value; });
    Points points;
    transform.run(
        there,
        [&](const GridBatch<double>& batch) {
          for (int field = 0; field < fields; ++field) {
            for (int longitude = 0; longitude < batch.longitudes; ++longitude) {
              const double* const point =
                  batch.in + field * batch.in_step + std::ptrdiff_t{longitude} * width;
              points[{batch.pair, batch.first_longitude + longitude, batch.group, field}] =
                  point[width - 1];
            }
            std::copy_n(batch.in + field * batch.in_step, batch.longitudes * width,
                        batch.out + field * batch.out_step);
          }
        },
        back);
    for_each_coefficient(transform, [&](std::size_t at, double value) {
      EXPECT_NEAR(back[at], value, 1e-13) << at;
    });
    return points;
  }

  SpectralGrid grid_ = SpectralGrid::of(10);
  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(DistributedFourierTest, has_the_points_of_a_transform_on_one_rank) {
  const Points alone = points({});
  for (int along_latitude = 1; along_latitude <= world_.size(); along_latitude *= 2) {
    const SphereWay way{.along_longitude = world_.size() / along_latitude,
                        .along_latitude = along_latitude,
                        .fourier = FourierWay::distributed,
                        .protocol = &protocol::find("isend_irecv")};
    const Points shared = points(way);
    EXPECT_EQ(shared.size() * static_cast<std::size_t>(world_.size()), alone.size());
    for (const auto& [name, value] : shared) {
      EXPECT_NEAR(value, alone.at(name), 1e-13);
    }
  }
}

TEST_F(DistributedFourierTest, refuses_ranks_that_do_not_halve_the_longitudes) {
  const auto sharing = [this](int along_longitude) {
    return SphereSharing(grid_, groups,
                         {.along_longitude = along_longitude, .fourier = FourierWay::distributed});
  };
  EXPECT_THROW(sharing(3), Skip);
  EXPECT_THROW(sharing(16), Skip);  // 11 orders
  EXPECT_EQ(sharing(8).frequency_class(3), 6);
}

}  // namespace
}  // namespace halocline::numerics
