#include "profiler/wrappers.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "profiler/amount.hpp"
#include "profiler/fortran.hpp"
#include "profiler/mpi_files.hpp"
#include "profiler/python.hpp"
#include "profiler/table.hpp"

namespace halocline::profiler {
namespace {

/// Before the call: handles that it frees cannot be queried afterwards.
template <Function F>
void before(const Word* arguments) {
  if constexpr (F.event == Event::finalize) {
    leave_world();
  } else if constexpr (F.event == Event::end_session) {
    leave_session(pointed(arguments[0]));
  } else if constexpr (F.event == Event::abort) {
    reached(Stage::aborted);
  } else if constexpr (F.event == Event::free_communicator) {
    forget_communicator(pointed(arguments[0]), false);
  } else if constexpr (F.event == Event::free_window) {
    forget_communicator(pointed(arguments[0]), true);
  } else if constexpr (F.event == Event::free_type) {
    forget_types();
  } else if constexpr (F.event == Event::free_request) {
    forget_persistent(pointed(arguments[0]));
  }
}

/// A call that failed: its arguments' handles may be invalid.
[[gnu::noinline]] void count_failed(Thread& thread, const Call& call, std::uint64_t enter,
                                    std::uint64_t leave) {
  count(thread, call, enter, leave);
}

/// A call that starts persistent requests: one row counts it, and a part each says what they move.
[[gnu::noinline]] void count_started(Thread& thread, Call call, Word requests, std::int32_t number,
                                     std::uint64_t enter, std::uint64_t leave) {
  const Word width = library.handle_mask == ~Word{0} ? 8 : 4;
  count(thread, call, enter, leave);
  for (std::int32_t i = 0; i < number; ++i) {
    const Persistent started = persistent_of(pointed(requests + static_cast<Word>(i) * width));
    call.communicator = started.communicator;
    call.peer = started.peer;
    call.sent = started.sent;
    call.received = started.received;
    call.size = started.size;
    count(thread, call, enter, leave, true);
  }
}

/// Whether what a call moves depends only on the arguments that a Repeat holds.
template <Function F>
constexpr bool repeats =
    F.event == Event::none && !F.persistent && !F.counts &&
    (F.count_in < 0 || F.move == Move::put || F.move == Move::get) && F.partitions < 0 &&
    F.source < 0 && F.move != Move::gather && F.move != Move::scatter &&
    F.move != Move::all_gather && F.move != Move::all_to_all && F.move != Move::neighbour_gather &&
    F.move != Move::neighbour_all;

template <Function F>
Word argument(const Word* arguments, int place) {
  return place < 0 ? 0 : arguments[place < 0 ? 0 : place];
}

/// The call's facts as far as it may repeat an earlier one; its row is null.
template <Function F>
[[gnu::always_inline]] inline Thread::Repeat repeat_of(const Call& call, const Word* arguments) {
  const Word peer = argument<F>(arguments, F.peer) & 0xFFFFFFFF;
  const Word number = argument<F>(arguments, F.count);
  return {.site = call.site,
          .what = Word{call.function} << 32U | peer,
          .handle = argument<F>(arguments, F.communicator >= 0 ? F.communicator : F.window) &
                    library.handle_mask,
          .count = F.large ? number : number & 0xFFFFFFFF,
          .type = argument<F>(arguments, F.type) & library.handle_mask,
          .row = nullptr,
          .sent = 0,
          .received = 0,
          .communicator = nullptr};
}

/// Where such a call is remembered.
[[gnu::always_inline]] inline Thread::Repeat& remembered(Thread& thread,
                                                         const Thread::Repeat& call) {
  constexpr int shift = 64 - std::bit_width(std::extent_v<decltype(Thread::repeats)> - 1);
  const Word mixed = (call.site ^ call.what << 20U ^ call.count << 40U) * 0x9E3779B97F4A7C15U;
  return thread.repeats[mixed >> shift];
}

inline bool same(const Thread::Repeat& one, const Thread::Repeat& other) {
  return one.site == other.site && one.what == other.what && one.handle == other.handle &&
         one.count == other.count && one.type == other.type;
}

/// Whether all ranks move equally much, and wait for none if that is nothing.
template <Function F>
constexpr bool alike =
    F.move == Move::all_reduce || F.move == Move::reduce || F.move == Move::broadcast;

/// Notes when a rank entered and left.
template <Function F>
[[gnu::always_inline]] inline void meet(Thread& thread, Call call, const Word* arguments,
                                        std::uint64_t moved_bytes, Communicator& communicator,
                                        std::uint64_t enter, std::uint64_t leave) {
  if (communicator.number == no_communicator) {
    return;
  }
  const std::uint64_t meeting = communicator.meetings.load(std::memory_order_relaxed);
  communicator.meetings.store(meeting + 1, std::memory_order_relaxed);
  if (alike<F> && moved_bytes == 0) {
    return;
  }
  if constexpr (F.peer >= 0) {
    call.peer = static_cast<std::int32_t>(arguments[F.peer]);
  }
  note_arrival(thread, call, communicator.number, meeting, enter, leave);
}

template <Function F>
[[gnu::noinline]] void after_new(Thread& thread, Call call, const Word* arguments,
                                 std::uint64_t enter, std::uint64_t leave) {
  Communicator* communicator = nullptr;
  if constexpr (F.event == Event::initialize) {
    learn_world(thread);
  } else if constexpr (F.event == Event::finalize) {
    reached(Stage::finalized);
  } else if constexpr (F.event == Event::begin_session) {
    begin_session(pointed(arguments[2]));
  } else if constexpr (F.event == Event::end_session) {
    end_session();
  } else if constexpr (F.event == Event::new_communicator) {
    const Word made = pointed(arguments[F.made]);
    if (made != library.no_communicator) {
      communicator_of(thread, made);
    }
  } else if constexpr (F.communicator >= 0 && F.event == Event::none) {
    communicator = &communicator_of(thread, arguments[F.communicator]);
  } else if constexpr (F.window >= 0 && F.event == Event::none) {
    communicator = &communicator_of(thread, arguments[F.window], true);
  }
  if (communicator != nullptr) {
    call.communicator = communicator->number;
  }
  if constexpr (F.peer >= 0) {
    call.peer = static_cast<std::int32_t>(arguments[F.peer]);
  }
  Amount moved = amount<F>(thread, arguments, communicator);
  if constexpr (F.peer >= 0) {
    moved.sent = moves_nothing<F>(call.peer) ? 0 : moved.sent;
  }
  if constexpr (F.move == Move::send_receive) {
    call.sent = call.size = moved.sent;
    count(thread, call, enter, leave);
    call.sent = 0;
    call.peer = static_cast<std::int32_t>(arguments[F.source]);
    call.received = call.size = moves_nothing<F>(call.peer) ? 0 : moved.received;
    count(thread, call, enter, leave, true);
    return;
  }
  if constexpr (F.peer >= 0) {
    moved.received = moves_nothing<F>(call.peer) ? 0 : moved.received;
  }
  call.sent = moved.sent;
  call.received = moved.received;
  call.size = moved.sent != 0 ? moved.sent : moved.received;
  if constexpr (F.persistent) {
    // Started, it is a message to this peer: a collective's root is none.
    constexpr bool message = F.move == Move::send || F.move == Move::receive;
    remember_persistent({pointed(arguments[F.made]), call.communicator,
                         message ? call.peer : no_peer, call.sent, call.received, call.size});
    call.sent = call.received = call.size = 0;
  } else if constexpr (F.event == Event::start) {
    count_started(thread, call, arguments[0], 1, enter, leave);
    return;
  } else if constexpr (F.event == Event::start_all) {
    const auto number = static_cast<std::int32_t>(arguments[0]);
    count_started(thread, call, arguments[1], number, enter, leave);
    return;
  }
  Row& row = count(thread, call, enter, leave);
  if constexpr (repeats<F>) {
    // Not the row that many share; and a trace has each call.
    if (row.site == call.site && thread.events == nullptr) {
      Thread::Repeat now = repeat_of<F>(call, arguments);
      now.row = &row;
      now.sent = call.sent;
      now.received = call.received;
      now.communicator = communicator;
      remembered(thread, now) = now;
    }
  }
  if constexpr (F.meets) {
    meet<F>(thread, call, arguments, call.size, *communicator, enter, leave);
  }
}

/// A call like an earlier one needs neither its handles nor the table.
template <Function F>
[[gnu::always_inline]] inline void after(Thread& thread, const Call& call, const Word* arguments,
                                         std::uint64_t enter, std::uint64_t leave) {
  if constexpr (repeats<F>) {
    renew(thread);
    const Thread::Repeat now = repeat_of<F>(call, arguments);
    const Thread::Repeat& known = remembered(thread, now);
    if (known.row != nullptr && same(known, now)) [[likely]] {
      add(*known.row, known.sent, known.received, leave - enter, leave);
      if constexpr (F.meets) {
        meet<F>(thread, call, arguments, known.sent | known.received, *known.communicator, enter,
                leave);
      }
      return;
    }
  }
  after_new<F>(thread, call, arguments, enter, leave);
}

/// What a call does to a file, after it is done; `handle`: the file's.
template <std::size_t Number>
void note_input_output(Thread& thread, const Word* arguments, Word handle, std::uint64_t enter,
                       std::uint64_t leave) {
  constexpr Function F = functions[Number].function;
  constexpr std::string_view name = functions[Number].name;
  if constexpr (name == "File_open") {
    open_mpi_file(pointed(arguments[4]), reinterpret_cast<const char*>(arguments[1]), enter, leave);
  } else if constexpr (name == "File_close") {
    close_mpi_file(handle, enter, leave);
  } else {
    constexpr Operation operation = F.move == Move::write    ? Operation::write
                                    : F.move == Move::read   ? Operation::read
                                    : name.ends_with("sync") ? Operation::sync
                                                             : Operation::seek;
    std::uint64_t bytes = 0;
    if constexpr (F.move != Move::none) {
      const Amount moved = alone<F>(thread, arguments);
      bytes = moved.sent + moved.received;
    }
    note_mpi_file(handle, operation, enter, leave, bytes);
  }
}

constexpr bool is_input_output(const Named& named) {
  return named.function.move == Move::write || named.function.move == Move::read ||
         named.name == "File_open" || named.name == "File_close" || named.name == "File_sync" ||
         named.name == "File_seek";
}

template <std::size_t>
using Argument = Word;

template <std::size_t Number, class Places>
struct Wrapper;

template <std::size_t Number, std::size_t... Place>
struct Wrapper<Number, std::index_sequence<Place...>> {
  static constexpr Function F = functions[Number].function;
  using Real = Word (*)(Argument<Place>...);

