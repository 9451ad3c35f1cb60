#pragma once

#include <bit>
#include <cstdint>

#include "profiler/function.hpp"
#include "profiler/handles.hpp"

/// How many bytes a call moves, from its arguments. Called after the call has succeeded: its
/// arguments' handles are then valid.
namespace halocline::profiler {

struct Amount {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

template <Function F>
std::uint64_t count_at(Word array, std::int32_t index) {
  return F.large ? static_cast<std::uint64_t>(reinterpret_cast<const std::int64_t*>(array)[index])
                 : static_cast<std::uint64_t>(reinterpret_cast<const std::int32_t*>(array)[index]);
}

template <Function F>
std::uint64_t single_count(Word word) {
  return F.large ? word : static_cast<std::uint64_t>(static_cast<std::int32_t>(word));
}

/// Counts and types without elements may name no type at all.
inline std::uint64_t bytes_of(Thread& thread, std::uint64_t count, Word type) {
  return count == 0 ? 0 : count * static_cast<std::uint64_t>(type_bytes(thread, type));
}

template <Function F>
std::uint64_t type_at(Word array, std::int32_t index) {
  return pointed(array + static_cast<Word>(index) * (library.handle_mask == ~Word{0} ? 8 : 4));
}

inline bool is_absent(std::uint64_t absent, std::int32_t peer) {
  return peer < 64 && (absent >> static_cast<unsigned>(peer) & 1U) != 0;
}

/// The sum of an array of counts over the peers; of a single count, its multiple. The bits of
/// `absent` are peers that are not there.
template <Function F, bool In>
std::uint64_t over_peers(Thread& thread, const Word* arguments, std::int32_t peers,
                         std::uint64_t absent = 0) {
  constexpr bool alone = F.count_in < 0;
  constexpr int count = In && !alone ? F.count_in : F.count;
  constexpr int type = In && !alone ? F.type_in : F.type;
  constexpr bool array = In && !alone ? F.counts_in : F.counts;
  if constexpr (!array) {
    return bytes_of(thread, single_count<F>(arguments[count]), arguments[type]) *
           static_cast<std::uint64_t>(peers - std::popcount(absent));
  } else if constexpr (F.types) {
    std::uint64_t sum = 0;
    for (std::int32_t i = 0; i < peers; ++i) {
      if (!is_absent(absent, i)) {
        sum += bytes_of(thread, count_at<F>(arguments[count], i), type_at<F>(arguments[type], i));
      }
    }
    return sum;
  } else {
    std::uint64_t sum = 0;
    for (std::int32_t i = 0; i < peers; ++i) {
      sum += is_absent(absent, i) ? 0 : count_at<F>(arguments[count], i);
    }
    return bytes_of(thread, sum, arguments[type]);
  }
}

template <Function F, bool In>
std::uint64_t one_peer(Thread& thread, const Word* arguments, std::int32_t peer) {
  constexpr bool alone = F.count_in < 0;
  constexpr int count = In && !alone ? F.count_in : F.count;
  constexpr int type = In && !alone ? F.type_in : F.type;
  constexpr bool array = In && !alone ? F.counts_in : F.counts;
  if constexpr (array) {
    return bytes_of(thread, count_at<F>(arguments[count], peer), arguments[type]);
  } else {
    return bytes_of(thread, single_count<F>(arguments[count]), arguments[type]);
  }
}

template <Function F>
bool in_place(const Word* arguments) {
  return (F.buffer >= 0 && arguments[F.buffer < 0 ? 0 : F.buffer] == library.in_place) ||
         (F.buffer_in >= 0 && arguments[F.buffer_in < 0 ? 0 : F.buffer_in] == library.in_place);
}

/// A collective with a root: who sends, who receives.
template <Function F>
Amount rooted(Thread& thread, const Word* arguments, const Communicator& communicator) {
  const auto root = static_cast<std::int32_t>(arguments[F.peer]);
  const bool is_root = communicator.inter ? root == library.root : root == communicator.rank;
  const bool takes_part = !communicator.inter || root != library.proc_null;
  if (!takes_part) {
    return {};
  }
  if constexpr (F.move == Move::broadcast) {
    const std::uint64_t bytes = one_peer<F, false>(thread, arguments, 0);
    return is_root ? Amount{bytes, 0} : Amount{0, bytes};
  } else if constexpr (F.move == Move::reduce) {
    const std::uint64_t bytes = one_peer<F, false>(thread, arguments, 0);
    return {is_root && communicator.inter ? 0 : bytes, is_root ? bytes : 0};
  } else if constexpr (F.move == Move::gather) {
    if (!is_root) {
      return {one_peer<F, false>(thread, arguments, 0), 0};
    }
    const std::uint64_t received = over_peers<F, true>(thread, arguments, communicator.peers);
    if (communicator.inter) {
      return {0, received};
    }
    return {in_place<F>(arguments) ? one_peer<F, true>(thread, arguments, root)
                                   : one_peer<F, false>(thread, arguments, 0),
            received};
  } else {
    if (!is_root) {
      return {0, one_peer<F, true>(thread, arguments, 0)};
    }
    const std::uint64_t sent = over_peers<F, false>(thread, arguments, communicator.peers);
    if (communicator.inter) {
      return {sent, 0};
    }
    return {sent, in_place<F>(arguments) ? one_peer<F, false>(thread, arguments, root)
                                         : one_peer<F, true>(thread, arguments, 0)};
  }
}

/// A collective in which all ranks do the same.
template <Function F>
Amount among_all(Thread& thread, const Word* arguments, const Communicator& communicator) {
  const std::int32_t peers = communicator.peers;
  if constexpr (F.move == Move::all_reduce) {
    const std::uint64_t bytes = one_peer<F, false>(thread, arguments, 0);
    return {bytes, bytes};
  } else if constexpr (F.move == Move::reduce_scatter) {
    // Its counts are those of the own group, also where the data comes from the other one.
    return {over_peers<F, false>(thread, arguments, communicator.size),
            one_peer<F, false>(thread, arguments, communicator.rank)};
  } else if constexpr (F.move == Move::all_gather) {
    const std::uint64_t received = over_peers<F, true>(thread, arguments, peers);
    return {in_place<F>(arguments) ? one_peer<F, true>(thread, arguments, communicator.rank)
                                   : one_peer<F, false>(thread, arguments, 0),
            received};
  } else if constexpr (F.move == Move::all_to_all) {
    const std::uint64_t received = over_peers<F, true>(thread, arguments, peers);
    return {in_place<F>(arguments) ? received : over_peers<F, false>(thread, arguments, peers),
            received};
  } else if constexpr (F.move == Move::neighbour_gather) {
    return {one_peer<F, false>(thread, arguments, 0) *
                static_cast<std::uint64_t>(communicator.out_degree -
                                           std::popcount(communicator.absent)),
            over_peers<F, true>(thread, arguments, communicator.in_degree, communicator.absent)};
  } else {
    const std::uint64_t absent = communicator.absent;
    return {over_peers<F, false>(thread, arguments, communicator.out_degree, absent),
            over_peers<F, true>(thread, arguments, communicator.in_degree, absent)};
  }
}

/// One side of a one-sided call, a message or a file access.
template <Function F>
Amount alone(Thread& thread, const Word* arguments) {
  std::uint64_t bytes = 0;
  if constexpr (F.count >= 0) {
    bytes = bytes_of(thread, single_count<F>(arguments[F.count]), arguments[F.type]);
  } else {
    bytes = bytes_of(thread, 1, arguments[F.type]);  // MPI_Fetch_and_op
  }
  if constexpr (F.partitions >= 0) {
    bytes *= static_cast<std::uint64_t>(static_cast<std::int32_t>(arguments[F.partitions]));
  }
  if constexpr (F.move == Move::send || F.move == Move::put || F.move == Move::write) {
    return {bytes, 0};
  } else if constexpr (F.move == Move::receive || F.move == Move::get || F.move == Move::read) {
    return {0, bytes};
  } else if constexpr (F.count_in >= 0) {  // also sends
    return {bytes, bytes_of(thread, single_count<F>(arguments[F.count_in]), arguments[F.type_in])};
  } else {
    return {bytes, bytes};
  }
}

template <Function F>
Amount amount(Thread& thread, const Word* arguments, const Communicator* communicator) {
  constexpr Move move = F.move;
  if constexpr (move == Move::none || move == Move::barrier) {
    return {};
  } else if constexpr (move == Move::broadcast || move == Move::gather || move == Move::scatter ||
                       move == Move::reduce) {
    return rooted<F>(thread, arguments, *communicator);
  } else if constexpr (F.communicator >= 0 && F.peer < 0) {
    return among_all<F>(thread, arguments, *communicator);
  } else {
    return alone<F>(thread, arguments);
  }
}

/// Nothing moves to or from MPI_PROC_NULL. Of a collective it is a root.
template <Function F>
bool moves_nothing(std::int32_t peer) {
  constexpr bool is_rooted = F.move == Move::broadcast || F.move == Move::gather ||
                             F.move == Move::scatter || F.move == Move::reduce;
  return !is_rooted && peer == library.proc_null;
}

}  // namespace halocline::profiler
