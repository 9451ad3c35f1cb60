#include <algorithm>

#include "profiler/table.hpp"

namespace halocline::profiler {

void note_event(Thread& thread, std::uint64_t kind, std::uint64_t bytes, std::uint64_t enter,
                std::uint64_t leave) {
  std::uint64_t& events = thread.segment->events;
  const std::uint64_t most = process.header->events_maximum;
  const std::uint64_t room = std::min(thread.events_area.bytes / sizeof(Traced), most);
  if (thread.events_room == 0 && events == room &&
      (room == most || !extend(thread.events_area, (events + 1) * sizeof(Traced)))) {
    thread.events_room = room;  // from now on new calls replace the oldest
    if (room == 0) {
      thread.events = nullptr;
      return;
    }
  }
  const std::uint64_t place = thread.events_room == 0 ? events : events % thread.events_room;
  thread.events[place] = {kind, bytes, enter, leave};
  ++events;
}

}  // namespace halocline::profiler
