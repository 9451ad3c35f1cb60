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

/// Which boot of which machine this process belongs to.
std::string boot() {
  std::string identity;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> identity;
  return identity;
}

/// What the pid counts in: the same on all hosts that are not made of namespaces.
std::string pid_namespace() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
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
  const char* folder = std::getenv("HALOCLINE_JOB_DIR");
  if (folder == nullptr) {
    return;
  }
  const auto path = std::filesystem::path(folder) / ("rank-" + std::to_string(rank) + ".pid");
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
