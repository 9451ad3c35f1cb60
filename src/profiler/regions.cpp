#include "profiler/regions.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string_view>

#include "profiler/function.hpp"
#include "profiler/lock.hpp"
#include "profiler/table.hpp"

namespace halocline::profiler {
namespace {

constexpr std::size_t longest_name = 64;  // including the terminating 0
constexpr std::uint32_t no_region = regions_maximum;

int (*forward)(int, ...) = nullptr;
Lock lock;

struct Sum {
  std::uint64_t ticks = 0;
  std::uint64_t bytes = 0;
};

void add(Sum& sum, const Row& row) {
  const Move move = functions[(row.kind >> 32U) & 0xFFFU].function.move;
  sum.ticks += row.ticks;
  sum.bytes += move == Move::write || move == Move::read ? 0 : row.bytes_sent;
}

/// This thread's activity in MPI so far.
Sum sum_of(const Thread& thread) {
  Sum sum;
  std::for_each_n(thread.rows, thread.segment->rows, [&](const Row& row) { add(sum, row); });
  std::for_each_n(thread.merged, thread.segment->merged_rows,
                  [&](const Row& row) { add(sum, row); });
  sum.ticks += thread.segment->lost.ticks;
  return sum;
}

/// Whether it may be a name in UTF-8 rather than garbage; one that is too long may be cut off.
bool is_readable(std::string_view text) {
  int following = 0;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const int ones = std::countl_one(byte);
    if (byte < ' ' || ones > 4 || (ones == 1) != (following > 0)) {
      return false;
    }
    following = std::max({following, ones, 1}) - 1;
  }
  return following == 0 || text.size() == longest_name;
}

/// Programs call MPI_Pcontrol(1) without a name, so the argument is garbage: the kernel reads it,
/// and does not fault. The first bytes of a name that is too long.
std::string_view name_at(Word address, char (&text)[longest_name]) {
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0) {
    return {};
  }
  const ssize_t length = pread(memory, text, longest_name, static_cast<off_t>(address));
  close(memory);
  const std::string_view read(text, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  const std::string_view name = read.substr(0, read.find('\0'));
  const bool ends = name.size() < read.size() || name.size() == longest_name;
  return ends && is_readable(name) ? name : std::string_view();
}

std::uint32_t new_region(std::string_view name) {
  Header& header = *process.header;
  if (header.regions == regions_maximum || name.size() == longest_name) {
    ++header.untracked;
    return no_region;
  }
  std::memcpy(header.region[header.regions].name, name.data(), name.size());
  return header.regions++;
}

std::uint32_t region_named(std::string_view name) {
  const Guard guard(lock);
  for (std::uint32_t i = 0; i < process.header->regions; ++i) {
    if (name == process.header->region[i].name) {
      return i;
    }
  }
  return new_region(name);
}

void begin(Thread& thread, std::uint32_t region) {
  if (thread.regions_open == std::size(thread.open_regions)) {
    ++thread.regions_skipped[region];
    ++process.header->untracked;
    return;
  }
  const Sum sum = sum_of(thread);
  thread.open_regions[thread.regions_open++] = {region, ticks(), sum.ticks, sum.bytes};
}

/// Regions begun within it and never ended also end.
void end(Thread& thread, std::uint32_t region) {
  if (thread.regions_skipped[region] > 0) {
    --thread.regions_skipped[region];
    return;
  }
  const std::uint64_t now = ticks();
  const Sum sum = sum_of(thread);
  std::uint32_t depth = thread.regions_open;
  while (depth > 0 && thread.open_regions[depth - 1].region != region) {
    --depth;
  }
  if (depth == 0) {
    return;  // never begun
  }
  const auto& opened = thread.open_regions[depth - 1];
  Region& row = process.header->region[region];
  const auto atomically = [](std::uint64_t& total, std::uint64_t more) {
    std::atomic_ref(total).fetch_add(more, std::memory_order_relaxed);
  };
  atomically(row.count, 1);
  atomically(row.ticks, now - opened.enter);
  atomically(row.mpi_ticks, sum.ticks - opened.mpi_ticks);
  atomically(row.bytes, sum.bytes - opened.bytes);
  thread.regions_open = depth - 1;
  std::ranges::fill(thread.regions_skipped, 0);
}

int control(int level, Word name) {
  char text[longest_name];
  if (level == 1 || level == -1) {
    const std::string_view label = name_at(name, text);
    Thread* own = label.empty() ? nullptr : thread();
    const std::uint32_t region = own == nullptr ? no_region : region_named(label);
    if (region != no_region) {
      level == 1 ? begin(*own, region) : end(*own, region);
    }
  }
  return forward(level, name);
}

}  // namespace

Word region_wrapper(Word target) {
  forward = reinterpret_cast<int (*)(int, ...)>(target);
  return reinterpret_cast<Word>(&control);
}

}  // namespace halocline::profiler
