#include "halocline/workload/replay/plan_file.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <sstream>

#include "halocline/base/error.hpp"

namespace halocline::workload {
namespace {

constexpr std::string_view first_word = "halocline-replay-1";
constexpr std::int64_t any_number = INT64_MAX;

/// Reads the lines of a file: each has a word, then numbers.
class PlanLines {
 public:
  PlanLines(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  /// Whether there is another line, which is then the current one.
  bool advance() {
    if (text_.empty()) {
      return false;
    }
    const auto end = text_.find('\n');
    line_ = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    ++number_;
    word_ = next();
    return true;
  }
  std::size_t number() const { return number_; }
  std::string_view word() const { return word_; }

  std::int64_t integer(std::string_view what, std::int64_t low, std::int64_t high) {
    const std::int64_t value = integer();
    if (value < low || value > high) {
      refuse("its " + std::string{what} + " is " + std::to_string(value) +
             "; allowed: " + std::to_string(low) +
             (high == any_number ? " or more" : " to " + std::to_string(high)));
    }
    return value;
  }
  std::vector<std::int64_t> rest() {
    std::vector<std::int64_t> integers;
    while (!line_.empty()) {
      integers.push_back(integer());
    }
    return integers;
  }
  void skip() { line_ = {}; }
  void require_end() {
    if (!line_.empty()) {
      refuse("more numbers than it takes");
    }
  }
  [[noreturn]] void refuse(const std::string& why) const { refuse_plan(file_, number_, why); }

 private:
  std::int64_t integer() {
    const std::string_view text = next();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      refuse("a word is not a whole number");
    }
    return value;
  }
  std::string_view next() {
    const std::string_view text = line_.substr(0, line_.find(' '));
    line_.remove_prefix(std::min(text.size() + 1, line_.size()));
    return text;
  }

  const std::string& file_;
  std::string_view text_;  // after the current line
  std::string_view line_;  // what is left of it
  std::string_view word_;
  std::size_t number_ = 0;
};

std::vector<int> members_in(PlanLines& lines, int ranks) {
  std::vector<int> members;
  for (const std::int64_t member : lines.rest()) {
    // Splitting the world keeps its order.
    if (member <= (members.empty() ? -1 : members.back()) || member >= ranks) {
      lines.refuse("a member is " + std::to_string(member) + "; allowed: 0 to " +
                   std::to_string(ranks - 1) + " in ascending order");
    }
    members.push_back(static_cast<int>(member));
  }
  return members;
}

PlannedWindow window_in(PlanLines& lines, std::size_t communicators) {
  const auto last = static_cast<std::int64_t>(communicators) - 1;
  return {.communicator = static_cast<std::size_t>(lines.integer("communicator", 0, last)),
          .bytes = static_cast<std::size_t>(lines.integer("number of bytes", 0, INT_MAX))};
}

}  // namespace

void refuse_plan(const std::string& file, std::size_t line, const std::string& why) {
  throw Error("the plan " + file + ", line " + std::to_string(line) + ": " + why +
              "; write it again with `halocline profile replay`, or profile a smaller run");
}

std::string text_of_plan(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return file ? content.str() : std::string{};
}

FilePlan parse_plan(const std::string& file, std::string_view text, int rank, int ranks) {
  PlanLines lines(file, text);
  if (!lines.advance() || lines.word() != first_word) {
    lines.refuse("its first word is not " + std::string{first_word});
  }
  if (const std::int64_t planned = lines.integer("number of ranks", 1, any_number);
      planned != ranks) {
    lines.refuse("it is for " + std::to_string(planned) + " ranks, not " + std::to_string(ranks));
  }
  FilePlan file_plan;
  file_plan.moved_bytes = lines.integer("number of bytes", 0, any_number);
  lines.require_end();
  Plan& plan = file_plan.plan;
  plan.file = file;
  constexpr std::int64_t no_rank = -1;
  std::int64_t current = no_rank;  // whose calls these are
  while (lines.advance()) {
    const std::string_view word = lines.word();
    if (word.empty()) {
      lines.refuse("it does not begin with a word");
    }
    if (word == "communicator") {
      plan.communicators.push_back(members_in(lines, ranks));
    } else if (word == "window") {
      plan.windows.push_back(window_in(lines, plan.communicators.size()));
    } else if (word == "block") {
      plan.blocks.push_back(
          {.repeats = lines.integer("number of repeats", 1, any_number), .calls = {}});
      current = no_rank;
    } else if (word == "rank" && !plan.blocks.empty()) {
      current = lines.integer("rank", 0, ranks - 1);
    } else if (word == "end") {
      return file_plan;
    } else if (current == no_rank) {
      lines.refuse(
          "its first word is not allowed here; allowed: communicator, window, block, end, and in a "
          "block rank");
    } else if (current == rank) {
      plan.blocks.back().calls.push_back(
          {.function = std::string{word}, .values = lines.rest(), .line = lines.number()});
    } else {
      lines.skip();  // its rank checks it
    }
    lines.require_end();
  }
  lines.refuse("the file ends without end");
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
  file_plan.plan.file = example;
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