  static Word call(Argument<Place>... argument) {
    const Real forward = reinterpret_cast<Real>(real[Number]);
    auto site = reinterpret_cast<Word>(__builtin_return_address(0));
    if (from_fortran(site) && !take_fortran_site(Number, site)) {
      return forward(argument...);
    }
    Thread* own = thread();
    if (own == nullptr) [[unlikely]] {
      return forward(argument...);
    }
    if (from_python(site)) [[unlikely]] {
      site = python_site(site);
    }
    const Word arguments[] = {argument..., 0};
    before<F>(arguments);
    constexpr bool input_output = is_input_output(functions[Number]);
    Word file = 0;
    if constexpr (input_output) {
      file = functions[Number].name == "File_close" ? pointed(arguments[0])
                                                    : arguments[0] & library.handle_mask;
    }
    own->inside = true;
    const std::uint64_t enter = ticks();
    const Word result = forward(argument...);
    const std::uint64_t leave = ticks();
    own->inside = false;
    if (static_cast<int>(result) == 0) [[likely]] {
      after<F>(*own, {.function = Number, .site = site}, arguments, enter, leave);
      if constexpr (input_output) {
        note_input_output<Number>(*own, arguments, file, enter, leave);
      }
    } else {
      count_failed(*own, {.function = Number, .site = site}, enter, leave);
    }
    keep_time(leave);
    return result;
  }
};

template <std::size_t Number>
void* address() {
  constexpr auto arity = static_cast<std::size_t>(functions[Number].arity);
  return reinterpret_cast<void*>(&Wrapper<Number, std::make_index_sequence<arity>>::call);
}

template <std::size_t... Number>
std::array<void*, sizeof...(Number)> addresses(std::index_sequence<Number...> /*all*/) {
  return {address<Number>()...};
}

template <class Take>
constexpr void write_table(Take take) {
  for (const Named& named : functions) {
    for (const std::string_view word :
         {named.name, std::string_view{" "},
          move_names[static_cast<std::size_t>(named.function.move)],
          std::string_view{named.function.persistent ? "!\n" : "\n"}}) {
      for (const char letter : word) {
        take(letter);
      }
    }
  }
}

constexpr std::size_t table_length = [] {
  std::size_t length = 0;
  write_table([&](char) { ++length; });
  return length;
}();

constexpr auto table_text = [] {
  std::array<char, table_length + 1> text{};
  std::size_t at = 0;
  write_table([&](char letter) { text[at++] = letter; });
  return text;
}();

}  // namespace

/// "Isend send", one per line; "!" after what a function only prepares.
extern "C" __attribute__((visibility("default"))) const char* halocline_profiler_functions() {
  return table_text.data();
}

void* wrapper(int function) {
  static constinit std::array<void*, functions.size()> all{};
  if (all[0] == nullptr) {
    all = addresses(std::make_index_sequence<functions.size()>{});
  }
  return all[static_cast<std::size_t>(function)];
}

}  // namespace halocline::profiler
