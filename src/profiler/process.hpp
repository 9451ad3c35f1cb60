#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "profiler/format.hpp"
#include "profiler/storage.hpp"
#include "profiler/ticks.hpp"

namespace halocline::profiler {

using Word = std::uintptr_t;  // an argument of any function, as passed

struct Communicator;

/// What a thread writes, and what it remembers of handles. It lies in memory that is empty in a
/// forked child, so that the child never writes to its parent's file.
struct Thread {
  Row* rows;    // null: not set up
  bool inside;  // in an MPI call, whose file operations are not the program's
  Segment* segment;
  std::uint64_t segment_at;  // in the file
  Row* merged;
  Traced* events;  // null: there is no trace
  Arrival* arrivals;
  std::uint32_t* index;
  std::uint32_t* merged_index;  // null: nothing was merged
  Area rows_area;
  Area merged_area;
  Area arrivals_area;
  Area events_area;
  std::uint64_t events_room;  // 0: the ring still grows
  Row nowhere;                // for calls without a row
  std::uint32_t generation;
  struct Type {
    Word handle;
    std::int64_t bytes;
  } types[64];
  struct Known {
    Word handle;
    Communicator* communicator;
  } communicators[32];
  /// A call like an earlier one: same place and arguments, so the same row and the same bytes.
  struct Repeat {
    Word site;
    std::uint64_t what;  // function and peer
    Word handle;
    Word count;
    Word type;
    Row* row;
    std::uint64_t sent;
    std::uint64_t received;
    Communicator* communicator;
  } repeats[64];
  struct {
    std::uint32_t region;
    std::uint64_t enter;
    std::uint64_t mpi_ticks;
    std::uint64_t bytes;
  } open_regions[16];
  std::uint32_t regions_open;
  std::uint32_t regions_skipped[regions_maximum];  // begun with no place left for them
};

/// The process's file. Nothing here uses the memory allocator.
struct Process {
  Header* header;
  bool off;  // nothing is recorded
  Area records;
};

extern Process process;
extern constinit thread_local Thread* own_thread __attribute__((tls_model("initial-exec")));

/// This thread's state, made at its first call; null if nothing is recorded.
Thread* begin_thread();

inline Thread* thread() {
  Thread* own = own_thread;
  if (own != nullptr && own->rows != nullptr) [[likely]] {
    return own;
  }
  return begin_thread();
}

/// Whether this process records its file operations; opens its file at the first call. A forked
/// child does not record: it is no rank.
bool begin_files();

/// Zeroed memory; `wiped`: also zeroed in a forked child. Null if there is none.
void* map_private(std::uint64_t bytes, bool wiped);

/// Appends a record, whose content the caller writes; null if there is no room. Others wait until
/// it is closed.
char* append_record(const Record& record);
void close_record(const Record& record);

void remember_module(Word base, const char* path);

void reached(Stage stage);
/// The program continues after all.
void resumed(Stage stage);

/// The wrapper of a function that ends the process at once, without running destructors.
Word exit_wrapper(Word target);

/// Records the time, rarely: the pair of clocks gives the length of a tick.
void note_moment(std::uint64_t ticks_now);

inline void keep_time(std::uint64_t ticks_now) {
  if (ticks_now >= process.header->next_moment) [[unlikely]] {
    note_moment(ticks_now);
  }
}

/// Writes "halocline profile: …" to standard error.
void complain(std::string_view what, std::string_view which);

}  // namespace halocline::profiler
