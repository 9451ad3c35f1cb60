#include "halocline/bundle/stores_choice.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace halocline::bundle {
namespace {

struct Chosen {
  Stores stores;
  int runs;
};

/// What is chosen where a run takes as many seconds as `elapsed` says of its number and stores.
Chosen chosen(const std::function<double(int run, Stores stores)>& elapsed) {
  StoresChoice choice({}, least_streamed_bytes);
  int run = 0;
  for (; !choice.settled(); ++run) {
    choice.ended(Seconds(elapsed(run, choice.now())));
  }
  return {.stores = choice.now(), .runs = run};
}

bool first_of_turn(int run) { return run % StoresChoice::runs_of_turn == 0; }

TEST(StoresChoiceTest, takes_what_is_faster) {
  for (const Stores faster : {Stores::cached, Stores::streaming}) {
    const Chosen found =
        chosen([&](int, Stores stores) { return stores == faster ? 1e-4 : 1.3e-4; });
    EXPECT_EQ(found.stores, faster);
    EXPECT_EQ(found.runs, StoresChoice::most_runs);
  }
}

TEST(StoresChoiceTest, a_first_run_of_a_turn_counts_for_nothing) {
  const Chosen found = chosen([](int run, Stores stores) {
    return stores == Stores::cached ? 1e-4 : first_of_turn(run) ? 1e-5 : 1.3e-4;
  });
  EXPECT_EQ(found.stores, Stores::cached);
}

TEST(StoresChoiceTest, a_turn_that_other_work_disturbs_decides_nothing) {
  for (const Stores faster : {Stores::cached, Stores::streaming}) {
    for (int disturbed = 0; disturbed < StoresChoice::most_runs / StoresChoice::runs_of_turn;
         ++disturbed) {
      const Chosen found = chosen([&](int run, Stores stores) {
        return (stores == faster ? 1e-4 : 1.3e-4) +
               (run / StoresChoice::runs_of_turn == disturbed ? 1e-3 : 0.0);
      });
      EXPECT_EQ(found.stores, faster);
    }
  }
}

TEST(StoresChoiceTest, long_exchanges_are_decided_after_a_turn_of_each) {
  const Chosen found =
      chosen([](int, Stores stores) { return stores == Stores::cached ? 0.04 : 0.05; });
  EXPECT_EQ(found.stores, Stores::cached);
  EXPECT_EQ(found.runs, 2 * StoresChoice::runs_of_turn);
}

TEST(StoresChoiceTest, a_way_or_a_small_copy_decides_at_once) {
  EXPECT_EQ(StoresChoice({}, least_streamed_bytes - 1).now(), Stores::cached);
  EXPECT_TRUE(StoresChoice({}, least_streamed_bytes - 1).settled());
  for (const Stores stores : {Stores::cached, Stores::streaming}) {
    StoresChoice choice(stores, 10 * least_streamed_bytes);
    EXPECT_TRUE(choice.settled());
    choice.ended(Seconds(1));
    EXPECT_EQ(choice.now(), stores);
  }
}

}  // namespace
}  // namespace halocline::bundle
