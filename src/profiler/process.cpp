#include "profiler/process.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profiler/function.hpp"
#include "profiler/library.hpp"
#include "profiler/lock.hpp"
#include "profiler/memory.hpp"
#include "profiler/running.hpp"

namespace halocline::profiler {

Process process{};
thread_local Thread* own_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr std::uint64_t first_moment_ticks = 1U << 14U;
constexpr std::uint64_t index_bytes = 2 * rows_maximum * sizeof(std::uint32_t);
constexpr std::uint64_t first_rows = 64;  // initial capacity
constexpr std::uint64_t merged_maximum = functions.size() * size_classes * 2;

Lock lock;
Lock records_lock;
/// Cleared in a forked child.
struct Own {
  int pid;
  std::atomic<bool> noting;  // a thread is in note_moment()
  Thread* threads[threads_maximum];
};
Own* own;
Thread* half_made = nullptr;
std::uint64_t no_room_until = 0;  // in ticks

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

template <std::size_t Room>
void copy(char (&into)[Room], const char* from) {
  const std::size_t length = std::min(std::strlen(from), Room - 1);
  std::memcpy(into, from, length);
  into[length] = '\0';
}

/// This rank's number from the launcher, for programs that end before MPI_Init.
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

/// How many single calls to keep for each thread.
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
  Header* header = create_file(path);
  if (header == nullptr) {
    complain(std::strerror(errno), path);
    return false;
  }
  if (!open_area(process.records, header->records, records_bytes)) {
    complain("no memory for the profile", path);
    return false;
  }
  header->version = format_version;
  header->functions = static_cast<std::uint32_t>(functions.size());
  header->events_maximum = events_wanted();
  header->rank = rank_of_launcher();
  header->pid = getpid();
  header->start = header->latest = moment();
  note_cores(*header);
  header->running_at_start = header->running_latest = running();
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

void (*real_exit)(int) = nullptr;

/// A vfork child shares the memory of its parent, which continues.
void exit_at_once(int code) {
  if (is_own() && own->pid == getpid()) {
    reached(Stage::exited);
  }
  real_exit(code);
}

/// A finished thread leaves its state to another: programs may start any number of threads.
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

bool open_tables(Thread& thread) {
  Segment& segment = *thread.segment;
  const std::uint64_t events = process.header->events_maximum;
  if (!open_area(thread.rows_area, segment.rows_table, rows_maximum * sizeof(Row)) ||
      !open_area(thread.merged_area, segment.merged_table, merged_maximum * sizeof(Row)) ||
      !open_area(thread.arrivals_area, segment.arrivals_table,
                 arrivals_maximum * sizeof(Arrival)) ||
      (events > 0 &&
       !open_area(thread.events_area, segment.events_table, events * sizeof(Traced)))) {
    return false;
  }
  return extend(thread.rows_area, first_rows * sizeof(Row)) &&
         extend(thread.merged_area, first_rows * sizeof(Row));
}

/// Appends it to the list, which is complete at any moment.
void link_segment(std::uint64_t at) {
  Header& header = *process.header;
  std::uint64_t& before = header.segments == 0 ? header.first_segment
                                               : own->threads[header.segments - 1]->segment->next;
  before = at;
}

Thread* new_thread() {
  Header& header = *process.header;
  if (header.segments == threads_maximum) {
    return nullptr;
  }
  // Work interrupted by a full disk continues when there is space.
  if (half_made == nullptr) {
    half_made = static_cast<Thread*>(map_private(sizeof(Thread), true));
  }
  Thread* thread = half_made;
  if (thread == nullptr) {
    return nullptr;
  }
  if (thread->index == nullptr) {
    thread->index = static_cast<std::uint32_t*>(map_private(index_bytes, true));
  }
  if (thread->segment == nullptr) {
    thread->segment = static_cast<Segment*>(add_to_file(sizeof(Segment), thread->segment_at));
  }
  if (thread->index == nullptr || thread->segment == nullptr || !open_tables(*thread)) {
    return nullptr;
  }
  half_made = nullptr;
  thread->segment->stride = 1;
  thread->merged = reinterpret_cast<Row*>(thread->merged_area.memory);
  thread->arrivals = reinterpret_cast<Arrival*>(thread->arrivals_area.memory);
  thread->events = reinterpret_cast<Traced*>(thread->events_area.memory);
  thread->rows = reinterpret_cast<Row*>(thread->rows_area.memory);
  link_segment(thread->segment_at);
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

Thread* begin_thread() {
  const Guard guard(lock);
  if (!begin_process()) {
    return nullptr;
  }
  if (process.header->abi == Abi::unknown) {
    learn_own_library();
  }
  Thread* thread = nullptr;
  if (ticks() >= no_room_until) {
    thread = inherited_thread();
    if (thread == nullptr) {
      thread = new_thread();
    }
  }
  if (thread == nullptr) {
    ++process.header->unrecorded;
    no_room_until = std::max(no_room_until, ticks() + patience_ticks());
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
  if (!extend(process.records, end)) {
    ++header.untracked;
    records_lock.release();
    return nullptr;
  }
  char* place = process.records.memory + header.records_used;
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
    if (stage == Stage::initialized) {
      note_cores(
          *process.header);  // where the launcher has bound it; threads bind themselves later
    }
    note_moment(ticks());
    write_back();
  }
}

void resumed(Stage stage) {
  if (is_own() && !process.off) {
    process.header->stages &= ~static_cast<std::uint32_t>(stage);
  }
}

Word exit_wrapper(Word target) {
  real_exit = reinterpret_cast<void (*)(int)>(target);
  return reinterpret_cast<Word>(&exit_at_once);
}

void note_moment(std::uint64_t ticks_now) {
  // No waiting: another thread's moment will do, and a signal handler may have interrupted its own.
  int cancellable = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);  // it would keep `noting` forever
  if (own->noting.exchange(true, std::memory_order_acquire)) {
    pthread_setcancelstate(cancellable, nullptr);
    return;
  }
  Header& header = *process.header;
  header.next_moment = ticks_now + std::min(ticks_of_second() / 8,
                                            ticks_now - header.start.ticks + first_moment_ticks);
  note_memory(ticks_now);
  header.running_latest = running();
  header.latest = moment();
  own->noting.store(false, std::memory_order_release);
  pthread_setcancelstate(cancellable, nullptr);
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
