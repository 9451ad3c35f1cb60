#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "halocline/base/memory.hpp"

namespace halocline {

/// Allocates large blocks in huge pages where the kernel offers them: otherwise page faults of 4
/// KiB took a third of a route's time. Elements without a given value are uninitialised.
template <class Item>
class LargePages {
 public:
  using value_type = Item;

  LargePages() = default;
  template <class Other>
  explicit LargePages(const LargePages<Other>& /*other*/) {}

  Item* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Item);
    if (bytes < large_bytes) {
      return std::allocator<Item>().allocate(count);
    }
    const std::size_t length = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
    void* const memory = ::operator new(length, std::align_val_t{huge_page_bytes});
    madvise(memory, length, MADV_HUGEPAGE);  // if refused, other pages will do
    return static_cast<Item*>(memory);
  }

  void deallocate(Item* memory, std::size_t count) {
    if (count * sizeof(Item) < large_bytes) {
      std::allocator<Item>().deallocate(memory, count);
    } else {
      ::operator delete(memory, std::align_val_t{huge_page_bytes});
    }
  }

  template <class Made>
  void construct(Made* place) {
    ::new (static_cast<void*>(place)) Made;
  }
  template <class Made, class... Values>
  void construct(Made* place, Values&&... values) {
    ::new (static_cast<void*>(place)) Made(std::forward<Values>(values)...);
  }

  friend bool operator==(const LargePages& /*one*/, const LargePages& /*other*/) { return true; }

 private:
  static constexpr std::size_t large_bytes = 2 * huge_page_bytes;
};

template <class Item>
using LargeVector = std::vector<Item, LargePages<Item>>;

}  // namespace halocline
