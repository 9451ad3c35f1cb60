#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halocline::bundle {

/// What the best way depends on.
struct Situation {
  std::string machine;  // machine_kind()
  std::string mpi;      // the library, as it describes itself, single-spaced
  bool several_nodes;
  bool node_memory;  // fields may lie in memory of the node: the library's, or adopted
  int ranks;
  double rank_bytes;  // leaving a rank per exchange, averaged over all
};

/// A line of a ways file: the fastest way in a situation.
struct KnownWay {
  Situation situation;
  std::string words;  // "protocol=persistent packing=rank bundle=whole near=shared"
  int line;
};

/// Reads a ways file, as `halocline tune redistribution` writes it. Throws Error with the damaged
/// line.
std::vector<KnownWay> known_ways(std::string_view text);

/// The way for the most similar situation: the same machine, library, nodes and memory; ranks and
/// bytes within a factor of eight. Empty if there is no such line.
std::optional<KnownWay> nearest(const std::vector<KnownWay>& ways, const Situation& situation);

}  // namespace halocline::bundle
