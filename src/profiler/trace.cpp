#include "profiler/table.hpp"

namespace halocline::profiler {

void note_event(Thread& thread, std::uint64_t kind, std::uint64_t bytes, std::uint64_t enter,
                std::uint64_t leave) {
  std::uint64_t& events = thread.segment->events;
  thread.events[events % process.header->events_maximum] = {kind, bytes, enter, leave};
  ++events;
}

}  // namespace halocline::profiler
