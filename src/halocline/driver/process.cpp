#include "halocline/driver/process.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "halocline/base/error.hpp"

namespace halocline::driver {
namespace {

/// Identifies the machine and its current boot.
std::string boot() {
  std::string identity;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> identity;
  return identity;
}

/// The namespace of the pid: the same on all hosts that are not made of namespaces.
std::string pid_namespace() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
}

/// Where the rank leaves a file for its job's supervisor; empty without one.
std::filesystem::path left_behind(int rank, const char* extension) {
  const char* folder = std::getenv("HALOCLINE_JOB_DIR");
  return folder == nullptr
             ? std::filesystem::path{}
             : std::filesystem::path(folder) / ("rank-" + std::to_string(rank) + extension);
}

}  // namespace

std::vector<std::string> mapped_shared_memory() {
  constexpr std::string_view folder = "/dev/shm/";
  std::vector<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto begin = line.find(folder);
    if (begin == std::string::npos || line.ends_with(" (deleted)")) {
      continue;
    }
    std::string path = line.substr(begin);
    if (std::ranges::find(paths, path) == paths.end()) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

void leave_trace(int rank) {
  const auto path = left_behind(rank, ".pid");
  if (path.empty()) {
    return;
  }
  std::ofstream trace(path);
  trace << getpid() << ' ' << boot() << ' ' << pid_namespace() << '\n';
  for (const std::string& mapped : mapped_shared_memory()) {
    trace << mapped << '\n';
  }
  trace.close();
  if (!trace) {
    throw Error("cannot write " + path.string() +
                "; check the folder in HALOCLINE_JOB_DIR and the space on its file system");
  }
}

void leave_error(int rank, const std::string& message) {
  if (const auto path = left_behind(rank, ".error"); !path.empty()) {
    std::ofstream(path) << message << '\n';
  }
}

std::string allowed_processors() {
  constexpr std::string_view key = "Cpus_allowed_list:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) {
      const auto begin = line.find_first_not_of(" \t", key.size());
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  }
  return "";
}

std::string time_of_day() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace halocline::driver
