#include "profiler/storage.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "profiler/lock.hpp"
#include "profiler/ticks.hpp"

namespace halocline::profiler {
namespace {

constexpr std::uint64_t most_at_once = std::uint64_t{8} << 20U;
constexpr int write_back_tries = 10'000;

struct {
  char path[4096];
  dev_t device;
  ino_t inode;
  Header* header;
  std::uint64_t full_until;  // in ticks
  bool shared;               // other nodes read it from a server
} file;
Lock lock;
alignas(16) char stack[std::size_t{64} << 10U];  // of the helper; lock held

/// An operation on the file, and its result.
struct Task {
  bool create;
  bool write_back;  // all that there is, and nothing else
  bool alone;       // with a separate descriptor table
  std::uint64_t at;
  std::uint64_t least;
  std::uint64_t bytes;  // requested, then actual
  void* place;          // where to map them; null: anywhere
  struct stat facts;
  int error;
};

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

std::uint64_t whole_pages(std::uint64_t bytes) {
  const std::uint64_t page = page_bytes();
  return (bytes + page - 1) / page * page;
}

/// Not open(), at which a thread may be cancelled.
int open_file(const Task& task) {
  const int flags = O_RDWR | O_CLOEXEC | (task.create ? O_CREAT | O_EXCL : 0);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, file.path, flags, 0644));
}

int allocate(int descriptor, std::uint64_t at, std::uint64_t bytes) {
  rlimit limit{};
  // Beyond the limit the kernel sends a signal that ends the program.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && at + bytes > limit.rlim_cur) {
    return EFBIG;
  }
  int error = EINTR;
  while (error == EINTR) {
    error = posix_fallocate(descriptor, static_cast<off_t>(at), static_cast<off_t>(bytes));
  }
  return error;
}

/// Whether the path still leads to the file that was created; learns its facts.
int check(int descriptor, Task& task) {
  if (fstat(descriptor, &task.facts) != 0) {
    return errno;
  }
  const bool same = task.facts.st_dev == file.device && task.facts.st_ino == file.inode;
  return task.create || same ? 0 : ESTALE;
}

int grow(int descriptor, Task& task) {
  int error = allocate(descriptor, task.at, task.bytes);
  while (error != 0 && task.bytes > task.least) {
    task.bytes = std::max(task.least, whole_pages(task.bytes / 2));
    error = allocate(descriptor, task.at, task.bytes);
  }
  if (error != 0) {
    return error;
  }
  void* place = mmap(task.place, task.bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | (task.place == nullptr ? 0 : MAP_FIXED), descriptor,
                     static_cast<off_t>(task.at));
  if (place == MAP_FAILED) {
    return errno;
  }
  task.place = place;
  return 0;
}

/// Whether other nodes may read it, who do not see what is only in this kernel's memory.
bool is_shared(int descriptor) {
  constexpr long xfs = 0x58465342;
  constexpr long zfs = 0x2FC12FC1;
  constexpr long local[] = {EXT4_SUPER_MAGIC,
                            BTRFS_SUPER_MAGIC,
                            TMPFS_MAGIC,
                            RAMFS_MAGIC,
                            OVERLAYFS_SUPER_MAGIC,
                            xfs,
                            zfs};
  struct statfs facts{};
  if (fstatfs(descriptor, &facts) != 0) {
    return false;
  }
  return std::ranges::find(local, static_cast<long>(facts.f_type)) == std::end(local);
}

/// Not fsync(), at which a thread may be cancelled.
int sync_file(int descriptor) { return syscall(SYS_fsync, descriptor) == 0 ? 0 : errno; }

int act(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  int descriptor = open_file(task);
  if (descriptor < 0 && errno == EMFILE && task.alone) {
    syscall(SYS_close, STDIN_FILENO);  // the program's own stays open
    descriptor = open_file(task);
  }
  if (descriptor < 0) {
    task.error = errno;
    return 0;
  }
  if (task.create) {
    file.shared = is_shared(descriptor);
  }
  task.error = check(descriptor, task);
  if (task.error == 0) {
    task.error = task.write_back ? sync_file(descriptor) : grow(descriptor, task);
  }
  syscall(SYS_close, descriptor);
  return 0;
}

