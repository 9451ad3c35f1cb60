#pragma once

#include <bit>
#include <cstdint>

#include "profiler/function.hpp"
#include "profiler/process.hpp"

namespace halocline::profiler {

/// One call as it is counted.
struct Call {
  std::uint32_t function;
  Word site;
  std::uint32_t communicator = no_communicator;
  std::int32_t peer = no_peer;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t size = 0;  // of the message, which determines its class
};

constexpr std::uint32_t size_class(std::uint64_t bytes) {
  return bytes == 0 ? 0 : 1 + static_cast<std::uint32_t>(std::bit_width(bytes - 1));
}

/// A new row for this kind of call, or the one for all kinds of its function and size.
[[gnu::noinline]] Row& row_anew(Thread& thread, std::uint32_t& place, std::uint64_t site,
                                std::uint64_t kind, bool part);

[[gnu::always_inline]] inline Row& row_of(Thread& thread, std::uint64_t site, std::uint64_t kind,
                                          bool part) {
  constexpr std::uint32_t mask = 2 * rows_maximum - 1;
  constexpr int shift = 64 - std::bit_width(mask);
  const std::uint64_t mixed = (site * 0x9E3779B97F4A7C15U) ^ (kind * 0xC2B2AE3D27D4EB4FU);
  for (auto at = static_cast<std::uint32_t>(mixed >> shift);; at = (at + 1) & mask) {
    std::uint32_t& place = thread.index[at];
    if (place == 0) [[unlikely]] {
      return row_anew(thread, place, site, kind, part);
    }
    Row& row = thread.rows[place - 1];
    if (row.site == site && row.kind == kind) [[likely]] {
      return row;
    }
  }
}

[[gnu::always_inline]] inline void add(Row& row, std::uint64_t sent, std::uint64_t received,
                                       std::uint64_t ticks, std::uint64_t leave) {
  ++row.count;
  row.ticks += ticks;
  row.bytes_sent += sent;
  row.bytes_received += received;
  row.last = leave;
}

/// Adds a call to the ring of single calls.
[[gnu::noinline]] void note_event(Thread& thread, std::uint64_t kind, std::uint64_t bytes,
                                  std::uint64_t enter, std::uint64_t leave);

/// Inlined, so that a call's facts stay in registers: storing and loading them costs as much as all
/// the rest.
[[gnu::always_inline]] inline Row& count(Thread& thread, Call call, std::uint64_t enter,
                                         std::uint64_t leave, bool part = false) {
  const std::uint64_t kind =
      key(call.function, size_class(call.size), call.communicator, call.peer, part);
  Row& row = row_of(thread, call.site, kind, part);
  if (row.count == 0) {
    row.first = enter;
  }
  add(row, call.sent, call.received, part ? 0 : leave - enter, leave);
  if (thread.events != nullptr && !part) [[unlikely]] {
    note_event(thread, kind, call.sent + call.received, enter, leave);
  }
  return row;
}

/// Whether this meeting of a communicator's ranks is recorded: the same ones on all ranks, and in a
/// program that repeats its collectives all of them equally often, whatever its period.
inline bool is_kept(const Segment& segment, std::uint64_t sequence) {
  std::uint64_t mixed = sequence * 0xFF51AFD7ED558CCDU;
  mixed = (mixed ^ mixed >> 33U) * 0xC4CEB9FE1A85EC53U;
  mixed ^= mixed >> 33U;
  return (mixed & (segment.stride - 1)) == 0;  // the stride is a power of two
}

/// Makes room for one more arrival, dropping every other one if necessary; false if this one is
/// dropped, or if the disk is full.
[[gnu::noinline]] bool room_for_arrival(Thread& thread, std::uint64_t sequence);

/// When this thread entered and left a collective.
[[gnu::always_inline]] inline void note_arrival(Thread& thread, const Call& call,
                                                std::uint32_t communicator, std::uint64_t sequence,
                                                std::uint64_t enter, std::uint64_t leave) {
  Segment& segment = *thread.segment;
  if (!is_kept(segment, sequence)) {
    return;
  }
  if ((segment.arrivals == arrivals_maximum ||
       (segment.arrivals + 1) * sizeof(Arrival) > thread.arrivals_area.bytes) &&
      !room_for_arrival(thread, sequence)) [[unlikely]] {
    return;
  }
  thread.arrivals[segment.arrivals] = {.site = call.site,
                                       .function = static_cast<std::uint16_t>(call.function),
                                       .communicator = static_cast<std::uint16_t>(communicator),
                                       .root = call.peer,
                                       .sequence = sequence,
                                       .enter = enter,
                                       .leave = leave};
  ++segment.arrivals;
}

}  // namespace halocline::profiler
