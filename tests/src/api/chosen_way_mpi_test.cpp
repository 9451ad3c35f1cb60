// Which way a redistribution takes, as programs ask for it and see it: by the C interface.

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "halocline/api/halocline.h"
#include "halocline/base/machine.hpp"
#include "halocline/base/words.hpp"
#include "halocline/mpi/environment.hpp"
#include "support/scratch.hpp"

namespace {

constexpr int64_t points_of_rank = 120;

/// A file of ways that the environment names, on the rank that reads it.
class WaysForLibrary {
 public:
  explicit WaysForLibrary(const std::string& text) {
    std::ofstream(path_) << text;
    setenv("HALOCLINE_WAYS", path_.c_str(), 1);
  }
  ~WaysForLibrary() { unsetenv("HALOCLINE_WAYS"); }
  WaysForLibrary(const WaysForLibrary&) = delete;
  WaysForLibrary& operator=(const WaysForLibrary&) = delete;

 private:
  halocline::test::Scratch scratch_;
  std::filesystem::path path_ = scratch_ / "ways.txt";
};

std::string ways_here(const std::string& way) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // All but one part of each rank's points leaves it.
  const int64_t bytes = std::max<int64_t>(1, points_of_rank * 8 * (ranks - 1) / ranks);
  return "halocline ways 1\n" + halocline::machine_kind() + " | " +
         halocline::single_spaced(halocline::mpi::library().version) +
         " | nodes=one memory=user ranks=" + std::to_string(ranks) +
         " bytes=" + std::to_string(bytes) + " | " + way + "\n";
}

/// What came of a redistribution of rows to columns.
struct Outcome {
  int status = halocline_wrong;
  std::string words;  // where the way comes from, or the error
  std::string protocol;
  halocline_way way{};
  bool arrived = false;
};

Outcome redistributed(const halocline_way* asked) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // A grid of `ranks` rows: each rank has one, then a share of each.
  const std::array<halocline_dimension, 2> rows{
      {{0, points_of_rank, 1, 0, nullptr}, {0, ranks, ranks, 0, nullptr}}};
  const std::array<halocline_dimension, 2> columns{
      {{0, points_of_rank, ranks, 0, nullptr}, {0, ranks, 1, 0, nullptr}}};
  halocline_layout from = nullptr;
  halocline_layout to = nullptr;
  halocline_route route = nullptr;
  halocline_redistribution redistribution = nullptr;
  EXPECT_EQ(halocline_layout_create(2, rows.data(), 0, &from), halocline_ok);
  EXPECT_EQ(halocline_layout_create(2, columns.data(), 0, &to), halocline_ok);
  EXPECT_EQ(halocline_route_create(from, to, MPI_COMM_WORLD, &route), halocline_ok);
  std::vector<double> sent(points_of_rank);
  std::iota(sent.begin(), sent.end(), 1000.0 * rank);
  const int64_t width = points_of_rank / ranks;
  std::vector<double> received(static_cast<std::size_t>(width * ranks), -1.0);
  const halocline_field source{
      sent.data(), halocline_real8, {0, rank, 0, 0}, {points_of_rank, rank + 1, 1, 1}, {}};
  const halocline_field destination{received.data(),
                                    halocline_real8,
                                    {rank * width, 0, 0, 0},
                                    {(rank + 1) * width, ranks, 1, 1},
                                    {}};
  Outcome outcome;
  outcome.status = halocline_redistribution_create(route, MPI_COMM_WORLD, 1, 1, &source, 1,
                                                   &destination, asked, nullptr, &redistribution);
  if (outcome.status == halocline_ok) {
    const char* origin = nullptr;
    EXPECT_EQ(halocline_redistribution_way(redistribution, &outcome.way, &origin), halocline_ok);
    outcome.words = origin;
    outcome.protocol = outcome.way.protocol;
    EXPECT_EQ(halocline_redistribution_run(redistribution), halocline_ok);
    outcome.arrived = true;
    for (int64_t row = 0; row < ranks; ++row) {
      for (int64_t at = 0; at < width; ++at) {
        outcome.arrived &= received[static_cast<std::size_t>(row * width + at)] ==
                           static_cast<double>(1000 * row + rank * width + at);
      }
    }
    halocline_redistribution_free(&redistribution);
  } else {
    outcome.words = halocline_error_message();
  }
  halocline_route_free(&route);
  halocline_layout_free(&to);
  halocline_layout_free(&from);
  return outcome;
}

TEST(ChosenWayTest, without_a_file_the_rule_is_taken) {
  const Outcome outcome = redistributed(nullptr);
  EXPECT_EQ(outcome.words, "the rule: no file of ways");
  EXPECT_EQ(outcome.protocol, "isend_irecv");
  EXPECT_EQ(outcome.way.messages_only, 0);
  EXPECT_TRUE(outcome.arrived);
}

