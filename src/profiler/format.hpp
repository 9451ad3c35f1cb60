#pragma once

#include <cstdint>

/// The file that each process writes while it runs. Read by python/halocline/profile/parts.py.
/// Header, records, then one segment for each thread; all but what is used are holes.
namespace halocline::profiler {

constexpr std::uint32_t format_version = 3;
constexpr std::uint64_t header_bytes = 16384;
constexpr std::uint64_t records_bytes = std::uint64_t{64} << 20U;
constexpr std::uint32_t threads_maximum = 1024;
constexpr std::uint32_t rows_maximum = 1U << 15U;
constexpr std::uint32_t arrivals_maximum = 1U << 16U;
constexpr std::uint32_t size_classes = 66;
constexpr std::uint32_t files_maximum = 640;  // the last number that a file may have, plus one
constexpr std::uint32_t file_rows_maximum = 1U << 13U;
constexpr std::uint32_t bins_maximum = 1024;
constexpr std::uint32_t regions_maximum = 64;
constexpr std::uint32_t memory_samples_maximum = 256;

/// One moment on three clocks.
struct Moment {
  std::uint64_t ticks;
  std::int64_t monotonic_ns;
  std::int64_t realtime_ns;
};

/// How far the process came; a bit each.
enum class Stage : std::uint32_t {
  initialized = 1,
  finalized = 2,
  exited = 4,
  aborted = 8,
};

enum class Abi : std::uint32_t { unknown, standard, mpich, openmpi };

/// A part of the program that it named.
struct Region {
  char name[64];
  std::uint64_t count;
  std::uint64_t ticks;
  std::uint64_t mpi_ticks;
  std::uint64_t bytes;
};

struct Resident {
  std::uint64_t ticks;
  std::int64_t bytes;
};

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t functions;
  std::uint64_t records_at;
  std::uint64_t segments_at;
  std::uint64_t segment_bytes;
  std::uint64_t rows_at;  // these three within a segment
  std::uint64_t merged_at;
  std::uint64_t arrivals_at;
  std::int32_t rank;  // -1 until it is known
  std::int32_t size;
  std::int32_t pid;
  Abi abi;
  std::uint32_t segments;
  std::uint32_t stages;
  std::int32_t exit_code;
  std::uint32_t ending_signal;
  Moment start;
  Moment latest;
  std::int64_t peak_memory_bytes;
  std::uint64_t untracked;
  std::uint64_t records_used;
  std::uint64_t next_moment;  // in ticks
  std::uint64_t files_at;
  std::uint32_t
      files_state;      // which of two tables holds; times two, how many bits of ticks a bin is
  std::uint32_t files;  // that have a number, beside the one for all others
  std::uint32_t files_rows[2];
  std::uint64_t events_at;       // within a segment
  std::uint64_t events_maximum;  // of each thread; 0: there is no trace
  std::uint64_t memory_every;    // in ticks
  std::uint32_t memory_samples;
  std::uint32_t regions;
  char host[256];
  char program[1024];
  char library[1024];
  Region region[regions_maximum];
  Resident memory[memory_samples_maximum];
};
static_assert(sizeof(Header) <= header_bytes);

enum class RecordKind : std::uint32_t { module = 1, communicator, window, file };

/// Followed by `bytes` bytes: the path of a module or a file, or a communicator's world ranks
/// (local, remote).
struct Record {
  RecordKind kind;
  std::uint32_t bytes;
  std::uint64_t base;  // a module's address, or the number of the thing
  std::uint32_t local;
  std::uint32_t remote;
};

struct Segment {
  std::int32_t thread;
  std::uint32_t rows;
  std::uint64_t merged;  // calls for which no row was left
  std::uint64_t lost;    // of these those that are nowhere: the disk was full
  std::uint32_t arrivals;
  std::uint32_t stride;  // every so manyth collective is kept
  std::uint64_t events;  // of which the last events_maximum are kept, in a ring
};

/// Calls of one kind; `kind` is packed by key().
struct Row {
  std::uint64_t site;
  std::uint64_t kind;
  std::uint64_t count;
  std::uint64_t ticks;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_received;
  std::uint64_t first;
  std::uint64_t last;
};
static_assert(sizeof(Row) == 64);

struct Arrival {
  std::uint64_t site;
  std::uint32_t function;
  std::uint32_t communicator;
  std::uint64_t sequence;
  std::uint64_t enter;
  std::uint64_t leave;
};

/// A single call; `kind` is packed by key().
struct Traced {
  std::uint64_t kind;
  std::uint64_t bytes;
  std::uint64_t enter;
  std::uint64_t leave;
};

/// What was done to a file in a bin of time.
struct FileRow {
  std::uint32_t file;
  std::uint32_t operation;
  std::uint64_t bin;  // its first tick, shifted
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t ticks;
};
constexpr std::uint64_t file_table_bytes = file_rows_maximum * sizeof(FileRow);
static_assert(file_table_bytes % 4096 == 0);

constexpr std::uint32_t no_communicator = 4095;
constexpr std::uint32_t communicators_maximum = no_communicator;
constexpr std::int32_t no_peer = INT32_MIN;

/// peer 32 bits, function 12, size class 7, part 1, communicator 12. A part is a further message
/// of a call that another row counts.
constexpr std::uint64_t key(std::uint32_t function, std::uint32_t size_class,
                            std::uint32_t communicator, std::int32_t peer, bool part) {
  return std::uint64_t{static_cast<std::uint32_t>(peer)} | std::uint64_t{function} << 32U |
         std::uint64_t{size_class} << 44U | std::uint64_t{part} << 51U |
         std::uint64_t{communicator} << 52U;
}

}  // namespace halocline::profiler
