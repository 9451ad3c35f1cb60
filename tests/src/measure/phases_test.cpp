#include "halocline/measure/phases.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "halocline/measure/clock.hpp"

namespace halocline::measure {
namespace {

constexpr Seconds spell{2e-4};

void spin_for(Seconds asked) {
  const Seconds begin = now();
  while (now() - begin < asked) {
  }
}

TEST(PhasesTest, each_phase_has_the_time_between_its_begin_and_the_next) {
  PhaseTimer timer({{.name = "first"}, {.name = "second"}, {.name = "never"}});
  const Seconds before = now();
  timer.begin(0);
  spin_for(spell);
  timer.begin(1);
  spin_for(3 * spell);
  timer.begin(0);
  spin_for(spell);
  timer.end();
  const Seconds all = now() - before;
  spin_for(spell);
  timer.end();

  ASSERT_EQ(timer.elapsed().size(), 3U);
  EXPECT_GE(timer.elapsed()[0], 2 * spell);
  EXPECT_GE(timer.elapsed()[1], 3 * spell);
  EXPECT_EQ(timer.elapsed()[2], Seconds{0});
  EXPECT_LE(timer.elapsed()[0] + timer.elapsed()[1],
            all);  // no time counts twice, or after the end
}

TEST(PhasesTest, a_phase_within_another_gives_it_back) {
  PhaseTimer timer({{.name = "outer"}, {.name = "inner"}});
  const Seconds before = now();
  timer.begin(0);
  {
    const InPhase inner(timer, 1);
    spin_for(spell);
  }
  spin_for(2 * spell);
  timer.end();
  const Seconds all = now() - before;
  EXPECT_GE(timer.elapsed()[1], spell);
  EXPECT_GE(timer.elapsed()[0], 2 * spell);
  EXPECT_LE(timer.elapsed()[0] + timer.elapsed()[1], all);
}

TEST(PhasesTest, reset_forgets_times_and_the_phase_under_way) {
  PhaseTimer timer({{.name = "only"}});
  timer.begin(0);
  spin_for(spell);
  timer.reset();
  spin_for(spell);
  timer.end();
  EXPECT_EQ(timer.elapsed()[0], Seconds{0});
}

TEST(PhasesTest, long_iterations_show_that_they_go_on) {
  int calls = 0;
  PhaseTimer timer({{.name = "first"}, {.name = "second"}});
  timer.when_long([&calls] { ++calls; }, spell);
  timer.begin(0);
  spin_for(spell);
  EXPECT_EQ(calls, 0);
  timer.begin(1);
  EXPECT_EQ(calls, 1);
  spin_for(spell);
  timer.reset();
  timer.begin(0);
  EXPECT_EQ(calls, 2);  // the end of the phase before the reset
  timer.when_long([&calls] { ++calls; }, Seconds{3600});
  spin_for(spell);
  timer.end();
  EXPECT_EQ(calls, 2);
}

TEST(PhasesTest, new_timers_show_that_long_preparations_go_on) {
  int calls = 0;
  PhaseTimer before({{.name = "first"}});
  PhaseTimer::new_timers_when_long([&calls] { ++calls; }, spell);
  PhaseTimer timer({{.name = "first"}});
  PhaseTimer::new_timers_when_long({});
  for (PhaseTimer* const each : {&before, &timer}) {
    each->begin(0);
    spin_for(spell);
    each->end();
  }
  EXPECT_EQ(calls, 1);
}

TEST(PhasesTest, work_can_be_set_later) {
  PhaseTimer timer({{.name = "solve", .sent_bytes = 8}});
  timer.phase(0).operations = 17;
  EXPECT_EQ(timer.phases()[0].operations, 17);
  EXPECT_EQ(timer.phases()[0].sent_bytes, 8U);
  EXPECT_THROW(timer.phase(1), std::out_of_range);
}

TEST(PhasesTest, names_are_unique) {
  EXPECT_THROW(PhaseTimer({{.name = "same"}, {.name = "same"}}), std::invalid_argument);
  EXPECT_THROW(PhaseTimer({{.name = ""}}), std::invalid_argument);
}

}  // namespace
}  // namespace halocline::measure
