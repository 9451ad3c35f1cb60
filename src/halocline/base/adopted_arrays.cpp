#include "halocline/base/adopted_arrays.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <random>
#include <set>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/base/mappings.hpp"
#include "halocline/base/units.hpp"

namespace halocline {
namespace {

// The amount that exists twice during the exchange.
constexpr std::size_t chunk_bytes = 32 * mebibyte;

/// The process's adopted memory: a forked child gets its own view.
struct Adopted {
  std::mutex mutex;
  std::set<const AdoptedArrays*> all;

  static Adopted& here() {
    static auto& adopted = *new Adopted;  // never destroyed: a process may fork while it exits
    static const int watched = pthread_atfork([] { here().mutex.lock(); },
                                              [] { here().mutex.unlock(); }, part_from_parent);
    static_cast<void>(watched);
    return adopted;
  }
  static void part_from_parent() {
    Adopted& adopted = here();
    for (const AdoptedArrays* const arrays : adopted.all) {
      arrays->part_from_parent();
    }
    adopted.mutex.unlock();
  }
};

std::string path_of(int key) {
  return std::string{AdoptedArrays::path_begins} + std::to_string(key);
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::span<std::byte> whole_pages_in(std::span<std::byte> array) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(array.data()) % page_bytes();
  const std::size_t before = (page_bytes() - past) % page_bytes();
  if (array.size() < before + page_bytes()) {
    return {};
  }
  return array.subspan(before, (array.size() - before) / page_bytes() * page_bytes());
}

std::string text_of(std::span<const std::byte> array, std::size_t number) {
  return "array " + std::to_string(number + 1) + " of " + std::to_string(array.size()) + " bytes";
}

void require_apart(std::span<const std::span<std::byte>> arrays) {
  std::vector<std::span<std::byte>> sorted;
  std::ranges::copy_if(arrays, std::back_inserter(sorted),
                       [](const auto& array) { return !array.empty(); });
  std::ranges::sort(sorted, {}, [](const auto& array) { return array.data(); });
  for (std::size_t next = 1; next < sorted.size(); ++next) {
    if (sorted[next].data() < sorted[next - 1].data() + sorted[next - 1].size()) {
      throw Error(
          "arrays to adopt overlap by " +
          std::to_string(sorted[next - 1].data() + sorted[next - 1].size() - sorted[next].data()) +
          " bytes; allowed: each byte once; pass each array once");
    }
  }
}

/// Calls step(bytes, offset) until everything is done; false on failure.
template <class Step>
bool in_full(std::span<std::byte> memory, std::size_t offset_bytes, Step step) {
  while (!memory.empty()) {
    const ssize_t done = step(memory, static_cast<off_t>(offset_bytes));
    if (done <= 0) {
      if (done < 0 && errno == EINTR) {
        continue;
      }
      return false;
    }
    memory = memory.subspan(static_cast<std::size_t>(done));
    offset_bytes += static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

AdoptedArrays::AdoptedArrays(std::span<const std::span<std::byte>> arrays) {
  require_apart(arrays);
  const Mappings mappings = Mappings::read();
  for (std::size_t number = 0; number < arrays.size(); ++number) {
    const std::span<std::byte> inside = whole_pages_in(arrays[number]);
    if (const auto objection = mappings.objection(inside)) {
      throw Error(text_of(arrays[number], number) + " cannot be adopted: its pages " + *objection +
                  "; allowed: private memory, as of malloc, allocate or NumPy; allocate the array "
                  "there, or in the library's own memory");
    }
    if (!inside.empty()) {
      const std::vector<Mapping> under = mappings.over(inside);
      const bool huge = std::ranges::any_of(under, [](const auto& one) { return one.has("hg"); });
      parts_.push_back(
          {.memory = inside, .offset_bytes = 0, .shared_bytes = 0, .huge_pages = huge});
    }
  }
  std::ranges::sort(parts_, {}, [](const Part& part) { return part.memory.data(); });
  for (Part& part : parts_) {
    part.offset_bytes = std::exchange(size_bytes_, size_bytes_ + part.memory.size());
  }
  create();
  try {
    std::ranges::for_each(parts_, [this](Part& part) { share(part); });
  } catch (...) {
    give_back_all();
    close();
    throw;
  }
  const std::scoped_lock lock(Adopted::here().mutex);
  Adopted::here().all.insert(this);
}

AdoptedArrays::~AdoptedArrays() {
  {
    const std::scoped_lock lock(Adopted::here().mutex);
    Adopted::here().all.erase(this);
  }
  give_back_all();
  close();
}

void AdoptedArrays::create() {
  std::random_device random;
  do {
    key_ = static_cast<int>(random() >> 1U);
    file_ = open(path_of(key_).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  } while (file_ < 0 && errno == EEXIST);
  struct stat status{};
  if (file_ < 0 || fstat(file_, &status) != 0) {
    throw Error("shared memory for adopted arrays cannot be created in /dev/shm: " +
                std::string{std::strerror(errno)} +
                "; mount a tmpfs there, or leave the arrays where they are");
  }
  inode_ = status.st_ino;
}

void AdoptedArrays::hide() noexcept {
  if (key_ >= 0) {
    unlink(path_of(std::exchange(key_, -1)).c_str());
  }
}

void AdoptedArrays::close() noexcept {
  hide();
  if (file_ >= 0) {
    ::close(std::exchange(file_, -1));
  }
}

/// Written by the kernel: a lack of shared memory is then an error, not a signal.
void AdoptedArrays::share(Part& part) {
  while (part.shared_bytes < part.memory.size()) {
    const auto chunk = part.memory.subspan(
        part.shared_bytes, std::min(chunk_bytes, part.memory.size() - part.shared_bytes));
    const std::size_t offset_bytes = part.offset_bytes + part.shared_bytes;
    if (!in_full(chunk, offset_bytes, [this](std::span<std::byte> from, off_t offset) {
          return pwrite(file_, from.data(), from.size(), offset);
        })) {
      throw Error("adopted arrays of " + std::to_string(size_bytes_) +
                  " bytes do not go into shared memory: " + std::strerror(errno) +
                  "; allowed: what /dev/shm has room for; enlarge it, or adopt less");
    }
    // Never by mremap: the hooks of UCX 1.13 and older lose memory that it moves.
    if (mmap(chunk.data(), chunk.size(), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | MAP_POPULATE, file_,
             static_cast<off_t>(offset_bytes)) == MAP_FAILED) {
      const int problem = errno;
      restore(chunk, offset_bytes, part.huge_pages);  // older kernels have unmapped it
      throw Error("adopted arrays cannot be mapped: " + std::string{std::strerror(problem)} +
                  "; raise vm.max_map_count, or adopt fewer arrays");
    }
    part.shared_bytes += chunk.size();
  }
}

void AdoptedArrays::restore(std::span<std::byte> chunk, std::size_t offset_bytes, bool huge_pages) {
  if (mmap(chunk.data(), chunk.size(), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    throw Error("adopted arrays cannot be given back: " + std::string{std::strerror(errno)} +
                "; leave more memory free");
  }
  if (huge_pages) {
    madvise(chunk.data(), chunk.size(), MADV_HUGEPAGE);
  }
  if (!in_full(chunk, offset_bytes, [this](std::span<std::byte> to, off_t offset) {
        return pread(file_, to.data(), to.size(), offset);
      })) {
    throw Error("adopted arrays cannot be read back: " + std::string{std::strerror(errno)} +
                "; leave more memory free");
  }
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset_bytes),
            static_cast<off_t>(chunk.size()));
}

void AdoptedArrays::unshare(Part& part) {
  const auto shared = part.memory.first(std::exchange(part.shared_bytes, 0));
  for (std::size_t done = 0; done < shared.size();) {
    const auto chunk = shared.subspan(done, std::min(chunk_bytes, shared.size() - done));
    restore(chunk, part.offset_bytes + done, part.huge_pages);
    done += chunk.size();
  }
}

/// Whether the object is still mapped there.
bool AdoptedArrays::lies_in(const Part& part, const Mappings& all) const {
  const auto mappings = all.over(part.memory.first(part.shared_bytes));
  return !mappings.empty() && std::ranges::all_of(mappings, [this](const Mapping& mapping) {
    return mapping.inode == inode_ && mapping.permissions.ends_with('s');
  });
}

void AdoptedArrays::give_back() {
  const Mappings mappings = Mappings::read_ranges();
  std::size_t released = 0;
  for (Part& part : parts_) {
    if (part.shared_bytes == 0) {
      continue;
    }
    if (lies_in(part, mappings)) {
      unshare(part);
    } else {
      part.shared_bytes = 0;
      ++released;
    }
  }
  if (released > 0) {
    throw Error(std::to_string(released) + " of " + std::to_string(parts_.size()) +
                " adopted arrays were released or moved before they were given back; allowed: to "
                "keep them until the memory is freed; free the memory first, then the arrays");
  }
}

void AdoptedArrays::give_back_all() noexcept {
  try {
    give_back();
  } catch (const Error&) {  // a destructor cannot report errors
    return;
  }
}

void AdoptedArrays::part_from_parent() const noexcept {
  for (const Part& part : parts_) {
    if (part.shared_bytes > 0 &&
        mmap(part.memory.data(), part.shared_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
             file_, static_cast<off_t>(part.offset_bytes)) == MAP_FAILED) {
      std::abort();  // rather than let a child write to its parent's arrays
    }
  }
}

ArraysElsewhere::ArraysElsewhere(int key) {
  const int file = open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  void* address = nullptr;
  const bool there = file >= 0 && fstat(file, &status) == 0;
  const auto size_bytes = static_cast<std::size_t>(status.st_size);
  if (there && size_bytes > 0) {
    address = mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, file, 0);
  }
  const int problem = errno;
  if (file >= 0) {
    ::close(file);
  }
  if (!there || address == MAP_FAILED) {
    throw Error("the adopted arrays of another rank of the node cannot be mapped: " +
                std::string{std::strerror(problem)} +
                "; allowed: ranks that share /dev/shm; share it among their containers, or leave "
                "the arrays where they are");
  }
  bytes_ = {static_cast<std::byte*>(address), size_bytes};
}

ArraysElsewhere::ArraysElsewhere(ArraysElsewhere&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

ArraysElsewhere::~ArraysElsewhere() {
  if (!bytes_.empty()) {
    munmap(bytes_.data(), bytes_.size());
  }
}

}  // namespace halocline
