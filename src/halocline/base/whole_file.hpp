#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace halocline {

/// A file written under another name until it is complete: readers never see a partial one. An
/// unfinished file leaves nothing behind. All members throw Error where it cannot be written.
class WholeFile {
 public:
  /// Creates its folder.
  explicit WholeFile(std::filesystem::path path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view bytes);
  /// Passes everything written to the system.
  void flush();
  /// The file is complete: gives it its name.
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
