#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/environment.hpp"

/// Runs the tests on every rank; one that fails anywhere fails everywhere. Rank 0 alone prints the
/// passing ones.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const halocline::mpi::Environment environment(argc, argv);
  const auto world = halocline::mpi::Communicator::world();
  if (world.rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  std::array<std::uint8_t, 1> failed{static_cast<std::uint8_t>(RUN_ALL_TESTS() == 0 ? 0 : 1)};
  if (failed[0] != 0 && world.rank() != 0) {
    std::fprintf(stderr, "tests failed on rank %d\n", world.rank());
  }
  world.maximum(failed);
  return failed[0];
}
