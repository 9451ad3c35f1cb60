#include "halocline/base/radix_sort.hpp"

#include <gtest/gtest.h>

#include <random>

namespace halocline {
namespace {

struct Item {
  std::uint64_t key;
  std::size_t place;

  friend bool operator==(const Item&, const Item&) = default;
};

/// Keys below a bound, all moved up, in clusters or not.
struct Keys {
  const char* name;
  std::size_t count;
  std::uint64_t bound;
  std::uint64_t step;
  std::uint64_t lowest;
};

class RadixSortTest : public testing::TestWithParam<Keys> {};

TEST_P(RadixSortTest, orders_by_the_key_and_keeps_the_order_of_equal_ones) {
  const Keys& keys = GetParam();
  std::mt19937_64 random(3);
  std::vector<Item> items;
  for (std::size_t place = 0; place < keys.count; ++place) {
    const std::uint64_t cluster = random() % 3 * (keys.bound / 2);
    items.push_back(
        {.key = keys.lowest + (cluster + random() % keys.bound) * keys.step, .place = place});
  }
  std::vector<Item> expected = items;
  std::ranges::stable_sort(expected, {}, &Item::key);
  sort_by(items, [](const Item& item) { return item.key; });
  EXPECT_TRUE(items == expected);
  sort_by(items, [](const Item& item) { return item.key; });
  EXPECT_TRUE(items == expected) << "sorted before";
}

constexpr auto highest = ~std::uint64_t{0};

INSTANTIATE_TEST_SUITE_P(
    Some, RadixSortTest,
    testing::Values(Keys{"none", 0, 1, 1, 0}, Keys{"one", 1, 9, 1, 7}, Keys{"few", 20, 50, 1, 0},
                    Keys{"all_equal", 5000, 1, 0, 12}, Keys{"in_the_cache", 9000, 9000, 1, 5},
                    Keys{"many_equal", 9000, 12, 1, 5},
                    Keys{"beyond_the_cache", 200'000, 200'000, 1, 0},
                    Keys{"far_apart", 30'000, 400, std::uint64_t{1} << 50U, 3},
                    Keys{"in_far_clusters", 100'000, std::uint64_t{1} << 60U, 5, 0},
                    Keys{"up_to_the_highest", 60'000, 1000, 1, highest - 3000}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace halocline
