#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "halocline/base/large_vector.hpp"

namespace halocline {

namespace radix {

constexpr std::size_t few_items = 24;          // sorted faster by insertion
constexpr std::size_t cached_bytes = 262'144;  // of items, and of what they are moved to
constexpr int digit_bits = 8;                  // of items in the cache
constexpr int most_digits = 3;                 // of items in the cache
constexpr int longest_digit_bits = 11;         // more parts than this overflow the TLB

constexpr std::size_t values_of(int bits) { return std::size_t{1} << static_cast<unsigned>(bits); }

constexpr std::size_t digit_of(std::uint64_t number, int shift, int bits) {
  return static_cast<std::size_t>(number >> static_cast<unsigned>(shift)) & (values_of(bits) - 1);
}

/// Radix sort: splits parts that exceed the cache by the highest digit first, into parts that fit.
template <class Item, class Key>
class Sort {
 public:
  explicit Sort(Key key) : key_(key) {}

  /// The sorted items are in `there` if requested, otherwise in place.
  void run(std::span<Item> here, std::span<Item> there, bool ends_there) const {
    if (here.size() <= few_items) {
      insert(here);
    }
    const Range range = range_of(here);
    if (range.sorted) {
      if (ends_there) {
        std::ranges::copy(here, there.begin());
      }
      return;
    }
    const auto bits = static_cast<int>(std::bit_width(range.highest - range.lowest));
    if (here.size_bytes() <= cached_bytes && bits <= most_digits * digit_bits) {
      by_lowest_digits(here, there, {range.lowest, bits}, ends_there);
    } else {
      by_highest_digit(here, there, {range.lowest, bits}, ends_there);
    }
  }

 private:
  struct Range {
    std::uint64_t lowest;
    std::uint64_t highest;
    bool sorted;
  };

  /// The varying bits of the keys.
  struct Digits {
    std::uint64_t lowest;
    int bits;
  };

  void insert(std::span<Item> items) const {
    for (std::size_t next = 1; next < items.size(); ++next) {
      const Item item = items[next];
      std::size_t at = next;
      for (; at > 0 && key_(item) < key_(items[at - 1]); --at) {
        items[at] = items[at - 1];
      }
      items[at] = item;
    }
  }

  Range range_of(std::span<const Item> items) const {
    Range range{.lowest = ~std::uint64_t{0}, .highest = 0, .sorted = true};
    std::uint64_t last = 0;
    for (const Item& item : items) {
      const std::uint64_t number = key_(item);
      range.sorted = range.sorted && last <= number;
      range.lowest = std::min(range.lowest, number);
      range.highest = std::max(range.highest, number);
      last = number;
    }
    return range;
  }

  void by_lowest_digits(std::span<Item> here, std::span<Item> there, Digits digits,
                        bool ends_there) const {
    bool is_there = false;
    for (int shift = 0; shift < digits.bits; shift += digit_bits) {
      std::array<std::size_t, values_of(digit_bits)> places{};
      scatter(here, there, places, {digits.lowest, shift, digit_bits});
      std::swap(here, there);
      is_there = !is_there;
    }
    if (is_there != ends_there) {
      std::ranges::copy(here, there.begin());
    }
  }

  void by_highest_digit(std::span<Item> here, std::span<Item> there, Digits digits,
                        bool ends_there) const {
    const auto parts_bits = static_cast<int>(std::bit_width(here.size_bytes() / cached_bytes)) + 1;
    const int bits = std::min(digits.bits, std::clamp(parts_bits, digit_bits, longest_digit_bits));
    std::vector<std::size_t> ends(values_of(bits));
    scatter(here, there, ends, {digits.lowest, digits.bits - bits, bits});
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      run(there.subspan(begin, end - begin), here.subspan(begin, end - begin), !ends_there);
      begin = end;
    }
  }

  struct Digit {
    std::uint64_t lowest;
    int shift;
    int bits;
  };

  /// Moves each item to its digit's part; `places` become the ends of the parts.
  void scatter(std::span<const Item> here, std::span<Item> there, std::span<std::size_t> places,
               Digit digit) const {
    const auto part_of = [&](const Item& item) {
      return digit_of(key_(item) - digit.lowest, digit.shift, digit.bits);
    };
    for (const Item& item : here) {
      ++places[part_of(item)];
    }
    std::size_t begin = 0;
    for (std::size_t& place : places) {
      begin += std::exchange(place, begin);
    }
    for (const Item& item : here) {
      there[places[part_of(item)]++] = item;
    }
  }

  Key key_;
};

}  // namespace radix

/// Stable sort by an unsigned key. Time grows with the number of items only; needs as much extra
/// memory as they occupy.
template <class Item, class Allocator, class Key>
void sort_by(std::vector<Item, Allocator>& items, Key key) {
  LargeVector<Item> spare(items.size());
  radix::Sort<Item, Key>(key).run(items, spare, false);
}

}  // namespace halocline
