#include "profiler/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profiler/function.hpp"
#include "profiler/library.hpp"
#include "profiler/lock.hpp"
#include "profiler/memory.hpp"

namespace halocline::profiler {

Process process{};
thread_local Thread* own_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t first_moment_ticks = 1U << 14U;
constexpr std::uint64_t moment_ticks = std::uint64_t{1} << 28U;
constexpr std::uint64_t index_bytes = 2 * rows_maximum * sizeof(std::uint32_t);

constexpr std::uint64_t pages(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

constexpr std::uint64_t rows_at = page_bytes;
constexpr std::uint64_t merged_at = rows_at + rows_maximum * sizeof(Row);
constexpr std::uint64_t merged_bytes = pages(functions.size() * size_classes * 2 * sizeof(Row));
constexpr std::uint64_t arrivals_at = merged_at + merged_bytes;
constexpr std::uint64_t events_at = pages(arrivals_at + arrivals_maximum * sizeof(Arrival));
constexpr std::uint64_t files_at = header_bytes + records_bytes;
constexpr std::uint64_t segments_at = files_at + 2 * file_table_bytes;

Lock lock;
Lock records_lock;
/// A forked child finds it wiped.
struct Own {
  int pid;
  Thread* threads[threads_maximum];
};
Own* own;

bool is_own() { return own != nullptr && own->pid != 0; }

struct Modules {
  struct {
    Word base;
    char path[496];
  } list[512];
  std::uint32_t count;
  std::uint32_t written;
};
Modules* modules;

void* map_shared(int file, std::uint64_t at, std::uint64_t bytes) {
  void* place =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(at));
  return place == MAP_FAILED ? nullptr : place;
}

template <std::size_t Room>
void copy(char (&into)[Room], const char* from) {
  const std::size_t length = std::min(std::strlen(from), Room - 1);
  std::memcpy(into, from, length);
  into[length] = '\0';
}

/// What the launcher calls this rank, for programs that end before MPI tells.
std::int32_t rank_of_launcher() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    if (const char* value = std::getenv(name)) {
      return std::atoi(value);
    }
  }
  return -1;
}

void write_modules() {
  for (; modules->written < modules->count; ++modules->written) {
    const auto& module = modules->list[modules->written];
    const auto length = static_cast<std::uint32_t>(std::strlen(module.path));
    const Record record{RecordKind::module, length, module.base, 0, 0};
    char* place = append_record(record);
    if (place == nullptr) {
      return;
    }
    std::memcpy(place, module.path, length);
    close_record(record);
  }
}

/// How many single calls of each thread are kept.
std::uint64_t events_wanted() {
  const char* number = std::getenv("HALOCLINE_PROFILE_TRACE");
  return number == nullptr ? 0 : std::strtoull(number, nullptr, 10);
}

bool open_file() {
  const char* folder = std::getenv("HALOCLINE_PROFILE_FOLDER");
  if (folder == nullptr) {
    return false;
  }
  char host[256] = "unknown";
  gethostname(host, sizeof(host) - 1);
  char path[4096];
  std::snprintf(path, sizeof(path), "%s/%s-%d-%lld.part", folder, host, getpid(),
                static_cast<long long>(now_ns(CLOCK_REALTIME)));
  process.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (process.file < 0) {
    complain(std::strerror(errno), path);
    return false;
  }
  if (ftruncate(process.file, static_cast<off_t>(segments_at)) != 0 || !reserve(0, header_bytes)) {
    complain("no room for the profile", path);
    return false;
  }
  auto* header = static_cast<Header*>(map_shared(process.file, 0, header_bytes));
  process.records = static_cast<char*>(map_shared(process.file, header_bytes, records_bytes));
  if (header == nullptr || process.records == nullptr) {
    complain("no memory for the profile", path);
    return false;
  }
  header->version = format_version;
  header->functions = static_cast<std::uint32_t>(functions.size());
  header->records_at = header_bytes;
  header->segments_at = segments_at;
  header->files_at = files_at;
  header->events_at = events_at;
  header->events_maximum = events_wanted();
  header->segment_bytes = events_at + pages(header->events_maximum * sizeof(Traced));
  header->rows_at = rows_at;
  header->merged_at = merged_at;
  header->arrivals_at = arrivals_at;
  header->rank = rank_of_launcher();
  header->pid = getpid();
  header->start = header->latest = moment();
  header->next_moment = header->start.ticks + first_moment_ticks;
  copy(header->host, host);
  char program[1024] = "";
  if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0) {
    copy(header->program, program);
  }
  std::memcpy(header->magic, "HLCPROF", 8);
  process.header = header;
  return true;
}

/// Opens the file at the first call of the process.
bool begin_process() {
  if (is_own()) {
    return !process.off;
  }
  process = {};
  if (own == nullptr) {
    own = static_cast<Own*>(map_private(sizeof(Own), true));
  }
  process.off = own == nullptr || !open_file();
  if (own != nullptr) {
    own->pid = getpid();
  }
  if (process.off) {
    return false;
  }
  modules->written = 0;
  write_modules();
  return true;
}

