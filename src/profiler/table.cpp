#include "profiler/table.hpp"

namespace halocline::profiler {
namespace {

constexpr std::uint64_t merged_index_bytes =
    functions.size() * size_classes * 2 * sizeof(std::uint32_t);

/// Calls without a row are counted separately; parts of calls are not counted at all.
Row& lost_row(Thread& thread, bool part) {
  thread.nowhere = {};
  return part ? thread.nowhere : thread.segment->lost;
}

Row& merged_row(Thread& thread, std::uint64_t kind, bool part) {
  Segment& segment = *thread.segment;
  if (thread.merged_index == nullptr) {
    thread.merged_index = static_cast<std::uint32_t*>(map_private(merged_index_bytes, true));
    if (thread.merged_index == nullptr) {
      return lost_row(thread, part);
    }
  }
  const auto function = static_cast<std::uint32_t>(kind >> 32U) & 0xFFFU;
  const auto size = static_cast<std::uint32_t>(kind >> 44U) & 0x7FU;
  std::uint32_t& place = thread.merged_index[(function * size_classes + size) * 2 + (part ? 1 : 0)];
  if (place == 0) {
    if (!extend(thread.merged_area, (segment.merged_rows + 1) * sizeof(Row))) {
      return lost_row(thread, part);
    }
    thread.merged[segment.merged_rows].kind = key(function, size, no_communicator, no_peer, part);
    place = ++segment.merged_rows;
  }
  segment.merged += part ? 0 : 1;
  return thread.merged[place - 1];
}

}  // namespace

Row& row_anew(Thread& thread, std::uint32_t& place, std::uint64_t site, std::uint64_t kind,
              bool part) {
  const std::uint32_t rows = thread.segment->rows;
  if (rows == rows_maximum || !extend(thread.rows_area, (rows + 1) * sizeof(Row))) {
    return merged_row(thread, kind, part);
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
  return extend(thread.arrivals_area, (segment.arrivals + 1) * sizeof(Arrival));
}

}  // namespace halocline::profiler
