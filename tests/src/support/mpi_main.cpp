#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/environment.hpp"

#ifndef CALLS_FROM
#define CALLS_FROM one_thread
#endif

namespace {

/// Prints what fails, and on which rank.
class Failures final : public testing::EmptyTestEventListener {
 public:
  explicit Failures(int rank) : rank_(rank) {}

 private:
  // While a failure is reported, GoogleTest does not answer which test it is in: it holds its lock.
  void OnTestStart(const testing::TestInfo& test) override { test_ = &test; }
  void OnTestEnd(const testing::TestInfo& /*test*/) override { test_ = nullptr; }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      std::fprintf(stderr, "rank %d, %s.%s: %s:%d: %s\n", rank_,
                   test_ == nullptr ? "" : test_->test_suite_name(),
                   test_ == nullptr ? "" : test_->name(),
                   result.file_name() == nullptr ? "" : result.file_name(), result.line_number(),
                   result.message());
    }
  }

  int rank_;
  const testing::TestInfo* test_ = nullptr;
};

}  // namespace

/// Runs the tests on every rank; one that fails anywhere fails everywhere. Rank 0 alone prints the
/// ones that pass.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const halocline::mpi::Environment environment(argc, argv, halocline::mpi::CallsFrom::CALLS_FROM);
  const auto world = halocline::mpi::Communicator::world();
  if (world.rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures(world.rank()));
  }
  std::array<std::uint8_t, 1> failed{static_cast<std::uint8_t>(RUN_ALL_TESTS() == 0 ? 0 : 1)};
  world.maximum(failed);
  return failed[0];
}
