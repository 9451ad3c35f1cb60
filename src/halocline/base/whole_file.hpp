#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace halocline {

/// A file that is written under another name until it is whole: who reads it meets a whole one.
/// What is not finished leaves nothing behind. All members throw Error where it cannot be written.
class WholeFile {
 public:
  /// Makes its folder.
  explicit WholeFile(std::filesystem::path path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view bytes);
  /// What has been written has left this program.
  void flush();
  /// The file is whole: from now on it has its name.
  void finish();

 private:
  void require_written();
  void remove();
  [[noreturn]] void fail(const std::string& why);

  std::filesystem::path path_;
  std::filesystem::path under_way_;
  std::ofstream file_;
};

}  // namespace halocline
