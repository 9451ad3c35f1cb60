#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halocline {

class Mappings;

/// A program's own arrays, whose whole pages other processes can read from now on: where they were,
/// with what they held. Copied once into an object of shared memory, which is then mapped in their
/// place. Must not be made while a thread writes to them.
class AdoptedArrays {
 public:
  static constexpr std::string_view path_begins = "/dev/shm/halocline-";

  /// The whole pages of an array, and how far into the object they are.
  struct Part {
    std::span<std::byte> memory;
    std::size_t offset_bytes;
    std::size_t shared_bytes;  // how much of it is the object's already
    bool huge_pages;           // which the program has asked for
  };

  /// Throws Error, and has changed nothing, for memory that is not a program's alone, and where
  /// there is too little shared memory.
  explicit AdoptedArrays(std::span<const std::span<std::byte>> arrays);
  ~AdoptedArrays();
  AdoptedArrays(const AdoptedArrays&) = delete;
  AdoptedArrays& operator=(const AdoptedArrays&) = delete;

  /// In order of address, without those that are empty.
  const std::vector<Part>& parts() const { return parts_; }
  std::size_t size_bytes() const { return size_bytes_; }

  /// By which others find it, until it is hidden from them.
  int key() const { return key_; }
  void hide() noexcept;

  /// Makes the arrays ordinary memory again, where they are and with what they hold. Throws Error,
  /// after the others, for an array that was released meanwhile.
  void give_back();

  /// In a forked child: what it writes from now on is its own.
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
