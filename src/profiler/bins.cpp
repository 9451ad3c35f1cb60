#include "profiler/bins.hpp"

#include <algorithm>
#include <cstring>

#include "profiler/process.hpp"

namespace halocline::profiler {
namespace {

/// The part of `bytes` before `at`.
std::uint64_t before(std::uint64_t at, std::uint64_t enter, std::uint64_t leave,
                     std::uint64_t bytes) {
  if (at >= leave) {
    return bytes;
  }
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(at - enter) /
                                    static_cast<double>(leave - enter));
}

}  // namespace

void Bins::add(std::uint32_t file, std::uint32_t operation, std::uint64_t enter,
               std::uint64_t leave, std::uint64_t bytes) {
  const std::uint64_t start = process.header->start.ticks;
  while ((leave >> shift()) - (start >> shift()) >= bins_maximum) {
    widen();
  }
  std::uint64_t at = enter;
  std::uint64_t given = 0;
  do {
    FileRow* found = row(file, operation, at >> shift());
    while (found == nullptr && rows() == file_rows_maximum) {
      widen();
      found = row(file, operation, at >> shift());
    }
    if (found == nullptr) {
      ++process.header->untracked;  // the disk is full
      return;
    }
    const std::uint64_t end = std::min(leave, ((at >> shift()) + 1) << shift());
    const std::uint64_t until = before(end, enter, leave, bytes);
    found->count += at == enter ? 1 : 0;
    found->bytes += until - given;
    found->ticks += end - at;
    given = until;
    at = end;
  } while (at < leave);
}

std::uint32_t Bins::which() const { return state_ & 1U; }
std::uint32_t Bins::shift() const { return state_ >> 1U; }
std::uint32_t& Bins::rows() const { return process.header->files_rows[which()]; }

FileRow* Bins::row(std::uint32_t file, std::uint32_t operation, std::uint64_t bin) {
  const std::uint64_t mixed =
      (bin * 8 + operation) * 0x9E3779B97F4A7C15U ^ file * std::uint64_t{0xC2B2AE3D27D4EB4F};
  for (auto at = static_cast<std::uint32_t>(mixed >> 40U) % places;; at = (at + 1) % places) {
    if (index_[at] == 0) {
      if (!make_room()) {
        return nullptr;
      }
      FileRow& made = table()[rows()];
      made = {file, operation, bin, 0, 0, 0};
      index_[at] = static_cast<std::uint16_t>(++rows());
      return &made;
    }
    FileRow& found = table()[index_[at] - 1];
    if (found.bin == bin && found.file == file && found.operation == operation) {
      return &found;
    }
  }
}

FileRow* Bins::table() const { return reinterpret_cast<FileRow*>(areas_[which()].memory); }

/// Makes room for one more row.
bool Bins::make_room() {
  Area& area = areas_[which()];
  return rows() < file_rows_maximum &&
         open_area(area, process.header->files_tables[which()], file_table_bytes) &&
         extend(area, (rows() + 1) * sizeof(FileRow));
}

void Bins::widen() {
  Header& header = *process.header;
  const FileRow* from = table();
  const std::uint32_t number = rows();
  state_ = (state_ ^ 1U) + 2;
  rows() = 0;
  std::memset(index_, 0, sizeof(index_));
  for (std::uint32_t i = 0; i < number; ++i) {
    if (FileRow* into = row(from[i].file, from[i].operation, from[i].bin >> 1U)) {
      into->count += from[i].count;
      into->bytes += from[i].bytes;
      into->ticks += from[i].ticks;
    } else {
      header.untracked += from[i].count;
    }
  }
  header.files_state = state_;
}

}  // namespace halocline::profiler
