#include "halocline/numerics/gyro_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::numerics {
namespace {

using bundle::Near;

TEST(GyroMemoryTest, has_all_arrays_where_others_of_the_node_read_them) {
  const auto world = mpi::Communicator::world();
  const std::vector<std::size_t> lengths{7, 0, 64, 129};
  GyroMemory memory(4, 200, Near::shared, Pages::as_system, world);
  ASSERT_NE(memory.shared(), nullptr);
  const std::complex<double>* end = nullptr;
  for (const std::size_t length : lengths) {
    const GyroArray array = memory.take(length);
    ASSERT_EQ(array.size(), length);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0U);
    EXPECT_GE(array.data(), end);
    EXPECT_EQ(std::ranges::count(array, 0.0), static_cast<std::ptrdiff_t>(length));
    if (!mpi::simulated && length > 0) {
      EXPECT_TRUE(memory.shared()->offset_of(std::as_bytes(array)).has_value());
    }
    end = array.data() + length;
  }
  EXPECT_THROW(memory.take(64), Error);
}

TEST(GyroMemoryTest, is_private_without_shared_memory_and_on_pages_of_its_own) {
  const auto world = mpi::Communicator::world();
  EXPECT_EQ(GyroMemory(1, 8, Near::messages, Pages::as_system, world).shared(), nullptr);
  EXPECT_EQ(GyroMemory(1, 8, Near::shared, Pages::base, world).shared(), nullptr);
}

}  // namespace
}  // namespace halocline::numerics
