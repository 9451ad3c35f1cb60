#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/memory_share.hpp"
#include "support/loops.hpp"

namespace halocline::workload {
namespace {

using test::fact;
using test::skip_reason;

using AirAxes = std::map<std::string, std::string>;

class AtmosphereLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(AirAxes changes) const {
    return prepare(std::move(changes), world_);
  }

  static std::unique_ptr<measure::TimedLoop> prepare(AirAxes changes,
                                                     const mpi::Communicator& ranks) {
    changes.insert({"core", "spectral"});
    const bool spectral = changes["core"] == "spectral";
    changes.insert({{"truncation", spectral ? "10" : "85"},
                    {"levels", "6"},
                    {"balance", "twin"},
                    {"dynamics_ranks", "0"},
                    {"stride", "1"},
                    {"along_longitude", "1"},
                    {"latitudes", spectral ? "361" : "31"},
                    {"along_vertical", "1"},
                    {"hour", "12"},
                    {"dynamics_protocol", "same"},
                    {"near", "messages"},
                    {"protocol", "isend_irecv"}});
    return find("atmosphere").prepare(AxisValues(changes), ranks);
  }

  std::string reason(const AirAxes& changes) const {
    return skip_reason([&] { prepare(changes); });
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(AtmosphereLoopTest, keeps_bits_under_every_balance_way_and_place_of_the_dynamics) {
  double first = 0;
  std::vector<AirAxes> all{{{"balance", "none"}},
                           {{"balance", "within_process"}},
                           {{"balance", "twin"}, {"near", "shared"}},
                           {{"balance", "wrapped"}, {"protocol", "alltoallv"}},
                           {{"balance", "sorted"}, {"stride", "2"}},
                           {{"balance", "sorted"}, {"dynamics_ranks", "1"}},
                           {{"balance", "none"}, {"dynamics_protocol", "alltoallv"}}};
  if (world_.size() > 1) {
    all.push_back({{"balance", "none"}, {"along_longitude", "2"}});
  }
  for (const AirAxes& axes : all) {
    const auto loop = prepare(axes);
    EXPECT_EQ(loop->verify(1), std::nullopt);
    loop->run(1);
    EXPECT_EQ(loop->verify(2), std::nullopt);
    first = first == 0 ? fact(*loop, "checksum") : first;
    EXPECT_EQ(fact(*loop, "checksum"), first);
  }
  EXPECT_GT(first, 0);
}

TEST_F(AtmosphereLoopTest, keeps_bits_of_finite_volumes_in_every_decomposition) {
  double first = 0;
  std::vector<AirAxes> all{{{"balance", "none"}, {"near", "shared"}},
                           {{"balance", "wrapped"}, {"protocol", "alltoallv"}},
                           {{"balance", "sorted"}, {"stride", "2"}},
                           {{"balance", "none"}, {"dynamics_protocol", "sendrecv"}}};
  if (world_.size() > 1) {
    all.push_back({{"along_vertical", "2"}});
    all.push_back({{"along_vertical", "2"}, {"near", "shared"}, {"balance", "none"}});
  }
  for (AirAxes& axes : all) {
    axes.insert({"core", "finite_volume"});
    const auto loop = prepare(axes);
    EXPECT_EQ(loop->verify(1), std::nullopt);
    loop->run(1);
    EXPECT_EQ(loop->verify(2), std::nullopt);
    first = first == 0 ? fact(*loop, "checksum") : first;
    EXPECT_EQ(fact(*loop, "checksum"), first);
  }
  EXPECT_GT(first, 0);
}

TEST_F(AtmosphereLoopTest, twenty_ways_and_more_carry_the_same_bits) {
  const double first =  // of transposes by messages
      fact(*prepare({{"near", "shared"}, {"protocol", "alltoallv"}}), "checksum");
  int ways = 1;
  for (const protocol::Protocol* way : protocol::all()) {
    if (protocol::missing(*way).empty()) {
      std::unique_ptr<measure::TimedLoop> loop;
      const std::string unusable =
          skip_reason([&] { loop = prepare({{"protocol", std::string{way->name}}}); });
      if (unusable.empty()) {
        EXPECT_EQ(fact(*loop, "checksum"), first) << way->name;
        ++ways;
      }
    }
  }
  EXPECT_GE(ways, 20);
}

TEST_F(AtmosphereLoopTest, keeps_bits_on_any_number_of_ranks) {
  const double all = fact(*prepare({}), "checksum");
  for (int ranks = 1; ranks < world_.size(); ++ranks) {
    const auto some = world_.split(world_.rank() < ranks ? 0 : -1);
    if (some) {
      EXPECT_EQ(fact(*prepare({}, *some), "checksum"), all);
    }
  }
  EXPECT_NE(fact(*prepare({{"hour", "13"}}), "checksum"), all);
}

TEST_F(AtmosphereLoopTest, says_how_even_the_physics_is) {
  EXPECT_LE(fact(*prepare({}), "imbalance"), 1.02);
  if (world_.size() == 2) {  // by day and by night
    const AirAxes halves{{"balance", "none"}, {"along_longitude", "2"}, {"hour", "6"}};
    EXPECT_GE(fact(*prepare(halves), "imbalance"), 1.3);
  }
}

TEST_F(AtmosphereLoopTest, its_phases_take_its_time) {
  const std::string unused = world_.size() == 1 ? "transposes" : "";
  test::expect_phases_take_the_time(*prepare({{"truncation", "21"}}), unused);
  test::expect_phases_take_the_time(*prepare({{"core", "finite_volume"}}));
}

TEST_F(AtmosphereLoopTest, a_protocol_that_the_dynamics_cannot_use_is_skipped_on_all_ranks) {
  for (const char* const name : {"partitioned", "shmem_put"}) {
    if (world_.size() > 2 && protocol::missing(protocol::find(name)).empty()) {
      const std::string why = reason({{"dynamics_ranks", "2"}, {"dynamics_protocol", name}});
      EXPECT_EQ(why, world_.broadcast(why)) << name;
    }
  }
}

TEST_F(AtmosphereLoopTest, announces_the_memory_of_the_node_before_it_is_allocated) {
  constexpr double own_bytes = 1000;
  const std::size_t needed = 1000 * world_.node().sum(1);
  testing::internal::CaptureStdout();
  require_memory("truncation 21", own_bytes, 75, "fewer levels", world_);
  const std::string announced = testing::internal::GetCapturedStdout();
  EXPECT_EQ(announced, world_.rank() == 0
                           ? "halocline: memory bytes=" + std::to_string(needed) + " percent=1\n"
                           : "");
}

TEST_F(AtmosphereLoopTest, does_not_take_the_memory_that_others_hold) {
  const double all_bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  EXPECT_NE(skip_reason([&] {
              require_memory("truncation 340", all_bytes, 100'000, "fewer levels", world_);
            }).find("more than other programs or sides of the comparison leave; end them, "),
            std::string::npos);
}

TEST_F(AtmosphereLoopTest, says_what_cannot_be_measured) {
  EXPECT_NE(reason({{"dynamics_ranks", "9"}})
                .find("truncation 10 has 8 pairs of latitudes; allowed: up to 8; choose "
                      "dynamics_ranks=8"),
            std::string::npos);
  EXPECT_NE(reason({{"dynamics_ranks", "8"}, {"stride", "2"}}).find("choose fewer dynamics_ranks"),
            std::string::npos);
  EXPECT_NE(skip_reason([&] {
              require_memory("truncation 340", 1e15, 75, "fewer levels", world_);
            }).find("% of its memory; allowed: up to 75 %; choose fewer levels"),
            std::string::npos);
  EXPECT_THROW(prepare({{"truncation", "43"}}), UsageError);
  EXPECT_EQ(reason({{"along_vertical", "2"}}),
            "along_vertical=2 with core=spectral, which ignores it; allowed: 1; "
            "choose along_vertical=1 or core=finite_volume");
  EXPECT_EQ(reason({{"latitudes", "91"}}),
            "latitudes=91 with core=spectral, which ignores it; allowed: 361; "
            "choose latitudes=361 or core=finite_volume");
  AirAxes copied{{"near", "shared"}, {"dynamics_protocol", "alltoallv"}, {"protocol", "sendrecv"}};
  EXPECT_NE(reason(copied).find("protocols do not differ"), std::string::npos);
  copied["core"] = "finite_volume";
  EXPECT_NE(reason(copied).find("protocols do not differ"), std::string::npos);
  copied["protocol"] = "isend_irecv";
  EXPECT_NE(reason(copied).find("choose dynamics_protocol=same or near=messages"),
            std::string::npos);
  for (const char* const axis : {"along_longitude", "truncation"}) {
    EXPECT_NE(reason({{"core", "finite_volume"}, {axis, "42"}}).find("or core=spectral"),
              std::string::npos);
  }
  EXPECT_NE(reason({{"core", "finite_volume"}, {"dynamics_ranks", "11"}})
                .find("31 latitudes on 11 ranks; each takes at least 3; allowed: up to 10"),
            std::string::npos);
  if (world_.size() > 1) {
    EXPECT_NE(reason({{"balance", "none"}, {"dynamics_ranks", "1"}})
                  .find("choose balance=twin, wrapped or sorted"),
              std::string::npos);
  }
}

/// Verification looks at the state that was timed, too.
TEST_F(AtmosphereLoopTest, stays_finite_until_it_begins_anew) {
  for (const AirAxes& axes :
       {AirAxes{{"truncation", "5"}, {"levels", "2"}},
        AirAxes{{"core", "finite_volume"}, {"latitudes", "10"}, {"levels", "2"}},
        AirAxes{{"core", "finite_volume"}, {"latitudes", "46"}, {"levels", "2"}}}) {
    AirAxes changes = axes;
    changes["dynamics_ranks"] = std::to_string(std::min(world_.size(), 2));
    const auto loop = prepare(changes);
    loop->run(499);
    EXPECT_EQ(loop->verify(1), std::nullopt) << testing::PrintToString(axes);
  }
}

}  // namespace
}  // namespace halocline::workload