/// A thread that is gone leaves its state to another: programs may start any number of them.
Thread* inherited_thread() {
  constexpr std::uint32_t from = 16;
  const std::uint32_t threads = process.header->segments;
  for (std::uint32_t i = 0; threads >= from && i < threads; ++i) {
    Thread* thread = own->threads[i];
    if (syscall(SYS_tgkill, own->pid, thread->segment->thread, 0) != 0 && errno == ESRCH) {
      return thread;
    }
  }
  return nullptr;
}

Thread* new_thread() {
  Header& header = *process.header;
  const std::uint64_t segment_bytes = header.segment_bytes;
  const std::uint64_t at = segments_at + header.segments * segment_bytes;
  if (header.segments == threads_maximum ||
      ftruncate(process.file, static_cast<off_t>(at + segment_bytes)) != 0 ||
      !reserve(at, page_bytes)) {
    return nullptr;
  }
  auto* thread = static_cast<Thread*>(map_private(pages(sizeof(Thread)), true));
  auto* base = static_cast<char*>(map_shared(process.file, at, segment_bytes));
  auto* index = static_cast<std::uint32_t*>(map_private(index_bytes, true));
  if (thread == nullptr || base == nullptr || index == nullptr) {
    return nullptr;
  }
  thread->index = index;
  thread->segment_at = at;
  thread->segment = reinterpret_cast<Segment*>(base);
  thread->segment->stride = 1;
  thread->merged = reinterpret_cast<Row*>(base + merged_at);
  thread->arrivals = reinterpret_cast<Arrival*>(base + arrivals_at);
  if (header.events_maximum > 0 &&
      reserve(at + events_at, header.events_maximum * sizeof(Traced))) {
    thread->events = reinterpret_cast<Traced*>(base + events_at);
  }
  thread->rows = reinterpret_cast<Row*>(base + rows_at);
  own->threads[header.segments++] = thread;
  return thread;
}

}  // namespace

void* map_private(std::uint64_t bytes, bool wiped) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) {
    return nullptr;
  }
  if (wiped) {
    madvise(place, bytes, MADV_WIPEONFORK);
  }
  return place;
}

bool reserve(std::uint64_t at, std::uint64_t bytes) {
  return posix_fallocate(process.file, static_cast<off_t>(at), static_cast<off_t>(bytes)) == 0;
}

Thread* begin_thread() {
  const Guard guard(lock);
  if (!begin_process()) {
    return nullptr;
  }
  if (process.header->abi == Abi::unknown) {
    learn_own_library();
  }
  Thread* thread = inherited_thread();
  if (thread == nullptr) {
    thread = new_thread();
  }
  if (thread == nullptr) {
    ++process.header->untracked;
    return nullptr;
  }
  thread->segment->thread = static_cast<std::int32_t>(syscall(SYS_gettid));
  own_thread = thread;
  return thread;
}

bool begin_files() {
  if (own == nullptr) {
    const Guard guard(lock);
    begin_process();
  }
  return is_own() && !process.off;
}

char* append_record(const Record& record) {
  records_lock.take();
  Header& header = *process.header;
  const std::uint64_t end = header.records_used + sizeof(Record) + (record.bytes + 7) / 8 * 8;
  if (end > records_bytes ||
      !reserve(header.records_at + header.records_used, end - header.records_used)) {
    ++header.untracked;
    records_lock.release();
    return nullptr;
  }
  char* place = process.records + header.records_used;
  std::memcpy(place, &record, sizeof(record));
  return place + sizeof(record);
}

void close_record(const Record& record) {
  process.header->records_used += sizeof(Record) + (record.bytes + 7) / 8 * 8;
  records_lock.release();
}

void remember_module(Word base, const char* path) {
  const Guard guard(lock);
  if (modules == nullptr) {
    modules = static_cast<Modules*>(map_private(sizeof(Modules), false));
  }
  if (modules == nullptr || modules->count == std::size(modules->list)) {
    return;
  }
  auto& module = modules->list[modules->count++];
  module.base = base;
  copy(module.path, path);
  if (is_own() && !process.off) {
    write_modules();
  }
}

void reached(Stage stage) {
  if (is_own() && !process.off) {
    process.header->stages |= static_cast<std::uint32_t>(stage);
    note_moment(ticks());
  }
}

void note_moment(std::uint64_t ticks_now) {
  Header& header = *process.header;
  header.next_moment =
      ticks_now + std::min(moment_ticks, ticks_now - header.start.ticks + first_moment_ticks);
  note_memory(ticks_now);
  header.latest = moment();
}

void complain(std::string_view what, std::string_view which) {
  constexpr std::string_view who = "halocline profile: ";
  constexpr std::string_view between = ": ";
  constexpr std::string_view end = "; nothing is recorded\n";
  const auto part = [](std::string_view text) {
    return iovec{const_cast<char*>(text.data()), text.size()};
  };
  const iovec parts[] = {part(who), part(which), part(between), part(what), part(end)};
  (void)!writev(STDERR_FILENO, parts, std::size(parts));
}

}  // namespace halocline::profiler