/// Runs in a process that shares only the memory: the descriptor is never among the program's,
/// where a thread that closes them all could put another file in its place; and signals from the
/// process's limits end with it. If no process can be created, runs here.
bool carry_out(Task& task) {
  const int error_before = errno;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);  // a handler would run in the helper, on shared memory
  task.alone = true;
  task.error = ECHILD;  // until the helper reports otherwise
  const int helper = clone(act, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, &task);
  if (helper > 0) {
    while (waitpid(helper, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
  } else {
    task.alone = false;
    act(&task);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = task.error != 0 ? task.error : error_before;
  return task.error == 0;
}

/// With the lock held. Appends at the end of the file; the task reports its new size.
bool append(Task& task) {
  const int error_before = errno;
  const std::uint64_t now = ticks();
  if (now < file.full_until) {
    return false;
  }
  task.at = file.header->file_bytes;
  if (!carry_out(task)) {
    file.full_until = now + patience_ticks();
    errno = error_before;
    return false;
  }
  file.header->file_bytes = task.at + task.bytes;
  return true;
}

}  // namespace

Header* create_file(const char* path) {
  const Guard guard(lock);
  std::snprintf(file.path, sizeof(file.path), "%s", path);
  Task task{};
  task.create = true;
  task.bytes = task.least = whole_pages(header_bytes);
  if (!carry_out(task)) {
    return nullptr;
  }
  file.device = task.facts.st_dev;
  file.inode = task.facts.st_ino;
  file.full_until = 0;
  file.header = static_cast<Header*>(task.place);
  file.header->file_bytes = task.bytes;
  return file.header;
}

void write_back() {
  if (!file.shared) {
    return;
  }
  // A signal handler that ends the process may have interrupted the thread that holds the lock.
  for (int tries = 0; !lock.take_if_free(); ++tries) {
    if (tries == write_back_tries) {
      return;
    }
    sched_yield();
  }
  const int error_before = errno;
  Task task{};
  task.write_back = true;
  carry_out(task);
  errno = error_before;
  lock.release();
}

void* add_to_file(std::uint64_t bytes, std::uint64_t& at) {
  const Guard guard(lock);
  Task task{};
  task.bytes = task.least = whole_pages(bytes);
  if (!append(task)) {
    return nullptr;
  }
  at = task.at;
  return task.place;
}

bool open_area(Area& area, Pieces& pieces, std::uint64_t maximum) {
  if (area.pieces != nullptr) {
    return true;
  }
  const std::uint64_t bytes = whole_pages(maximum);
  void* memory =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return false;
  }
  area = {&pieces, static_cast<char*>(memory), 0, bytes};
  return true;
}

bool extend(Area& area, std::uint64_t bytes) {
  if (area.bytes >= bytes) {
    return true;
  }
  const Guard guard(lock);
  while (area.bytes < bytes) {
    Pieces& pieces = *area.pieces;
    if (bytes > area.maximum || pieces.number == pieces_maximum) {
      return false;
    }
    const std::uint64_t left = area.maximum - area.bytes;
    const std::uint64_t wanted = std::max(area.bytes, bytes - area.bytes);
    // A table of 2^24 calls doubles up to an eighth in 15 pieces; 7 of an eighth follow.
    const std::uint64_t most = std::max({most_at_once, area.maximum / 8, bytes - area.bytes});
    Task task{};
    task.least = page_bytes();
    task.bytes = whole_pages(std::min({wanted, left, most}));
    task.place = area.memory + area.bytes;
    if (!append(task)) {
      return false;
    }
    pieces.piece[pieces.number] = {task.at, task.bytes};
    ++pieces.number;
    area.bytes += task.bytes;
  }
  return true;
}

}  // namespace halocline::profiler
