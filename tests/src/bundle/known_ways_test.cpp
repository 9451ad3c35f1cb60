#include "halocline/bundle/known_ways.hpp"

#include <gtest/gtest.h>

#include <random>

#include "halocline/base/error.hpp"
#include "support/problem.hpp"

namespace halocline::bundle {
namespace {

const std::string file_head = "halocline ways 1\n";

std::string way_line(const std::string& problem, const std::string& way,
                     const std::string& machine = "A x 2") {
  return machine + " | M 5 | " + problem + " | " + way + "\n";
}

Situation here(int ranks, double bytes, bool several_nodes = false) {
  return {.machine = "A x 2",
          .mpi = "M 5",
          .several_nodes = several_nodes,
          .node_memory = false,
          .ranks = ranks,
          .rank_bytes = bytes};
}

std::string words_for(const std::string& text, const Situation& situation) {
  const auto found = nearest(known_ways(text), situation);
  return found ? found->words : "none";
}

TEST(KnownWaysTest, the_nearest_in_bytes_and_ranks_is_taken) {
  const std::string text = file_head + "# remark\n\n" +
                           way_line("nodes=one memory=user ranks=4 bytes=1000", "packing=box") +
                           way_line("nodes=one memory=user ranks=4 bytes=64000", "packing=run") +
                           way_line("nodes=one memory=user ranks=16 bytes=1000", "packing=rank");
  EXPECT_EQ(words_for(text, here(4, 2000)), "packing=box");
  EXPECT_EQ(words_for(text, here(4, 20'000)), "packing=run");
  EXPECT_EQ(words_for(text, here(12, 1000)), "packing=rank");
}

TEST(KnownWaysTest, a_factor_of_eight_is_near_and_more_is_not) {
  const std::string text =
      file_head + way_line("nodes=one memory=user ranks=8 bytes=8000", "packing=box");
  EXPECT_EQ(words_for(text, here(8, 1000)), "packing=box");
  EXPECT_EQ(words_for(text, here(64, 64'000)), "packing=box");
  EXPECT_EQ(words_for(text, here(8, 999)), "none");
  EXPECT_EQ(words_for(text, here(8, 64'001)), "none");
  EXPECT_EQ(words_for(text, here(65, 8000)), "none");
}

TEST(KnownWaysTest, other_machines_libraries_nodes_and_memories_do_not_count) {
  const std::string problem = "nodes=one memory=user ranks=4 bytes=1000";
  EXPECT_EQ(words_for(file_head + way_line(problem, "packing=box", "B x 2"), here(4, 1000)),
            "none");
  EXPECT_EQ(words_for(file_head + way_line(problem, "packing=box"), here(4, 1000, true)), "none");
  Situation other = here(4, 1000);
  other.mpi = "M 6";
  EXPECT_EQ(words_for(file_head + way_line(problem, "packing=box"), other), "none");
  other = here(4, 1000);
  other.node_memory = true;
  EXPECT_EQ(words_for(file_head + way_line(problem, "packing=box"), other), "none");
}

TEST(KnownWaysTest, files_can_be_joined_and_later_lines_replace_earlier_ones) {
  const std::string problem = "nodes=several memory=library ranks=4 bytes=1000";
  const std::string first = file_head + way_line(problem, "packing=box");
  const std::string second = file_head + way_line(problem, "packing=run");
  Situation situation = here(4, 1000, true);
  situation.node_memory = true;
  EXPECT_EQ(words_for(first + second, situation), "packing=run");
}

TEST(KnownWaysTest, what_is_damaged_is_named_with_its_line) {
  const auto complaint = [](const std::string& text) {
    return test::problem([&] { known_ways(text); });
  };
  EXPECT_EQ(complaint(""), "line 1: it is not \"halocline ways 1\"");
  EXPECT_EQ(complaint("halocline ways 2\n"), "line 1: it is not \"halocline ways 1\"");
  EXPECT_EQ(complaint(file_head + "A | B | C\n"), "line 2: it has 3 columns, not 4");
  EXPECT_EQ(complaint(file_head + way_line("nodes=one memory=user ranks=4", "packing=box")),
            "line 2: it has no bytes=");
  EXPECT_EQ(complaint(file_head + way_line("nodes=two memory=user ranks=4 bytes=8", "")),
            "line 2: nodes=two; allowed: one, several");
  EXPECT_EQ(complaint(file_head + way_line("nodes=one memory=user ranks=0 bytes=8", "")),
            "line 2: ranks=0; allowed: a whole number, 1 or more");
  EXPECT_EQ(complaint(file_head + way_line("nodes=one memory=user ranks=4 bytes=8e3", "")),
            "line 2: bytes=8e3; allowed: a whole number, 1 or more");
  EXPECT_EQ(complaint(file_head + way_line("nodes=one memory=user ranks=4 bytes=8 x=1", "")),
            "line 2: \"x\" is none of nodes, memory, ranks, bytes");
  EXPECT_EQ(complaint(file_head + way_line("nodes=one memory=user ranks=4 bytes=8", "fast")),
            "line 2: \"fast\" is not key=value");
}

TEST(KnownWaysTest, no_damage_ends_the_program) {
  const std::string whole =
      file_head + way_line("nodes=one memory=user ranks=4 bytes=1000", "packing=box") +
      way_line("nodes=several memory=library ranks=64 bytes=123456789", "protocol=persistent");
  std::mt19937_64 random(20260901);
  int refused = 0;
  for (int damage = 0; damage < 5000; ++damage) {
    std::string text = whole;
    for (std::uint64_t change = 0; change <= random() % 3; ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 4 == 0) {
        text.resize(at + 1);
      } else {
        text[at] = static_cast<char>(random() % 256);
      }
    }
    const std::string complaint = test::problem([&] { nearest(known_ways(text), here(4, 1e3)); });
    EXPECT_TRUE(complaint.empty() || complaint.starts_with("line ")) << complaint;
    refused += complaint.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace halocline::bundle
