#include "halocline/measure/sample_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline::measure {
namespace {

Error file_error(const std::filesystem::path& path, const char* action, int code) {
  const char* remedy = code == ENOSPC || code == EDQUOT
                           ? "free space on that file system, then resume the run"
                           : "check the path and its permissions, then resume the run";
  return Error(std::string{"cannot "} + action + " " + path.string() + ": " + std::strerror(code) +
               "; " + remedy);
}

off_t size_of(int descriptor) {
  struct stat status{};
  return fstat(descriptor, &status) == 0 ? status.st_size : 0;
}

bool ends_unfinished(int descriptor) {
  const off_t size_bytes = size_of(descriptor);
  char last = '\n';
  return size_bytes > 0 && pread(descriptor, &last, 1, size_bytes - 1) == 1 && last != '\n';
}

}  // namespace

SampleWriter::SampleWriter(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) {
    throw file_error(path_, "open", errno);
  }
  if (ends_unfinished(descriptor_)) {
    write_whole("\n");
  }
}

SampleWriter::~SampleWriter() { close(descriptor_); }

void SampleWriter::append(const std::string& record) {
  const std::string line = record + '\n';
  write_whole(line);
  checksum_.add(line);
}

void SampleWriter::write_whole(std::string_view bytes) {
  const off_t size_before_bytes = size_of(descriptor_);
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      const int code = errno;
      const bool cut = ftruncate(descriptor_, size_before_bytes) == 0;
      throw file_error(path_, cut ? "append to" : "append to or cut", code);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace halocline::measure
