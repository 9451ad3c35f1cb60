#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>

#include "halocline/coupling/coupled_model.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/catalogue.hpp"
#include "support/damage.hpp"
#include "support/loops.hpp"
#include "support/scratch.hpp"

namespace halocline::workload {
namespace {

using test::fact;
using test::skip_reason;

using CoupledAxes = std::map<std::string, std::string>;

class CoupledLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(CoupledAxes changes) const {
    return prepare(std::move(changes), world_);
  }

  std::unique_ptr<measure::TimedLoop> prepare(CoupledAxes changes,
                                              const mpi::Communicator& ranks) const {
    changes.insert({{"arrangement", "sequential"},
                    {"atmosphere_ranks", "0"},
                    {"ocean_ranks", "0"},
                    {"land_ranks", "0"},
                    {"ice_ranks", "0"},
                    {"truncation", "5"},
                    {"atmosphere_levels", "2"},
                    {"grid", "x4"},
                    {"ocean_levels", "2"},
                    {"iterations", "2"},
                    {"days", "1"},
                    {"couplings_per_day", "8"},
                    {"history", "none"},
                    {"restart", "none"},
                    {"near", "messages"},
                    {"protocol", "isend_irecv"}});
    Setting setting;
    setting.files = folder_;
    return find("coupled").prepare(AxisValues(changes, setting), ranks);
  }

  std::string reason(const CoupledAxes& changes) const {
    return skip_reason([&] { prepare(changes); });
  }

  static double checksum_of(measure::TimedLoop& loop) {
    loop.synchronise();
    loop.run(1);
    EXPECT_EQ(loop.verify(1), std::nullopt);
    return fact(loop, "checksum");
  }

