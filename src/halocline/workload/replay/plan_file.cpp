#include "halocline/workload/replay/plan_file.hpp"

#include <fstream>
#include <numeric>
#include <sstream>

#include "halocline/base/error.hpp"

namespace halocline::workload {
namespace {

constexpr std::string_view first_word = "halocline-replay-1";

[[noreturn]] void refuse(const std::string& why) {
  throw Error("the plan of a replay " + why + "; write it again with `halocline profile replay`");
}

std::int64_t number_in(std::istringstream& words, std::string_view what) {
  std::int64_t number = 0;
  if (!(words >> number)) {
    refuse("lacks " + std::string{what});
  }
  return number;
}

template <class Number>
std::vector<Number> rest_of(std::istringstream& words) {
  std::vector<Number> numbers;
  for (Number number{}; words >> number;) {
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::string text_of_plan(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return file ? content.str() : std::string{};
}

FilePlan parse_plan(const std::string& text, int rank, int ranks) {
  std::istringstream lines(text);
  std::string line;
  std::string word;
  std::getline(lines, line);
  std::istringstream head(line);
  if (!(head >> word) || word != first_word) {
    refuse("does not begin with " + std::string{first_word});
  }
  if (const std::int64_t planned = number_in(head, "its number of ranks"); planned != ranks) {
    refuse("is for " + std::to_string(planned) + " ranks, not " + std::to_string(ranks));
  }
  FilePlan file_plan;
  file_plan.moved_bytes = number_in(head, "its bytes");
  bool mine = false;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "communicator") {
      file_plan.plan.communicators.push_back(rest_of<int>(words));
    } else if (word == "window") {
      const auto communicator = number_in(words, "the communicator of a window");
      if (communicator < 0 || communicator >= std::ssize(file_plan.plan.communicators)) {
        refuse("has a window of a communicator that it lacks");
      }
      file_plan.plan.windows.push_back(
          {.communicator = static_cast<std::size_t>(communicator),
           .bytes = static_cast<std::size_t>(number_in(words, "the bytes of a window"))});
    } else if (word == "block") {
      file_plan.plan.blocks.push_back(
          {.repeats = number_in(words, "the repeats of a block"), .calls = {}});
    } else if (word == "rank") {
      mine = number_in(words, "the number of a rank") == rank;
    } else if (word == "end") {
      return file_plan;
    } else if (mine && !file_plan.plan.blocks.empty()) {
      file_plan.plan.blocks.back().calls.push_back(
          {.function = word, .values = rest_of<std::int64_t>(words)});
    }
  }
  refuse("is cut off");
}

FilePlan example_plan(int rank, int ranks) {
  constexpr std::int64_t bytes = 24;
  const std::int64_t right = (rank + 1) % ranks;
  const std::int64_t left = (rank + ranks - 1) % ranks;
  const std::vector<std::int64_t> to{0, right, 1, bytes};
  const std::vector<std::int64_t> from{0, left, 1, bytes + 8, left, bytes};
  std::vector<PlannedCall> calls;
  const auto add = [&calls](std::string function, std::vector<std::int64_t> values) {
    calls.push_back({.function = std::move(function), .values = std::move(values)});
  };
  for (const char* send : {"Send", "Ssend", "Isend", "Issend"}) {
    add("Irecv", from);
    add(send, to);
    add("Iprobe", {0, left});
    add("Iprobe", {0, anybody});
    add("Testsome", {});
    add("Waitall", {2});
  }
  add("Irecv", {0, anybody, 2, bytes, left, bytes});
  add("Isend", {0, right, 2, bytes});
  add("Waitany", {});
  add("Waitsome", {});
  add("Isend", to);
  add("Recv", from);
  add("Test", {});
  add("Testall", {});
  add("Testany", {});
  add("Wait", {});
  add("Sendrecv", {0, right, 3, bytes, left, 3, bytes, left, bytes});
  add("Send", {0, nobody, 1, bytes});
  add("Barrier", {0});
  add("Ibarrier", {0});
  for (const char* rooted : {"Bcast", "Ibcast", "Reduce", "Gather", "Scatter"}) {
    add(rooted, {0, ranks - 1, bytes});
  }
  for (const char* sum : {"Allreduce", "Iallreduce", "Scan", "Exscan"}) {
    add(sum, {0, bytes});
    add(sum, {0, bytes + 1});  // not a whole number of doubles
  }
  for (const char* to_all : {"Allgather", "Alltoall", "Ialltoall"}) {
    add(to_all, {0, bytes});
  }
  add("Waitall", {5});
  const auto with_blocks = [ranks](std::vector<std::int64_t> values, int times) {
    values.insert(values.end(), static_cast<std::size_t>(times) * static_cast<std::size_t>(ranks),
                  std::int64_t{bytes});
    return values;
  };
  for (const std::int64_t tag : {6, 7}) {
    add("Irecv", {0, left, tag, bytes, left, bytes});
  }
  add("Barrier", {0});  // both are posted everywhere
  add("Rsend", {0, right, 6, bytes});
  add("Irsend", {0, right, 7, bytes});
  add("Waitall", {3});
  add("Put", {0, right, bytes});
  add("Get", {0, left, bytes});
  add("Put", {0, nobody, bytes});
  add("Win_fence", {0});
  // The first block prepares these: a receive from the left, then two sends to the right, by tag.
  for (const std::int64_t request : {0, 2}) {
    add("Start", {request});
  }
  add("Waitall", {2});
  add("Startall", {1, 3});
  add("Startall", {});
  add("Waitall", {2});
  const int root = rank == 0 ? 1 : 0;
  add("Gatherv", with_blocks({0, 0, bytes}, root));
  add("Scatterv", with_blocks({0, 0, bytes}, root));
  add("Allgatherv", with_blocks({0, bytes}, 1));
  add("Alltoallv", with_blocks({0}, 2));
  std::vector<PlannedCall> prepared;
  for (const std::int64_t tag : {4, 5}) {
    prepared.push_back({.function = "Recv_init", .values = {0, left, tag, bytes + 8, left, bytes}});
  }
  prepared.push_back({.function = "Send_init", .values = {0, right, 4, bytes}});
  prepared.push_back({.function = "Ssend_init", .values = {0, right, 5, bytes}});
  prepared.push_back({.function = "Win_fence", .values = {0}});
  FilePlan file_plan;
  file_plan.plan.windows.push_back({.communicator = 0, .bytes = bytes});
  file_plan.plan.communicators.emplace_back(static_cast<std::size_t>(ranks));
  std::iota(file_plan.plan.communicators[0].begin(), file_plan.plan.communicators[0].end(), 0);
  file_plan.plan.blocks.push_back({.repeats = 1, .calls = std::move(prepared)});
  file_plan.plan.blocks.push_back({.repeats = 2, .calls = std::move(calls)});
  constexpr int messages = 13;  // from a rank to its neighbour in a round
  file_plan.moved_bytes = std::int64_t{2} * ranks * messages * bytes;
  return file_plan;
}

}  // namespace halocline::workload
