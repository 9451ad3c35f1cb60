#include "profiler/memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "profiler/process.hpp"

namespace halocline::profiler {
namespace {

/// The number after this word, in bytes; 0 if the word is missing.
std::int64_t kibibytes_after(const char* text, const char* word) {
  const char* found = std::strstr(text, word);
  return found == nullptr ? 0 : std::strtoll(found + std::strlen(word), nullptr, 10) * 1024;
}

}  // namespace

/// getrusage would report the launcher's maximum from before it executed this program.
void note_memory(std::uint64_t ticks_now) {
  const int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (status < 0) {
    return;
  }
  char text[4096];
  const ssize_t length = read(status, text, sizeof(text) - 1);
  close(status);
  if (length <= 0) {
    return;
  }
  text[length] = '\0';
  Header& header = *process.header;
  header.peak_memory_bytes = std::max(header.peak_memory_bytes, kibibytes_after(text, "VmHWM:"));
  // Another thread may have noted a later moment since this one was read.
  if (header.memory_samples > 0 &&
      ticks_now <= header.memory[header.memory_samples - 1].ticks + header.memory_every) {
    return;
  }
  if (header.memory_samples >= memory_samples_maximum) {
    for (std::uint32_t i = 0; i < memory_samples_maximum / 2; ++i) {
      header.memory[i] = header.memory[std::size_t{2} * i];
    }
    header.memory_samples = memory_samples_maximum / 2;
    header.memory_every =
        2 * std::max(header.memory_every, (ticks_now - header.memory[0].ticks) /
                                              (std::uint64_t{2} * memory_samples_maximum));
  }
  header.memory[header.memory_samples] = {ticks_now, kibibytes_after(text, "VmRSS:")};
  ++header.memory_samples;
}

}  // namespace halocline::profiler
