#include "halocline/base/whole_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "halocline/base/error.hpp"

namespace halocline {

void write_whole(const std::filesystem::path& path, std::string_view text) {
  std::error_code failure;
  std::filesystem::create_directories(path.parent_path(), failure);
  const std::filesystem::path under_way = path.string() + ".part";
  std::ofstream file(under_way, std::ios::binary);
  file << text;
  file.flush();
  if (!file) {
    failure = std::error_code(errno, std::generic_category());
  }
  file.close();
  if (!failure) {
    std::filesystem::rename(under_way, path, failure);
  }
  if (failure) {
    std::error_code ignored;
    std::filesystem::remove(under_way, ignored);  // other files need the room
    throw Error("cannot write " + path.string() + ": " + failure.message() +
                "; choose a folder with room that may be written to");
  }
}

}  // namespace halocline
