#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halocline {

/// A box of elements in memory.
struct Strided {
  static constexpr std::size_t max_dimensions = 4;

  std::byte* base;            // of the box's first element
  std::size_t element_bytes;  // without gaps inside an element
  std::array<std::int64_t, max_dimensions> count{1, 1, 1, 1};
  std::array<std::ptrdiff_t, max_dimensions> stride_bytes{};  // from one element to the next

  std::size_t size_bytes() const;
  bool empty() const { return size_bytes() == 0; }
  /// Whether the elements are contiguous in order of the dimensions, the first fastest.
  bool contiguous() const;
  /// A box of the same elements, packed at another address.
  Strided packed_at(std::byte* address) const;

  friend bool operator==(const Strided&, const Strided&) = default;
};

/// How a copy stores: like the C library, or past the caches, which saves reading what will be
/// overwritten. Short rows that would leave cache lines partly written go into the caches all the
/// same.
enum class Stores { cached, streaming };

/// A box to copy repeatedly to another with the same counts and elements; they must not overlap.
/// After streaming stores the caller must call finish_streaming() before it signals another thread
/// or rank.
class Copy {
 public:
  Copy(const Strided& to, const Strided& from);

  void run(Stores stores = Stores::cached) const;
  std::size_t size_bytes() const { return size_bytes_; }
  /// The same copy in about this many equal parts, one per thread; possibly fewer.
  std::vector<Copy> divided(std::size_t parts) const;

  /// Whether streaming stores differ from others here: they are not used for short rows.
  bool can_stream() const;

  /// Whether it is of short rows that lie far apart, in the same order on both sides.
  bool column() const;
  /// Whether both are columns of the same shape, such as the sides of a halo in each field.
  bool alike(const Copy& other) const;
  /// An order of columns in which those that are alike follow each other, by address.
  static bool before(const Copy& one, const Copy& other);
  /// Runs columns that are alike row by row in turn: they share cache lines and pages, or the
  /// processor fetches those of several at once. One copy of any kind is run as it is.
  static void run_together(std::span<const Copy> copies, Stores stores);

 private:
  /// A dimension of the copy.
  struct Loop {
    std::int64_t count = 1;
    std::ptrdiff_t to_stride = 0;
    std::ptrdiff_t from_stride = 0;

    friend auto operator<=>(const Loop&, const Loop&) = default;
  };

  void join(const Loop& next);
  std::vector<Copy> divided_row(std::size_t parts) const;
  std::uintptr_t address_where_apart() const;
  template <class Visit>
  void for_each_place(Visit visit) const;
  template <class Visit>
  void for_each_row(Visit visit) const;
  template <std::size_t element_bytes>
  void copy_elements() const;
  void copy_rows() const;
  void copy_by_elements() const;

  std::byte* to_;
  const std::byte* from_;
  std::size_t size_bytes_;
  std::size_t element_bytes_;
  // Loops over rows, the innermost first: as few as the layout of both sides allows.
  std::array<Loop, Strided::max_dimensions> loops_{};
  std::size_t used_ = 0;
  std::size_t row_bytes_;  // contiguous on both sides
};

inline void copy(const Strided& to, const Strided& from, Stores stores = Stores::cached) {
  Copy(to, from).run(stores);
}

}  // namespace halocline
