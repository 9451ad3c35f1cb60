#include "profiler/mpi_files.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "profiler/lock.hpp"

namespace halocline::profiler {
namespace {

struct Opened {
  Word handle;  // 0: none
  FileNumber file;
};

constinit Lock lock;
constinit std::array<Opened, 256> all{};

Opened* find(Word handle) {
  for (Opened& one : all) {
    if (one.handle == handle) {
      return &one;
    }
  }
  return nullptr;
}

FileNumber number_of(Word handle) {
  const Guard guard(lock);
  const Opened* known = find(handle);
  return known == nullptr ? other_files : known->file;
}

/// ROMIO's names may begin with one of its file systems, "ufs:"; any other colon is the file's own.
std::string_view without_system(std::string_view path) {
  static constexpr std::string_view systems[] = {"ufs",    "nfs",   "xfs",      "pvfs2",
                                                 "gpfs",   "panfs", "lustre",   "daos",
                                                 "testfs", "ime",   "quobytefs"};
  for (const std::string_view system : systems) {
    if (path.starts_with(system) && path.substr(system.size()).starts_with(':')) {
      return path.substr(system.size() + 1);
    }
  }
  return path;
}

}  // namespace

void open_mpi_file(Word handle, const char* path, std::uint64_t enter, std::uint64_t leave) {
  char whole[8192];
  path = without_system(path).data();
  if (path[0] != '/' && getcwd(whole, sizeof(whole) / 2) != nullptr) {
    const std::size_t length = std::strlen(whole);
    std::snprintf(whole + length, sizeof(whole) - length, "/%s", path);
    path = whole;
  }
  const FileNumber file = file_named(path);
  {
    const Guard guard(lock);
    if (Opened* place = find(0)) {
      *place = {handle, file};
    }
  }
  note_file(file, Operation::open, enter, leave, 0);
}

void close_mpi_file(Word handle, std::uint64_t enter, std::uint64_t leave) {
  note_file(number_of(handle), Operation::close, enter, leave, 0);
  const Guard guard(lock);
  if (Opened* known = find(handle)) {
    *known = {};
  }
}

void note_mpi_file(Word handle, Operation operation, std::uint64_t enter, std::uint64_t leave,
                   std::uint64_t bytes) {
  note_file(number_of(handle), operation, enter, leave, bytes);
}

}  // namespace halocline::profiler
