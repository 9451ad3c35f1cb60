#include "halocline/base/mappings.hpp"

#include <pthread.h>

#include <array>
#include <fstream>
#include <sstream>

#include "halocline/base/adopted_arrays.hpp"
#include "halocline/base/error.hpp"

namespace halocline {
namespace {

std::uintptr_t begin_of(std::span<const std::byte> memory) {
  return reinterpret_cast<std::uintptr_t>(memory.data());
}
std::uintptr_t end_of(std::span<const std::byte> memory) {
  return begin_of(memory) + memory.size();
}

/// The first line of a mapping, if it is one.
std::optional<Mapping> first_line(const std::string& line) {
  Mapping mapping{.begin = 0, .end = 0, .permissions = {}, .inode = 0, .name = {}, .flags = {}};
  char dash = '\0';
  std::uint64_t offset = 0;
  std::string device;
  std::istringstream words(line);
  words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.permissions >> offset >>
      device >> std::dec >> mapping.inode;
  if (!words || dash != '-') {
    return std::nullopt;
  }
  std::getline(words >> std::ws, mapping.name);
  return mapping;
}

/// Whether the memory is on the calling thread's stack; other threads' stacks look like any memory.
bool on_own_stack(std::span<const std::byte> memory) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return false;
  }
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(lowest);
  return begin_of(memory) < begin + bytes && end_of(memory) > begin;
}

struct Flag {
  const char* flag;
  const char* words;
};
constexpr std::array<Flag, 8> flags_refused{
    {{"gd", "are a stack"},
     {"ht", "are huge pages of their own (hugetlb)"},
     {"dc", "are kept from forked processes, as is memory registered with a network card"},
     {"lo", "are locked"},
     {"pf", "belong to a device"},
     {"io", "belong to a device"},
     {"um", "are watched by another program (userfaultfd)"},
     {"uw", "are watched by another program (userfaultfd)"}}};

std::optional<std::string> objection_to(const Mapping& mapping) {
  if (mapping.name.starts_with(AdoptedArrays::path_begins)) {
    return "are adopted already";
  }
  if (mapping.name == "[stack]") {
    return "are a stack";
  }
  for (const Flag& refused : flags_refused) {
    if (mapping.has(refused.flag)) {
      return refused.words;
    }
  }
  if (mapping.inode != 0) {
    return "map the file " + mapping.name;
  }
  if (mapping.permissions != "rw-p") {
    return "have the permissions " + mapping.permissions;
  }
  return std::nullopt;
}

std::string text_in(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (text.str().empty()) {
    throw Error(path +
                " cannot be read, which says whose memory is adopted; mount /proc, or use the "
                "library's own memory");
  }
  return text.str();
}

}  // namespace

Mappings Mappings::read() { return of_text(text_in("/proc/self/smaps")); }
Mappings Mappings::read_ranges() { return of_text(text_in("/proc/self/maps")); }

Mappings Mappings::of_text(const std::string& text) {
  constexpr std::string_view flags_begin = "VmFlags: ";
  Mappings mappings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto mapping = first_line(line)) {
      mappings.all_.push_back(std::move(*mapping));
    } else if (line.starts_with(flags_begin) && !mappings.all_.empty()) {
      mappings.all_.back().flags = line.substr(flags_begin.size());
    }
  }
  return mappings;
}

std::vector<Mapping> Mappings::over(std::span<const std::byte> memory) const {
  std::vector<Mapping> found;
  std::uintptr_t reached = begin_of(memory);
  for (const Mapping& mapping : all_) {
    if (mapping.end <= reached || mapping.begin >= end_of(memory)) {
      continue;
    }
    if (mapping.begin > reached) {
      return {};
    }
    found.push_back(mapping);
    reached = mapping.end;
  }
  return reached >= end_of(memory) ? found : std::vector<Mapping>{};
}

std::optional<std::string> Mappings::objection(std::span<const std::byte> memory) const {
  if (memory.empty()) {
    return std::nullopt;
  }
  const std::vector<Mapping> mappings = over(memory);
  if (mappings.empty()) {
    return "are not all memory of this process";
  }
  for (const Mapping& mapping : mappings) {
    if (auto words = objection_to(mapping)) {
      return words;
    }
  }
  if (on_own_stack(memory)) {
    return "are a stack";
  }
  return std::nullopt;
}

}  // namespace halocline
