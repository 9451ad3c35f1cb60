#include "halocline/base/whole_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline {

WholeFile::WholeFile(std::filesystem::path path)
    : path_(std::move(path)), under_way_(path_.string() + ".part") {
  std::error_code shown_by_open;
  std::filesystem::create_directories(path_.parent_path(), shown_by_open);
  file_.open(under_way_, std::ios::binary);
  require_written();
}

WholeFile::~WholeFile() {
  if (file_.is_open()) {
    remove();
  }
}

void WholeFile::write(std::string_view bytes) {
  file_ << bytes;
  require_written();
}

void WholeFile::flush() {
  file_.flush();
  require_written();
}

void WholeFile::finish() {
  flush();
  file_.close();
  require_written();  // some file systems refuse only now
  std::error_code failure;
  std::filesystem::rename(under_way_, path_, failure);
  if (failure) {
    fail(failure.message());
  }
}

void WholeFile::require_written() {
  if (!file_) {
    fail(std::error_code(errno, std::generic_category()).message());
  }
}

void WholeFile::remove() {
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(under_way_, ignored);  // other files need the space
}

void WholeFile::fail(const std::string& why) {
  remove();
  throw Error("cannot write " + path_.string() + ": " + why +
              "; choose a folder with room that may be written to");
}

}  // namespace halocline
