#include <gtest/gtest.h>

#include "halocline/measure/phases.hpp"
#include "halocline/workload/catalogue.hpp"
#include "support/loops.hpp"

namespace halocline::workload {
namespace {

using ShallowAxes = std::map<std::string, std::string>;

ShallowAxes axes_with(const ShallowAxes& others) {
  ShallowAxes axes{{"truncation", "10"},
                   {"levels", "32"},
                   {"case", "2"},
                   {"stepping", "semi_implicit"},
                   {"precision", "double"},
                   {"active", "shared"},
                   {"grid_y", "0"},
                   {"fourier", "transpose"},
                   {"legendre", "transpose"},
                   {"reproducible", "no"},
                   {"protocol", "isend_irecv"}};
  for (const auto& [name, value] : others) {
    axes[name] = value;
  }
  return axes;
}

class ShallowWaterLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(const ShallowAxes& others) const {
    return find("shallow_water").prepare(AxisValues(axes_with(others)), world_);
  }

  std::string reason(const ShallowAxes& others) const {
    return test::skip_reason([&] { prepare(others); });
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(ShallowWaterLoopTest, verifies_in_every_way_and_precision) {
  const std::vector<ShallowAxes> ways{
      {{"legendre", "transpose"}},  {{"legendre", "halving"}},
      {{"legendre", "ring"}},       {{"legendre", "allreduce"}, {"precision", "single"}},
      {{"fourier", "distributed"}}, {{"fourier", "distributed"}, {"protocol", "alltoallv"}},
      {{"protocol", "alltoallv"}},  {{"protocol", "put_fence"}, {"precision", "single"}}};
  for (int along_y = 1; along_y <= world_.size(); along_y *= 2) {
    for (ShallowAxes way : ways) {
      way["grid_y"] = std::to_string(along_y);
      // Nobody to share with: the same as the first way.
      if ((along_y == 1 && axes_with(way)["legendre"] != "transpose") ||
          (along_y == world_.size() && axes_with(way)["fourier"] != "transpose")) {
        EXPECT_NE(reason(way).find("with one rank along"), std::string::npos);
        continue;
      }
      const auto loop = prepare(way);
      loop->run(2);
      EXPECT_EQ(loop->verify(1), std::nullopt) << testing::PrintToString(way);
    }
  }
}

TEST_F(ShallowWaterLoopTest, has_the_same_bits_on_any_grid_of_ranks) {
  // Each of many ranks along an axis has a share.
  const std::string truncation = world_.size() > 8 ? "21" : "10";
  const std::string levels = std::to_string(8 * std::max(4, world_.size()));
  const ShallowAxes common{{"reproducible", "yes"}, {"truncation", truncation}, {"levels", levels}};
  const auto checked = [&](ShallowAxes axes) {
    axes.insert(common.begin(), common.end());
    return prepare(axes)->facts();
  };
  for (const char* test_case : {"4", "6"}) {
    const auto alone = checked({{"active", "all"}, {"case", test_case}});
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(alone[0].name, "checksum");
    for (int along_y = 1; along_y <= world_.size(); along_y *= 2) {
      for (const std::string legendre : {"transpose", "halving"}) {
        if (along_y == 1 && legendre == "halving") {
          continue;  // nobody to halve with
        }
        const auto shared = checked(
            {{"grid_y", std::to_string(along_y)}, {"legendre", legendre}, {"case", test_case}});
        EXPECT_EQ(shared.at(0).value, alone[0].value) << along_y << ' ' << legendre;
      }
    }
  }
  const auto other = checked({{"case", "5"}});
  const auto again = checked({{"case", "6"}});
  EXPECT_NE(other[0].value, again[0].value);
}

TEST_F(ShallowWaterLoopTest, counts_operations_and_phases) {
  const auto loop = prepare({});
  EXPECT_GT(loop->operations(), 0);
  EXPECT_EQ(loop->moved_bytes() > 0, world_.size() > 1);
  ASSERT_NE(loop->phases(), nullptr);
  EXPECT_EQ(loop->phases()->phases().size(), 6U);
}

TEST_F(ShallowWaterLoopTest, refuses_what_does_not_fit) {
  EXPECT_THROW(prepare({{"truncation", "11"}}), UsageError);
  EXPECT_THROW(prepare({{"active", "one"}, {"legendre", "ring"}}), Skip);
  if (world_.size() > 1) {
    EXPECT_THROW(prepare({{"reproducible", "yes"}, {"legendre", "ring"}, {"grid_y", "2"}}), Skip);
    EXPECT_THROW(prepare({{"levels", "1"}, {"grid_y", "1"}}), Skip);
    EXPECT_THROW(prepare({{"fourier", "distributed"}, {"grid_y", "1"}, {"reproducible", "yes"}}),
                 Skip);
    EXPECT_NE(prepare({{"fourier", "distributed"}, {"levels", "1"}, {"grid_y", "1"}}), nullptr);
  }
}

/// Verification looks at the state that was timed, too.
TEST_F(ShallowWaterLoopTest, every_case_stays_finite_for_five_days) {
  for (const char* test_case : {"1", "2", "3", "4", "5", "6"}) {
    for (const char* stepping : {"semi_implicit", "explicit"}) {
      for (const char* truncation : {"5", "10"}) {
        const auto loop =
            prepare({{"case", test_case}, {"stepping", stepping}, {"truncation", truncation}});
        loop->run(79);
        EXPECT_EQ(loop->verify(1), std::nullopt) << test_case << stepping << truncation;
      }
    }
  }
}

}  // namespace
}  // namespace halocline::workload
