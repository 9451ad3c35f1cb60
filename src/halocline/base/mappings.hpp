#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halocline {

/// A range of this process's addresses, as reported by the kernel.
struct Mapping {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::string permissions;  // as in "rw-p"
  std::uint64_t inode;      // 0: no file
  std::string name;         // of the file, "[heap]", ...; usually empty
  std::string flags;        // of two letters each, between spaces: smaps(5), VmFlags

  bool has(std::string_view flag) const { return flags.find(flag) != std::string::npos; }
};

/// All ranges of this process now, in order of address.
class Mappings {
 public:
  /// Throws Error if the kernel does not report them.
  static Mappings read();
  /// The same without flags, but faster.
  static Mappings read_ranges();
  /// From lines in the format of /proc/self/smaps.
  static Mappings of_text(const std::string& text);

  /// The mappings that contain the memory; empty if part of it is not mapped.
  std::vector<Mapping> over(std::span<const std::byte> memory) const;

  /// Why the memory's pages must not be replaced, in words that follow "its pages "; empty for
  /// memory from malloc, allocate or NumPy.
  std::optional<std::string> objection(std::span<const std::byte> memory) const;

 private:
  std::vector<Mapping> all_;
};

}  // namespace halocline
