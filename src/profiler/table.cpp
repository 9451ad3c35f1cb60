#include "profiler/table.hpp"

namespace halocline::profiler {
namespace {

constexpr std::uint32_t rows_at_once = 1024;
constexpr std::uint32_t arrivals_at_once = 2048;
constexpr std::uint64_t merged_bytes = functions.size() * size_classes * 2 * sizeof(Row);

Row nowhere;  // what is written here is lost, and told in Segment::lost

bool in_file(const Thread& thread, const void* place, std::uint64_t bytes) {
  const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(place) -
                                                 reinterpret_cast<const char*>(thread.segment));
  return reserve(thread.segment_at + offset, bytes);
}

Row& merged_row(Thread& thread, std::uint64_t kind, bool part) {
  Segment& segment = *thread.segment;
  if (segment.merged == 0 && !in_file(thread, thread.merged, merged_bytes)) {
    ++segment.lost;
    return nowhere;
  }
  segment.merged += part ? 0 : 1;
  const auto function = static_cast<std::uint32_t>(kind >> 32U) & 0xFFFU;
  const auto size = static_cast<std::uint32_t>(kind >> 44U) & 0x7FU;
  Row& row = thread.merged[(function * size_classes + size) * 2 + (part ? 1 : 0)];
  row.kind = key(function, size, no_communicator, no_peer, part);
  return row;
}

}  // namespace

Row& row_anew(Thread& thread, std::uint32_t& place, std::uint64_t site, std::uint64_t kind,
              bool part) {
  const std::uint32_t rows = thread.segment->rows;
  if (rows == thread.rows_reserved) {
    if (rows == rows_maximum || !in_file(thread, thread.rows + rows, rows_at_once * sizeof(Row))) {
      return merged_row(thread, kind, part);
    }
    thread.rows_reserved += rows_at_once;
  }
  Row& row = thread.rows[rows];
  row.site = site;
  row.kind = kind;
  thread.segment->rows = rows + 1;
  place = rows + 1;
  return row;
}

bool room_for_arrival(Thread& thread, std::uint64_t sequence) {
  Segment& segment = *thread.segment;
  if (segment.arrivals == arrivals_maximum) {
    segment.stride *= 2;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < segment.arrivals; ++i) {
      if (is_kept(segment, thread.arrivals[i].sequence)) {
        thread.arrivals[kept++] = thread.arrivals[i];
      }
    }
    segment.arrivals = kept;
    return is_kept(segment, sequence) && kept < arrivals_maximum;
  }
  Arrival* next = thread.arrivals + thread.arrivals_reserved;
  if (!in_file(thread, next, arrivals_at_once * sizeof(Arrival))) {
    return false;
  }
  thread.arrivals_reserved += arrivals_at_once;
  return true;
}

}  // namespace halocline::profiler
