#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace halocline::profiler {

/// Which data a call moves.
enum class Move : std::uint8_t {
  none,
  send,
  receive,
  send_receive,
  barrier,
  broadcast,
  gather,
  scatter,
  all_gather,
  all_to_all,
  reduce,
  all_reduce,
  reduce_scatter,
  neighbour_gather,
  neighbour_all,
  put,
  get,
  get_and_put,
  write,
  read,
};

inline constexpr auto move_names = std::to_array<std::string_view>({"none",
                                                                    "send",
                                                                    "receive",
                                                                    "send_receive",
                                                                    "barrier",
                                                                    "broadcast",
                                                                    "gather",
                                                                    "scatter",
                                                                    "all_gather",
                                                                    "all_to_all",
                                                                    "reduce",
                                                                    "all_reduce",
                                                                    "reduce_scatter",
                                                                    "neighbour_gather",
                                                                    "neighbour_all",
                                                                    "put",
                                                                    "get",
                                                                    "get_and_put",
                                                                    "write",
                                                                    "read"});

/// What a call does to handles that later calls use.
enum class Event : std::uint8_t {
  none,
  initialize,
  finalize,
  abort,
  begin_session,
  end_session,
  new_communicator,
  free_communicator,
  free_type,
  free_window,
  free_request,
  start,
  start_all,
};

/// Positions of a function's arguments; -1: it has none of that kind.
struct Function {
  Move move = Move::none;
  Event event = Event::none;
  int peer = -1;    // or the root
  int source = -1;  // of a call that also sends
  int communicator = -1;
  int window = -1;
  int count = -1;
  int type = -1;
  int count_in = -1;  // of what is received, if counted separately
  int type_in = -1;
  bool counts = false;  // counts are arrays, with an element for each peer
  bool counts_in = false;
  bool types = false;
  int buffer = -1;
  int buffer_in = -1;
  bool meets = false;  // a blocking collective
  int made = -1;       // position of the new communicator or request
  bool persistent = false;
  int partitions = -1;
  bool large = false;  // counts are 64 bits wide
};

struct Named {
  std::string_view name;  // without the MPI_ prefix
  int arity;
  Function function;
};

// The table's braces contain commas: UNWRAP strips the parentheses.
#define HALOCLINE_UNWRAP(...) __VA_ARGS__
#define HALOCLINE_FUNCTION(name, arity, facts) Named{#name, arity, HALOCLINE_UNWRAP facts},
inline constexpr auto functions = std::to_array<Named>({
#include "profiler/functions.inc"
});
#undef HALOCLINE_FUNCTION
#undef HALOCLINE_UNWRAP

/// The function's number, from its name without MPI_; -1 if it is not in the table.
constexpr int find(std::string_view name) {
  std::size_t low = 0;
  std::size_t high = functions.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (functions[middle].name < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < functions.size() && functions[low].name == name ? static_cast<int>(low) : -1;
}

}  // namespace halocline::profiler