TEST(ChosenWayTest, the_way_of_the_file_is_taken_and_moves_every_point) {
  const WaysForLibrary ways(
      ways_here("protocol=persistent packing=run bundle=fields near=messages stores=streaming"));
  halocline_way asked{};
  asked.threads = 2;
  const Outcome outcome = redistributed(&asked);
  ASSERT_EQ(outcome.status, halocline_ok) << outcome.words;
  EXPECT_TRUE(outcome.words.ends_with(".txt, line 2")) << outcome.words;
  EXPECT_EQ(outcome.protocol, "persistent");
  EXPECT_EQ(outcome.way.packing, halocline_pack_run);
  EXPECT_NE(outcome.way.field_by_field, 0);
  EXPECT_NE(outcome.way.messages_only, 0);
  EXPECT_EQ(outcome.way.threads, 2);  // the program's
  EXPECT_EQ(outcome.way.stores, halocline_stores_streaming);
  EXPECT_TRUE(outcome.arrived);
}

TEST(ChosenWayTest, what_the_program_chooses_counts) {
  const WaysForLibrary ways(ways_here("protocol=sendrecv near=messages"));
  halocline_way asked{};
  asked.protocol = "isend_irecv";
  const Outcome outcome = redistributed(&asked);
  EXPECT_EQ(outcome.words, "the program");
  EXPECT_EQ(outcome.protocol, "isend_irecv");
  EXPECT_TRUE(outcome.arrived);
}

TEST(ChosenWayTest, a_protocol_that_could_break_the_program_is_left_to_it) {
  for (const auto& [name, why] :
       {std::pair{"sendrecv", "its start() waits for other ranks"},
        std::pair{"bsend_recv", "one exchange at a time may be under way with it"}}) {
    const WaysForLibrary ways(ways_here("near=messages protocol=" + std::string{name}));
    const Outcome outcome = redistributed(nullptr);
    EXPECT_TRUE(outcome.words.starts_with("the rule: ")) << outcome.words;
    EXPECT_TRUE(outcome.words.ends_with(", line 2, asks for " + std::string{name} +
                                        ", which only a program may choose: " + why))
        << outcome.words;
    EXPECT_EQ(outcome.protocol, "isend_irecv");
    EXPECT_TRUE(outcome.arrived);
    halocline_way asked{};
    asked.protocol = name;
    EXPECT_EQ(redistributed(&asked).protocol, name);
  }
}

TEST(ChosenWayTest, a_foreign_file_leaves_the_rule_and_says_why) {
  const WaysForLibrary ways(
      "halocline ways 1\nVAX x 1 | M | nodes=one memory=user ranks=1 bytes=1 | packing=box\n");
  const Outcome outcome = redistributed(nullptr);
  EXPECT_TRUE(outcome.words.starts_with("the rule: no line of ")) << outcome.words;
  EXPECT_NE(outcome.words.find(halocline::machine_kind()), std::string::npos);
  EXPECT_EQ(outcome.protocol, "isend_irecv");
  EXPECT_TRUE(outcome.arrived);
}

TEST(ChosenWayTest, a_damaged_file_that_was_named_is_an_error_on_all_ranks) {
  for (const char* way : {"protocol=telepathy", "packing=tape", "speed=high", "near", "near=far"}) {
    const WaysForLibrary ways(ways_here(way));
    const Outcome outcome = redistributed(nullptr);
    EXPECT_EQ(outcome.status, halocline_wrong) << way;
    EXPECT_NE(outcome.words.find("rank 0: the file of ways "), std::string::npos) << outcome.words;
    EXPECT_NE(outcome.words.find(".txt: line 2: "), std::string::npos) << outcome.words;
    EXPECT_NE(outcome.words.find("unset HALOCLINE_WAYS"), std::string::npos) << outcome.words;
  }
  setenv("HALOCLINE_WAYS", "/nowhere/ways.txt", 1);
  EXPECT_NE(redistributed(nullptr).words.find("/nowhere/ways.txt: it cannot be read"),
            std::string::npos);
  const std::string too_long = "/" + std::string(300, 'w');
  setenv("HALOCLINE_WAYS", too_long.c_str(), 1);
  EXPECT_NE(redistributed(nullptr).words.find(too_long + ": it cannot be read: File name too long"),
            std::string::npos);
  setenv("HALOCLINE_WAYS", "none", 1);
  EXPECT_EQ(redistributed(nullptr).words, "the rule: no file of ways");
  unsetenv("HALOCLINE_WAYS");
}

TEST(ChosenWayTest, ranks_that_differ_in_whether_they_choose_are_reported_so) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) {
    return;  // nobody to differ from
  }
  halocline_way asked{};
  asked.protocol = "isend_irecv";
  const Outcome outcome = redistributed(rank == 0 ? &asked : nullptr);
  EXPECT_EQ(outcome.status, halocline_wrong);
  EXPECT_NE(outcome.words.find("ways of redistribution"), std::string::npos) << outcome.words;
}

TEST(ChosenWayTest, stores_that_are_none_are_refused) {
  halocline_way asked{};
  asked.stores = static_cast<halocline_stores>(3);
  const Outcome outcome = redistributed(&asked);
  EXPECT_EQ(outcome.status, halocline_wrong);
  EXPECT_NE(outcome.words.find("the stores 3; allowed: "), std::string::npos) << outcome.words;
}

}  // namespace
