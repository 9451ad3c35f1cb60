#pragma once

#include <cstdint>

/// The file that each process writes while it runs. Read by python/halocline/profile/parts.py. It
/// begins with the header and grows with use: tables, and a segment for each thread, are appended
/// piece by piece.
namespace halocline::profiler {

constexpr std::uint32_t format_version = 5;
constexpr std::uint64_t header_bytes = 16384;
constexpr std::uint64_t records_bytes = std::uint64_t{64} << 20U;
constexpr std::uint32_t threads_maximum = 1024;
constexpr std::uint32_t rows_maximum = 1U << 15U;
constexpr std::uint32_t arrivals_maximum = 1U << 16U;
constexpr std::uint32_t size_classes = 66;
constexpr std::uint32_t files_maximum = 640;  // the highest number that a file may have, plus one
constexpr std::uint32_t file_rows_maximum = 1U << 13U;
constexpr std::uint32_t bins_maximum = 1024;
constexpr std::uint32_t regions_maximum = 64;
constexpr std::uint32_t memory_samples_maximum = 256;
constexpr std::uint32_t pieces_maximum = 24;
constexpr std::uint32_t cores_maximum = 1024;

/// One moment on three clocks.
struct Moment {
  std::uint64_t ticks;
  std::int64_t monotonic_ns;
  std::int64_t realtime_ns;
};

struct Piece {
  std::uint64_t at;  // in the file
  std::uint64_t bytes;
};

/// A table of the file, in pieces.
struct Pieces {
  std::uint64_t number;
  Piece piece[pieces_maximum];
};

/// The process's use of processors.
struct Running {
  std::int64_t processor_ns;  // of all its threads
  std::int64_t delayed_ns;    // its main thread was ready to run but had no core; -1: unknown
};

/// How far the process got; one bit each.
enum class Stage : std::uint32_t {
  initialized = 1,
  finalized = 2,
  exited = 4,
  aborted = 8,
};

enum class Abi : std::uint32_t { unknown, standard, mpich, openmpi };

/// A part of the program that the program named.
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
  std::uint64_t file_bytes;     // so far
  std::uint64_t first_segment;  // 0: no thread yet
  std::int32_t rank;            // -1 until known
  std::int32_t size;
  std::int32_t pid;
  Abi abi;
  std::uint32_t segments;
  std::uint32_t stages;
  Moment start;
  Moment latest;
  Running running_at_start;
  Running running_latest;
  std::uint64_t cores[cores_maximum / 64];  // on which it may run; one bit each
  std::int64_t peak_memory_bytes;
  std::uint64_t untracked;
  std::uint64_t unrecorded;  // calls of threads that the file had no room for
  std::uint64_t records_used;
  std::uint64_t next_moment;  // in ticks
  Pieces records;
  Pieces files_tables[2];
  std::uint32_t
      files_state;      // which of two tables is valid; times two, how many bits of ticks a bin is
  std::uint32_t files;  // that have a number, not counting the one for all others
  std::uint32_t files_rows[2];
  std::uint64_t events_maximum;  // of each thread; 0: no trace
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

enum class RecordKind : std::uint32_t { module = 1, communicator, window, file, python };

constexpr std::int32_t other_world = -1;  // a rank outside this world

/// Followed by `bytes` bytes: the path of a module or a file, a Python file and function separated
/// by a 0 (base is the site, local the line), or a communicator's world ranks (local, remote).
struct Record {
  RecordKind kind;
  std::uint32_t bytes;
  std::uint64_t base;  // a module's address, or the object's number
  std::uint32_t local;
  std::uint32_t remote;
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

struct Segment {
  std::uint64_t next;  // of the next thread; 0: this is the last
  std::int32_t thread;
  std::uint32_t rows;
  std::uint32_t merged_rows;
  std::uint32_t arrivals;
  std::uint64_t stride;  // one of this many collectives is kept on average
  std::uint64_t merged;  // calls without a row of their own
  std::uint64_t events;  // of which the last ones are kept, in a ring
  Row lost;              // calls in no other row: the file could not grow
  Pieces rows_table;
  Pieces merged_table;
  Pieces arrivals_table;
  Pieces events_table;
};

struct Arrival {
  std::uint64_t site;
  std::uint16_t function;
  std::uint16_t communicator;
  std::int32_t root;  // as the program gave it, or no_peer
  std::uint64_t sequence;
  std::uint64_t enter;
  std::uint64_t leave;
};
static_assert(sizeof(Arrival) == 40);

/// A single call; `kind` is packed by key().
struct Traced {
  std::uint64_t kind;
  std::uint64_t bytes;
  std::uint64_t enter;
  std::uint64_t leave;
};

/// Operations on a file in a bin of time.
struct FileRow {
  std::uint32_t file;
  std::uint32_t operation;
  std::uint64_t bin;  // its first tick, shifted
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t ticks;
};
constexpr std::uint64_t file_table_bytes = file_rows_maximum * sizeof(FileRow);

constexpr std::uint32_t no_communicator = 4095;
constexpr std::uint32_t communicators_maximum = no_communicator;
constexpr std::int32_t no_peer = INT32_MIN;

/// peer 32 bits, function 12, size class 7, part 1, communicator 12. A part is a further message of
/// a call that another row counts.
constexpr std::uint64_t key(std::uint32_t function, std::uint32_t size_class,
                            std::uint32_t communicator, std::int32_t peer, bool part) {
  return std::uint64_t{static_cast<std::uint32_t>(peer)} | std::uint64_t{function} << 32U |
         std::uint64_t{size_class} << 44U | std::uint64_t{part} << 51U |
         std::uint64_t{communicator} << 52U;
}

}  // namespace halocline::profiler
