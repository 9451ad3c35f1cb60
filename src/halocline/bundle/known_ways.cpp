#include "halocline/bundle/known_ways.hpp"

#include <charconv>
#include <cmath>
#include <map>

#include "halocline/base/error.hpp"
#include "halocline/base/words.hpp"

namespace halocline::bundle {
namespace {

constexpr std::string_view first_line_of_ways = "halocline ways 1";
constexpr double like = 8;  // what was measured says little about ten times as many bytes or ranks

/// key=value, key=value …, each key once.
std::map<std::string, std::string> pairs_in(const std::string& text) {
  std::map<std::string, std::string> pairs;
  for (const std::string& word : words_of(text)) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) {
      throw Error("\"" + word + "\" is not key=value");
    }
    if (!pairs.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      throw Error("\"" + word.substr(0, equals) + "\" is listed twice");
    }
  }
  return pairs;
}

/// Removes a key from the pairs and returns its value.
std::string taken(std::map<std::string, std::string>& pairs, const std::string& key) {
  const auto found = pairs.find(key);
  if (found == pairs.end()) {
    throw Error("it has no " + key + "=");
  }
  std::string value = found->second;
  pairs.erase(found);
  return value;
}

/// Whether it is the second of two words.
bool second_of(const std::string& value, const std::string& key, const char* first,
               const char* second) {
  if (value != first && value != second) {
    throw Error(key + "=" + value + "; allowed: " + first + ", " + second);
  }
  return value == second;
}

template <class Number>
Number positive(const std::string& value, const std::string& key) {
  Number number{};
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc{} || end != value.data() + value.size() || number < 1) {
    throw Error(key + "=" + value + "; allowed: a whole number, 1 or more");
  }
  return number;
}

KnownWay way_in(const std::string& line, int number) {
  const auto columns = parts_of(line, '|');
  if (columns.size() != 4) {
    throw Error("it has " + std::to_string(columns.size()) + " columns, not 4");
  }
  auto pairs = pairs_in(columns[2]);
  KnownWay way{
      .situation = {.machine = columns[0],
                    .mpi = columns[1],
                    .several_nodes = second_of(taken(pairs, "nodes"), "nodes", "one", "several"),
                    .node_memory = second_of(taken(pairs, "memory"), "memory", "user", "library"),
                    .ranks = positive<int>(taken(pairs, "ranks"), "ranks"),
                    .rank_bytes = static_cast<double>(
                        positive<std::int64_t>(taken(pairs, "bytes"), "bytes"))},
      .words = columns[3],
      .line = number};
  if (!pairs.empty()) {
    throw Error("\"" + pairs.begin()->first + "\" is none of nodes, memory, ranks, bytes");
  }
  pairs_in(way.words);
  return way;
}

}  // namespace

std::vector<KnownWay> known_ways(std::string_view text) {
  std::vector<KnownWay> ways;
  int number = 0;
  bool begun = false;
  for (const std::string& line : parts_of(text, '\n')) {
    ++number;
    try {
      if (line == first_line_of_ways) {  // repeated where files were joined
        begun = true;
      } else if (!begun) {
        throw Error("it is not \"" + std::string{first_line_of_ways} + "\"");
      } else if (!line.empty() && !line.starts_with('#')) {
        ways.push_back(way_in(line, number));
      }
    } catch (const Error& error) {
      throw Error("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return ways;
}

std::optional<KnownWay> nearest(const std::vector<KnownWay>& ways, const Situation& situation) {
  std::optional<KnownWay> best;
  double least = INFINITY;
  for (const KnownWay& way : ways) {
    const Situation& known = way.situation;
    if (known.machine != situation.machine || known.mpi != situation.mpi ||
        known.several_nodes != situation.several_nodes ||
        known.node_memory != situation.node_memory) {
      continue;
    }
    const double ranks = std::abs(std::log(static_cast<double>(known.ranks) / situation.ranks));
    const double bytes = std::abs(std::log(known.rank_bytes / situation.rank_bytes));
    const double farthest = std::log(like) * (1 + 1e-9);
    if (ranks <= farthest && bytes <= farthest && ranks + bytes <= least) {
      best = way;  // on a tie the later one: files grow at their end
      least = ranks + bytes;
    }
  }
  return best;
}

}  // namespace halocline::bundle
