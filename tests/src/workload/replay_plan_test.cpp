#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/workload/replay/plan_file.hpp"
#include "halocline/workload/replay/replayed_calls.hpp"

namespace halocline::workload {
namespace {

constexpr int ranks = 4;
const std::string head = "halocline-replay-1 4 100\n";
const std::string remedy =
    "; write it again with `halocline profile replay`, or profile a smaller run";

/// What is wrong with the plan of rank 0; empty if nothing is.
std::string refusal(const std::string& text) {
  try {
    const ReplayedCalls calls(parse_plan("p.txt", text, 0, ranks).plan, 0, ranks);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

/// Of a plan in which rank 0 makes this call, without what all have in common.
std::string refusal_of_call(const std::string& call) {
  std::string words = refusal(head +
                              "communicator 0 1 2 3\ncommunicator 1 3\nwindow 0 8\nwindow 1 8\n"
                              "block 2\nrank 0\n" +
                              call + "\nend\n");
  const std::string where = "the plan p.txt, line 8: ";
  if (words.starts_with(where) && words.ends_with(remedy)) {
    words = words.substr(where.size(), words.size() - where.size() - remedy.size());
  }
  return words;
}

TEST(ReplayPlanTest, calls_within_their_ranges_are_accepted) {
  for (const char* call :
       {"Send 0 -1 0 2147483647", "Recv 0 -2 32767 8 3 8", "Recv 0 3 1 8 -1 0", "Put 0 3 8",
        "Get 0 -1 0", "Bcast 0 3 0", "Gatherv 0 0 8 8 0 8 8", "Gatherv 0 3 8",
        "Alltoallv 0 1 2 3 4 5 6 7 8", "Startall", "Waitall 0", "Win_fence 0"}) {
    EXPECT_EQ(refusal_of_call(call), "") << call;
  }
}

TEST(ReplayPlanTest, calls_outside_their_ranges_are_refused) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"Send 0 1000 1 8", "MPI_Send: its peer is 1000; allowed: -1 to 3"},
      {"Send 0 -2 1 8", "MPI_Send: its peer is -2; allowed: -1 to 3"},
      {"Send 2 1 1 8", "MPI_Send: its communicator is 2; allowed: 0 to 1"},
      {"Send -1 1 1 8", "MPI_Send: its communicator is -1; allowed: 0 to 1"},
      {"Send 1 1 1 8", "MPI_Send: rank 0 is not in communicator 1"},
      {"Send 0 1 32768 8", "MPI_Send: its tag is 32768; allowed: 0 to 32767"},
      {"Send 0 1 1 -8", "MPI_Send: its number of bytes is -8; allowed: 0 to 2147483647"},
      {"Send 0 1 1", "MPI_Send: its number of bytes is missing"},
      {"Send 0 1 1 8 8", "MPI_Send: more numbers than it takes"},
      {"Send 0 1 x 8", "a word is not a whole number"},
      {"Send 0 1 1 99999999999999999999", "a word is not a whole number"},
      {"Startall 0 x", "a word is not a whole number"},
      {"", "it does not begin with a word"},
      {"Sned 0 1 1 8", "MPI_Sned: it cannot be replayed"},
      {"Recv 0 -3 1 8 1 8", "MPI_Recv: its peer is -3; allowed: -2 to 3"},
      {"Recv 0 1 1 8 1 16", "MPI_Recv: its number of bytes is 16; allowed: 0 to 8"},
      {"Recv_init 0 1 1 8 4 8", "MPI_Recv_init: its sender is 4; allowed: -1 to 3"},
      {"Sendrecv 0 4 1 8 1 1 8 1 8", "MPI_Sendrecv: its peer is 4; allowed: -1 to 3"},
      {"Bcast 0 4 8", "MPI_Bcast: its root is 4; allowed: 0 to 3"},
      {"Gatherv 0 0 8 8 8 8 -8",
       "MPI_Gatherv: its number of bytes is -8; allowed: 0 to 2147483647"},
      {"Gatherv 0 0 8", "MPI_Gatherv: its number of bytes is missing"},
      {"Scatterv 0 1 8 8 8 8 8", "MPI_Scatterv: more numbers than it takes"},
      {"Allgatherv 0 8 2147483647 1 1 1",
       "MPI_Allgatherv: its blocks have 2147483650 bytes; allowed: up to 2147483647"},
      {"Alltoallv 0 8 8 8 8 8 8 -1 8",
       "MPI_Alltoallv: its number of bytes is -1; allowed: 0 to 2147483647"},
      {"Put 0 1 9", "MPI_Put: its number of bytes is 9; allowed: 0 to 8"},
      {"Get 0 1 9", "MPI_Get: its number of bytes is 9; allowed: 0 to 8"},
      {"Win_fence 2", "MPI_Win_fence: its window is 2; allowed: 0 to 1"},
      {"Win_fence 1", "MPI_Win_fence: rank 0 is not in communicator 1"},
      {"Start 0", "MPI_Start: its request is 0; allowed: none"},
      {"Waitall -1", "MPI_Waitall: its number of requests is -1; allowed: 0 to 2147483647"},
  };
  for (const auto& [call, reason] : wrong) {
    EXPECT_EQ(refusal_of_call(call), reason) << call;
  }
}

TEST(ReplayPlanTest, what_surrounds_the_calls_is_checked) {
  const std::string members = "; allowed: 0 to 3 in ascending order";
  const std::string ranks_allowed = "; allowed: 0 to 3";
  const std::string elsewhere =
      "its first word is not allowed here; allowed: communicator, window, block, end, and in a "
      "block rank";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"communicator 1 0\nend\n", "2: a member is 0" + members},
      {"communicator 1 1\nend\n", "2: a member is 1" + members},
      {"communicator 3 4\nend\n", "2: a member is 4" + members},
      {"communicator -1\nend\n", "2: a member is -1" + members},
      {"communicator 0\nwindow 1 8\nend\n", "3: its communicator is 1; allowed: 0 to 0"},
      {"communicator 0\nwindow 0 -8\nend\n",
       "3: its number of bytes is -8; allowed: 0 to 2147483647"},
      {"communicator 0\nwindow 0 8 8\nend\n", "3: more numbers than it takes"},
      {"block 0\nend\n", "2: its number of repeats is 0; allowed: 1 or more"},
      {"block 1\nrank 4\nend\n", "3: its rank is 4" + ranks_allowed},
      {"rank 0\nend\n", "2: " + elsewhere},
      {"block 1\nBarrier 0\nend\n", "3: " + elsewhere},
      {"block 1\nrank 1\n\nend\n", "4: it does not begin with a word"},
      {"block 1\nrank 0\nBarr", "4: the file ends without end"},
  };
  for (const auto& [text, reason] : wrong) {
    EXPECT_EQ(refusal(head + text), "the plan p.txt, line " + reason + remedy) << text;
  }
  const std::string first = "the plan p.txt, line 1: ";
  EXPECT_EQ(refusal("time,temperature\n"),
            first + "its first word is not halocline-replay-1" + remedy);
  EXPECT_EQ(refusal("halocline-replay-1 3 8\nend\n"), first + "it is for 3 ranks, not 4" + remedy);
  EXPECT_EQ(refusal("halocline-replay-1 4\nend\n"),
            first + "a word is not a whole number" + remedy);
}

}  // namespace
}  // namespace halocline::workload
