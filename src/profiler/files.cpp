#include "profiler/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iterator>

#include "profiler/bins.hpp"
#include "profiler/lock.hpp"

namespace halocline::profiler {

bool uses_mpi = false;

namespace {

constexpr std::uint16_t not_looked_at = 0;  // otherwise the file's number plus one

/// Of this process: cleared in a forked child.
struct Files {
  Lock lock;
  Bins bins;
  std::uint16_t descriptors[4096];
  std::uint64_t names[2 * files_maximum];  // hashes; 0: none
  std::uint16_t numbers[2 * files_maximum];
};
Files* files;
Lock making;

/// A signal handler may write to a file while the interrupted thread is in here.
constinit thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;

/// Entered unless this thread is already inside.
class Entry {
 public:
  Entry() : entered_(!busy) { busy = true; }
  ~Entry() {
    if (entered_) {
      busy = false;
    }
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  explicit operator bool() const { return entered_; }

 private:
  bool entered_;
};

bool begin() {
  if (!uses_mpi || !begin_files()) {
    return false;
  }
  if (files == nullptr) {
    const Guard guard(making);
    if (files == nullptr) {
      files = static_cast<Files*>(map_private(sizeof(Files), true));
    }
  }
  return files != nullptr;
}

bool in_mpi() { return own_thread != nullptr && own_thread->inside; }

std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xCBF29CE484222325U;
  for (const char letter : text) {
    value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
  }
  return value == 0 ? 1 : value;
}

FileNumber new_number(std::string_view path) {
  Header& header = *process.header;
  if (header.files + 1 == files_maximum) {
    return other_files;
  }
  const Record record{RecordKind::file, static_cast<std::uint32_t>(path.size()), header.files + 1,
                      0, 0};
  char* place = append_record(record);
  if (place == nullptr) {
    return other_files;
  }
  std::memcpy(place, path.data(), path.size());
  close_record(record);
  return ++header.files;
}

FileNumber number_of(std::string_view path) {
  constexpr std::size_t places = std::size(Files{}.names);
  const std::uint64_t name = hash(path);
  std::size_t at = name % places;
  while (files->names[at] != 0 && files->names[at] != name) {
    at = (at + 1) % places;
  }
  if (files->names[at] == 0) {
    const FileNumber number = new_number(path);
    if (number == other_files) {
      return number;
    }
    files->names[at] = name;
    files->numbers[at] = static_cast<std::uint16_t>(number);
  }
  return files->numbers[at];
}

/// Files of the kernel, and those in memory by which MPI libraries share data.
bool is_kernels(std::string_view path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/") || path.starts_with("/dev/") ||
         path.starts_with("/memfd:");
}

FileNumber look_at(int descriptor) {
  struct stat facts{};
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return no_file;
  }
  char link[64];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  char path[4096];
  const ssize_t length = readlink(link, path, sizeof(path));
  if (length <= 0) {
    return other_files;
  }
  const std::string_view name(path, static_cast<std::size_t>(length));
  return is_kernels(name) ? no_file : number_of(name);
}

}  // namespace

FileNumber file_of(int descriptor) {
  if (descriptor <= STDERR_FILENO || in_mpi() || !begin()) {
    return no_file;
  }
  const Entry entry;
  if (!entry) {
    return no_file;
  }
  const Guard guard(files->lock);
  const auto place = static_cast<std::size_t>(descriptor);
  if (place >= std::size(files->descriptors)) {
    return look_at(descriptor);
  }
  std::uint16_t& known = files->descriptors[place];
  if (known == not_looked_at) {
    known = static_cast<std::uint16_t>(look_at(descriptor) + 1);
  }
  return known - 1U;
}

void forget_descriptor(int descriptor) {
  if (files != nullptr && descriptor >= 0 &&
      static_cast<std::size_t>(descriptor) < std::size(files->descriptors)) {
    files->descriptors[descriptor] = not_looked_at;
  }
}

FileNumber file_named(std::string_view path) {
  const Entry entry;
  if (!entry || !begin()) {
    return no_file;
  }
  const Guard guard(files->lock);
  return number_of(path);
}

void note_file(FileNumber file, Operation operation, std::uint64_t enter, std::uint64_t leave,
               std::uint64_t bytes) {
  const Entry entry;
  if (!entry || !begin()) {
    return;
  }
  const Guard guard(files->lock);
  files->bins.add(file, static_cast<std::uint32_t>(operation), enter, leave, bytes);
  keep_time(leave);
}

}  // namespace halocline::profiler
