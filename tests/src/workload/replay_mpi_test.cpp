#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/replay/plan_file.hpp"
#include "halocline/workload/replay/replayed_calls.hpp"
#include "support/damage.hpp"
#include "support/loops.hpp"
#include "support/scratch.hpp"

namespace halocline::workload {
namespace {

std::string line_of(const std::string& word, const auto& numbers) {
  std::string line = word;
  for (const auto number : numbers) {
    line += " " + std::to_string(number);
  }
  return line + "\n";
}

/// The example as a file.
std::string example_text(int ranks) {
  const FilePlan example = example_plan(0, ranks);
  std::string text =
      line_of("halocline-replay-1", std::vector{std::int64_t{ranks}, example.moved_bytes});
  for (const std::vector<int>& members : example.plan.communicators) {
    text += line_of("communicator", members);
  }
  for (const PlannedWindow& window : example.plan.windows) {
    text += line_of("window", std::vector{window.communicator, window.bytes});
  }
  for (std::size_t block = 0; block < example.plan.blocks.size(); ++block) {
    text += line_of("block", std::vector{example.plan.blocks[block].repeats});
    for (int rank = 0; rank < ranks; ++rank) {
      text += line_of("rank", std::vector{rank});
      const Plan plan = example_plan(rank, ranks).plan;
      for (const PlannedCall& call : plan.blocks[block].calls) {
        text += line_of(call.function, call.values);
      }
    }
  }
  return text + "end\n";
}

TEST(ReplayTest, makes_the_calls_of_a_file) {
  const auto world = mpi::Communicator::world();
  const FilePlan file = parse_plan("p.txt", example_text(world.size()), world.rank(), world.size());
  EXPECT_EQ(file.moved_bytes, example_plan(world.rank(), world.size()).moved_bytes);
  ReplayedCalls calls(file.plan, world.rank(), world.size());
  calls.open(world, Pages::as_system);
  for (const std::uint64_t seed : {1U, 2U}) {
    calls.write(seed);
    world.barrier();
    calls.run(true);
    EXPECT_EQ(calls.difference(seed), std::nullopt);
  }
}

/// Each rank reads files of its own, as it would those of one rank. What is accepted may wait for
/// messages that nobody sends, so it is not run. HALOCLINE_FUZZ=20000 tries as many.
TEST(ReplayTest, refuses_damaged_files_or_stays_within_its_memory) {
  const auto world = mpi::Communicator::world();
  const auto alone = world.part(world.rank());
  const std::string sound = example_text(1);
  const char* const asked = std::getenv("HALOCLINE_FUZZ");
  const int inputs = asked != nullptr ? std::atoi(asked) : 40;
  std::mt19937 random(static_cast<unsigned>(world.rank()));
  int refused = 0;
  for (int input = 0; input < inputs; ++input) {
    try {
      ReplayedCalls calls(parse_plan("p.txt", test::damaged(sound, random), 0, 1).plan, 0, 1);
      constexpr std::size_t most_bytes = 1U << 26U;
      if (calls.needed_bytes() <= most_bytes) {
        calls.open(alone, Pages::as_system);
        calls.write(1);
        static_cast<void>(calls.difference(1));
      }
    } catch (const Error& error) {
      const std::string words = error.what();
      EXPECT_EQ(words.find("the plan p.txt, line "), 0U) << input << ": " << words;
      EXPECT_EQ(words.find('\n'), std::string::npos) << input << ": " << words;
      ++refused;
    }
  }
  EXPECT_GT(refused, inputs / 2);
}

TEST(ReplayTest, refuses_what_does_not_fit_the_memory) {
  const auto world = mpi::Communicator::world();
  const test::Scratch scratch(world);
  const std::string path = (scratch / "plan.txt").string();
  if (world.rank() == 0) {
    std::ofstream file(path);
    file << "halocline-replay-1 " << world.size() << " 0\ncommunicator 0\nblock 1\nrank 0\n";
    for (int call = 0; call < 1 << 16; ++call) {
      file << "Recv 0 -1 1 2147483647 -1 0\n";
    }
    file << "end\n";
  }
  world.barrier();
  const std::string words =
      test::skip_reason([&] { find("replay").prepare(AxisValues({{"plan", path}}), world); });
  EXPECT_EQ(words.find("the plan " + path + " takes 131072 GiB of a node, "), 0U) << words;
  EXPECT_NE(words.find("allowed: up to 75 %; choose more nodes"), std::string::npos) << words;
}

}  // namespace
}  // namespace halocline::workload