  mpi::Communicator world_ = mpi::Communicator::world();
  test::Scratch scratch_{world_};
  std::filesystem::path folder_ = scratch_ / "run";
};

TEST_F(CoupledLoopTest, a_protocol_that_one_component_cannot_use_is_skipped_on_all_ranks) {
  for (const char* const name : {"partitioned", "shmem_put"}) {
    if (world_.size() > 2 && protocol::missing(protocol::find(name)).empty()) {
      const std::string why = reason({{"atmosphere_ranks", "2"}, {"protocol", name}});
      EXPECT_EQ(why, world_.broadcast(why)) << name;
    }
  }
}

TEST_F(CoupledLoopTest, has_the_same_bits_in_every_layout_on_any_number_of_ranks) {
  const auto alone = world_.split(world_.rank());
  const double expected = checksum_of(*prepare({}, *alone));
  EXPECT_EQ(checksum_of(*prepare({})), expected);
  if (world_.size() > 1) {
    EXPECT_EQ(checksum_of(*prepare({{"arrangement", "mixed"}, {"near", "shared"}})), expected);
    EXPECT_EQ(checksum_of(*prepare({{"ocean_ranks", "1"}, {"land_ranks", "1"}})), expected);
  }
  if (world_.size() > 3) {
    EXPECT_EQ(checksum_of(*prepare({{"arrangement", "concurrent"}, {"protocol", "alltoallv"}})),
              expected);
    EXPECT_EQ(checksum_of(*prepare({{"arrangement", "mixed"},
                                    {"atmosphere_ranks", "2"},
                                    {"land_ranks", "1"},
                                    {"ice_ranks", "1"}})),
              expected);
  }
}

TEST_F(CoupledLoopTest, continues_from_a_checkpoint_in_any_layout) {
  const double expected = checksum_of(*prepare({{"history", "written"}}));
  const std::string checkpoint = (folder_ / "checkpoint.nc").string();
  EXPECT_EQ(checksum_of(*prepare({{"restart", checkpoint}})), expected);
  const auto alone = world_.split(world_.rank());
  EXPECT_EQ(checksum_of(*prepare({{"restart", checkpoint}}, *alone)), expected);
  for (const char* const name : {"beginning.nc", "middle.nc", "end.nc"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
  }
  EXPECT_NE(reason({{"restart", checkpoint}, {"ocean_levels", "3"}}), "");
  EXPECT_NE(reason({{"restart", (folder_ / "middle.nc").string()}}), "");
  world_.barrier();
}

/// A checkpoint, and the model that continues from it.
class CheckpointTest : public CoupledLoopTest {
 protected:
  CheckpointTest() {
    checksum_of(*prepare({{"history", "written"}}));
    if (world_.rank() == 0) {
      std::ifstream file(checkpoint_, std::ios::binary);
      sound_.assign(std::istreambuf_iterator<char>(file), {});
    }
  }

  /// Why the model does not continue from these bytes, which rank 0 has.
  std::string refusal(const std::string& bytes) const {
    if (world_.rank() == 0) {
      std::ofstream(damaged_, std::ios::binary) << bytes;
    }
    return reason({{"restart", damaged_}});
  }

  std::string checkpoint_ = (folder_ / "checkpoint.nc").string();
  std::string damaged_ = (folder_ / "damaged.nc").string();
  std::string sound_;
};

TEST_F(CheckpointTest, continues_only_with_what_the_run_before_had) {
  EXPECT_NE(reason({{"restart", checkpoint_}, {"iterations", "3"}})
                .find(checkpoint_ +
                      " holds other fields or another grid: its barotropic_iterations differs"),
            std::string::npos);
  EXPECT_NE(reason({{"restart", checkpoint_}, {"couplings_per_day", "12"}})
                .find("its seconds_between_couplings differs"),
            std::string::npos);
}

TEST_F(CheckpointTest, names_the_field_with_a_flipped_bit) {
  std::string bytes = sound_;
  if (!bytes.empty()) {
    bytes[bytes.size() - 1000] ^= 1;  // of the last field
  }
  const std::string words = refusal(bytes);
  EXPECT_NE(words.find(damaged_ + " is damaged: the checksum of ice_3 differs"), std::string::npos)
      << words;
}

/// HALOCLINE_FUZZ=2000 tries as many.
TEST_F(CheckpointTest, refuses_every_damaged_one) {
  const char* const asked = std::getenv("HALOCLINE_FUZZ");
  const int inputs = asked != nullptr ? std::atoi(asked) : 12;
  std::mt19937 random(static_cast<unsigned>(19));
  for (int input = 0; input < inputs; ++input) {
    const std::string words = refusal(test::damaged(sound_, random));
    EXPECT_NE(words.find("damaged.nc"), std::string::npos) << input << ": " << words;
    EXPECT_NE(words.find("; choose"), std::string::npos) << input << ": " << words;
  }
}

TEST_F(CoupledLoopTest, skips_a_folder_that_cannot_be_written) {
  const std::filesystem::path file = folder_ / "file";
  if (world_.rank() == 0) {
    std::filesystem::create_directories(folder_);
    std::ofstream{file};
  }
  world_.barrier();
  folder_ = file / "below";
  const std::string words = reason({{"history", "written"}});
  EXPECT_NE(words.find("cannot write " + (folder_ / "checkpoint.nc").string() +
                       ": Not a directory; choose a folder"),
            std::string::npos)
      << words;
}

TEST_F(CoupledLoopTest, refuses_what_does_not_fit_the_memory) {
  const std::string words =
      reason({{"grid", "tenth"}, {"ocean_levels", "200"}, {"truncation", "340"}});
  EXPECT_NE(words.find("truncation 340 with 2 levels over a grid of 3600 x 2400 cells with 200 "
                       "levels takes "),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("% of its memory; allowed: up to 75 %; choose a smaller grid"),
            std::string::npos);
}

TEST_F(CoupledLoopTest, ranks_without_a_component_wait_for_none) {
  const auto loop = prepare(
      {{"atmosphere_ranks", "1"}, {"ocean_ranks", "1"}, {"land_ranks", "1"}, {"ice_ranks", "1"}});
  loop->synchronise();
  loop->phases()->reset();
  loop->run(1);
  for (std::size_t component = 0; component < coupling::component_count; ++component) {
    const bool waits = world_.rank() == 0 && component + 1 == coupling::component_count;
    EXPECT_EQ(loop->phases()->elapsed()[coupling::phase::wait + component].count() > 0, waits);
  }
}

TEST_F(CoupledLoopTest, says_what_each_rank_did) {
  const auto loop = prepare({{"history", "written"}});
  loop->synchronise();
  loop->phases()->reset();
  loop->run(1);
  const auto elapsed = loop->phases()->elapsed();
  ASSERT_EQ(elapsed.size(), coupling::phase::count);
  for (std::size_t component = 0; component < coupling::component_count; ++component) {
    EXPECT_GT(elapsed[coupling::phase::run + component].count(), 0);
    EXPECT_GT(loop->phases()->phases()[component].operations, 0);
  }
  EXPECT_GT(elapsed[coupling::phase::coupling].count(), 0);
  EXPECT_GT(elapsed[coupling::phase::files].count(), 0);
  EXPECT_EQ(fact(*loop, "steps_per_day"), 1);
  std::size_t sent_bytes = 0;
  for (const measure::Phase& phase : loop->phases()->phases()) {
    sent_bytes += phase.sent_bytes;
  }
  EXPECT_EQ(loop->moved_bytes(), world_.sum(sent_bytes));
  EXPECT_EQ(sent_bytes > 0, world_.size() > 1);
  const std::vector<int> nodes = every_rank(world_.size());  // each its own
  EXPECT_LE(loop->off_node_bytes(nodes), sent_bytes);
  EXPECT_GE(2 * loop->off_node_bytes(nodes), sent_bytes);
}

TEST_F(CoupledLoopTest, counts_what_each_interval_of_a_run_took) {
  const auto loop = prepare({{"grid", "x8"}, {"iterations", "0"}});
  const std::int64_t estimated = loop->operations();  // from the first interval
  loop->synchronise();
  loop->run(1);
  loop->synchronise();
  EXPECT_NE(loop->operations(), estimated);
  std::int64_t operations = 0;
  for (const measure::Phase& phase : loop->phases()->phases()) {
    operations += phase.operations;
  }
  EXPECT_EQ(loop->operations(),
            static_cast<std::int64_t>(world_.sum(static_cast<std::uint64_t>(operations))));
}

TEST_F(CoupledLoopTest, skips_layouts_that_the_ranks_do_not_make) {
  const std::string many = std::to_string(world_.size() + 1);
  EXPECT_EQ(reason({{"ocean_ranks", many}}), "ocean on " + many + " ranks; allowed: up to " +
                                                 std::to_string(world_.size()) +
                                                 "; choose fewer or arrangement=concurrent");
  EXPECT_NE(reason({{"arrangement", "concurrent"}, {"ocean_ranks", many}}), "");
}

}  // namespace
}  // namespace halocline::workload
