#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halocline {

class Mappings;

/// A program's own arrays, whose whole pages become readable by other processes, in place and with
/// their contents. They are copied once into a shared memory object, which is then mapped in their
/// place. No thread may write to them during construction.
class AdoptedArrays {
 public:
  static constexpr std::string_view path_begins = "/dev/shm/halocline-";

  /// The whole pages of an array, and their offset in the object.
  struct Part {
    std::span<std::byte> memory;
    std::size_t offset_bytes;
    std::size_t shared_bytes;  // how much of it is already the object's
    bool huge_pages;           // that the program asked for
  };

  /// Throws Error, and leaves everything unchanged, for memory that is not the program's alone, and
  /// where there is too little shared memory.
  explicit AdoptedArrays(std::span<const std::span<std::byte>> arrays);
  ~AdoptedArrays();
  AdoptedArrays(const AdoptedArrays&) = delete;
  AdoptedArrays& operator=(const AdoptedArrays&) = delete;

  /// In order of address, without empty ones.
  const std::vector<Part>& parts() const { return parts_; }
  std::size_t size_bytes() const { return size_bytes_; }

  /// The key by which others find it, until it is hidden from them.
  int key() const { return key_; }
  void hide() noexcept;

  /// Makes the arrays ordinary memory again, in place and with their contents. Throws Error, after
  /// handling the others, for an array that was freed meanwhile.
  void give_back();

  /// In a forked child: makes its further writes private.
  void part_from_parent() const noexcept;

 private:
  void create();
  void share(Part& part);
  void unshare(Part& part);
  void give_back_all() noexcept;
  void restore(std::span<std::byte> chunk, std::size_t offset_bytes, bool huge_pages);
  bool lies_in(const Part& part, const Mappings& all) const;
  void close() noexcept;

  std::vector<Part> parts_;
  std::size_t size_bytes_ = 0;
  int key_ = -1;
  int file_ = -1;
  std::uint64_t inode_ = 0;
};

/// The arrays that another process has adopted, read-only.
class ArraysElsewhere {
 public:
  /// Throws Error where they cannot be seen from here.
  explicit ArraysElsewhere(int key);
  ~ArraysElsewhere();
  ArraysElsewhere(ArraysElsewhere&& other) noexcept;
  ArraysElsewhere& operator=(ArraysElsewhere&& other) = delete;
  ArraysElsewhere(const ArraysElsewhere&) = delete;
  ArraysElsewhere& operator=(const ArraysElsewhere&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace halocline
