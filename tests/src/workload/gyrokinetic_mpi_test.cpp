#include <gtest/gtest.h>

#include <map>

#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"
#include "support/loops.hpp"

namespace halocline::workload {
namespace {

using test::fact;
using test::skip_reason;

using PlasmaAxes = std::map<std::string, std::string>;

class GyrokineticLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(PlasmaAxes changes,
                                              const mpi::Communicator& ranks) const {
    changes.insert({{"case", "b1_std"},
                    {"modes", std::to_string(ranks.size())},
                    {"radii", "6"},
                    {"pitch_angles", "3"},
                    {"energies", "3"},
                    {"orbit_points", "3"},
                    {"pieces", "1"},
                    {"near", "messages"},
                    {"protocol", "isend_irecv"}});
    return find("gyrokinetic").prepare(AxisValues(changes), ranks);
  }
  std::unique_ptr<measure::TimedLoop> prepare(const PlasmaAxes& changes) const {
    return prepare(changes, world_);
  }

  std::string reason(const PlasmaAxes& changes) const {
    return skip_reason([&] { prepare(changes); });
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(GyrokineticLoopTest, verifies_in_both_cases_on_every_grid_of_ranks) {
  for (int modes = 1; modes <= world_.size(); modes *= 2) {
    for (const auto& axes :
         {PlasmaAxes{{"near", "shared"}, {"pieces", "2"}}, PlasmaAxes{{"case", "b3_gtc"}},
          PlasmaAxes{{"radii", "1"}, {"pitch_angles", "1"}, {"orbit_points", "5"}},
          PlasmaAxes{{"radii", "9"}, {"protocol", "alltoallv"}, {"pieces", "2"}}}) {
      PlasmaAxes all = axes;
      all["modes"] = std::to_string(modes);
      const auto loop = prepare(all);
      EXPECT_EQ(loop->verify(1), std::nullopt) << modes;
      loop->run(2);
      EXPECT_EQ(loop->verify(2), std::nullopt) << modes;
      EXPECT_EQ(loop->moved_bytes() == 0,
                world_.size() == 1 || (modes == 1 && all["case"] == "b3_gtc"));
    }
  }
}

TEST_F(GyrokineticLoopTest, has_the_same_bits_on_any_number_of_ranks) {
  for (int modes = 1; modes <= world_.size(); modes *= 2) {
    const PlasmaAxes axes{{"modes", std::to_string(modes)}, {"radii", "8"}};
    // The fewest ranks that hold the modes, and all.
    const auto few = world_.split(world_.rank() < modes ? 0 : -1);
    double expected = 0;
    if (few) {
      expected = fact(*prepare(axes, *few), "checksum");
      EXPECT_GT(expected, 0);
    }
    expected = static_cast<double>(world_.maximum(static_cast<std::int64_t>(expected)));
    for (const char* pieces : {"1", "3"}) {
      PlasmaAxes in_pieces = axes;
      in_pieces["pieces"] = pieces;
      EXPECT_EQ(fact(*prepare(in_pieces), "checksum"), expected) << modes << ' ' << pieces;
    }
    PlasmaAxes others = axes;
    others["radii"] = "9";
    EXPECT_NE(fact(*prepare(others), "checksum"), expected);
  }
}

TEST_F(GyrokineticLoopTest, its_phases_take_its_time) {
  const auto loop = prepare({{"radii", "48"}});
  test::expect_phases_take_the_time(*loop);
  EXPECT_GT(loop->operations(), 0);
}

TEST_F(GyrokineticLoopTest, says_what_cannot_be_measured) {
  const std::string several = std::to_string(2 * world_.size());
  EXPECT_EQ(reason({{"modes", several}}),
            "columns of " + several + " ranks, one for each mode, cannot be made of " +
                std::to_string(world_.size()) + "; allowed: multiples of " + several +
                "; choose --ranks " + several + ", or modes=" + std::to_string(world_.size()));
  EXPECT_NE(reason({{"pieces", "100"}}).find("lines, too few for pieces=100; allowed: up to "),
            std::string::npos);
  EXPECT_THROW(prepare({{"pieces", "101"}}), UsageError);  // communicators
  const std::string large =
      reason({{"radii", "100000"}, {"pitch_angles", "1024"}, {"energies", "1024"}});
  EXPECT_NE(large.find(" x 100000 x 1024 x 1024 x 3 points takes "), std::string::npos) << large;
  EXPECT_NE(large.find("% of its memory; allowed: up to 75 %; choose a smaller grid"),
            std::string::npos)
      << large;
}

}  // namespace
}  // namespace halocline::workload
