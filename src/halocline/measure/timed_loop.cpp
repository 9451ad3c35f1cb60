#include "halocline/measure/timed_loop.hpp"

#include "halocline/measure/clock.hpp"

namespace halocline::measure {

Seconds TimedLoop::time(std::int64_t iterations) {
  const Seconds begin = now();
  run(iterations);
  return now() - begin;
}

}  // namespace halocline::measure
