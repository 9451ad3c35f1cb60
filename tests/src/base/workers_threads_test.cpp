#include "halocline/base/workers.hpp"

#include <gtest/gtest.h>

#include <array>

#include "halocline/base/error.hpp"
#include "support/no_threads.hpp"
#include "support/problem.hpp"

namespace halocline {
namespace {

TEST(WorkersTest, each_works_once_a_round) {
  Workers workers(4);
  std::array<int, 4> rounds{};
  for (int round = 0; round < 100; ++round) {
    workers.run([&rounds](int worker) { ++rounds[static_cast<std::size_t>(worker)]; });
  }
  EXPECT_EQ(rounds, (std::array{100, 100, 100, 100}));
  EXPECT_EQ(workers.count(), 4);
}

TEST(WorkersTest, one_is_the_caller) {
  Workers workers(1);
  const auto caller = std::this_thread::get_id();
  workers.run([caller](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(WorkersTest, none_is_refused) { EXPECT_THROW(Workers(0), Error); }

TEST(WorkersTest, threads_that_do_not_start_are_an_error) {
  const test::NoThreads none;
  EXPECT_EQ(test::problem([] { const Workers workers(3); }),
            "cannot start thread 2 of 3: Resource temporarily unavailable; choose fewer threads");
}

}  // namespace
}  // namespace halocline
