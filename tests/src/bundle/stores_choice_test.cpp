#include "halocline/bundle/stores_choice.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace halocline::bundle {
namespace {

/// What is chosen where a run takes as long as `elapsed` says of its number and stores.
Stores chosen(const std::function<double(int run, Stores stores)>& elapsed) {
  StoresChoice choice({}, least_streamed_bytes);
  for (int run = 0; run < StoresChoice::runs; ++run) {
    EXPECT_FALSE(choice.settled());
    choice.ran(Seconds(elapsed(run, choice.next())));
  }
  EXPECT_TRUE(choice.settled());
  return choice.next();
}

TEST(StoresChoiceTest, takes_what_is_faster) {
  EXPECT_EQ(chosen([](int, Stores stores) { return stores == Stores::cached ? 1.0 : 1.3; }),
            Stores::cached);
  EXPECT_EQ(chosen([](int, Stores stores) { return stores == Stores::cached ? 1.3 : 1.0; }),
            Stores::streaming);
}

TEST(StoresChoiceTest, a_first_run_of_a_turn_counts_for_nothing) {
  EXPECT_EQ(chosen([](int run, Stores stores) {
              const bool first = run % StoresChoice::runs_of_turn == 0;
              return stores == Stores::cached ? 1.0 : first ? 0.1 : 1.3;
            }),
            Stores::cached);
}

TEST(StoresChoiceTest, a_turn_that_other_work_disturbs_decides_nothing) {
  for (const Stores faster : {Stores::cached, Stores::streaming}) {
    for (int disturbed = 0; disturbed < 2 * StoresChoice::turns; ++disturbed) {
      EXPECT_EQ(chosen([&](int run, Stores stores) {
                  return (stores == faster ? 1.0 : 1.3) +
                         (run / StoresChoice::runs_of_turn == disturbed ? 40.0 : 0.0);
                }),
                faster);
    }
  }
}

TEST(StoresChoiceTest, a_way_or_a_small_copy_decides_at_once) {
  EXPECT_EQ(StoresChoice({}, least_streamed_bytes - 1).next(), Stores::cached);
  EXPECT_TRUE(StoresChoice({}, least_streamed_bytes - 1).settled());
  for (const Stores stores : {Stores::cached, Stores::streaming}) {
    StoresChoice choice(stores, 10 * least_streamed_bytes);
    EXPECT_TRUE(choice.settled());
    choice.ran(Seconds(1));
    EXPECT_EQ(choice.next(), stores);
  }
}

}  // namespace
}  // namespace halocline::bundle
