#include "profiler/handles.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiler/lock.hpp"
#include "profiler/neighbours.hpp"

namespace halocline::profiler {

std::atomic<std::uint32_t> generation = 1;

namespace {

constexpr std::uint32_t requests_maximum = 1U << 16U;
constexpr std::int32_t ranks_at_once = 256;

Lock lock;
Communicator communicators[communicators_maximum + 1];
std::uint32_t communicators_used = 0;
Persistent* requests = nullptr;
/// The world's ranks: of MPI_COMM_WORLD, or of a session's process set. It is freed before its
/// session ends.
struct {
  Word group;    // 0: none
  Word session;  // 0: of MPI_COMM_WORLD
} world{};
constexpr std::uint32_t sessions_maximum = 64;
struct {
  std::uint32_t number;  // of sessions that have begun and not ended
  std::uint32_t known;
  Word handle[sessions_maximum];
} sessions{};

/// Communicators by handle, and freed ones by their members: the next one with the same ranks takes
/// the number of a freed one. Programs may create and free any number of them.
constexpr std::uint32_t buckets = 4096;
std::uint16_t live[buckets];
std::uint16_t freed[buckets];

constexpr std::uint64_t mixed(std::uint64_t value) { return value * 0x9E3779B97F4A7C15U; }

std::uint16_t& bucket_of(std::uint16_t (&all)[buckets], std::uint64_t value) {
  return all[mixed(value) >> 52U];
}

void put(std::uint16_t& bucket, Communicator& communicator) {
  communicator.next = bucket;
  bucket = static_cast<std::uint16_t>(communicator.number + 1);
}

template <class Wanted>
Communicator* find(std::uint16_t bucket, Wanted wanted) {
  while (bucket != 0 && !wanted(communicators[bucket - 1])) {
    bucket = communicators[bucket - 1].next;
  }
  return bucket == 0 ? nullptr : &communicators[bucket - 1];
}

template <class Wanted>
Communicator* take(std::uint16_t& bucket, Wanted wanted) {
  std::uint16_t* place = &bucket;
  while (*place != 0 && !wanted(communicators[*place - 1])) {
    place = &communicators[*place - 1].next;
  }
  if (*place == 0) {
    return nullptr;
  }
  Communicator& found = communicators[*place - 1];
  *place = found.next;
  return &found;
}

/// Passes on the world ranks of a group's members in portions.
template <class Take>
void translate(Word group, std::int32_t members, Take give) {
  for (std::int32_t from = 0; from < members; from += ranks_at_once) {
    const std::int32_t some = std::min(ranks_at_once, members - from);
    std::int32_t ranks[ranks_at_once];
    std::int32_t found[ranks_at_once];
    std::iota(ranks, ranks + some, from);
    library.group_translate_ranks(group, some, ranks, world.group, found);
    // Ranks of other worlds are MPI_UNDEFINED.
    std::replace_if(found, found + some, [](std::int32_t rank) { return rank < 0; }, other_world);
    give(found, some);
  }
}

struct Groups {
  Word local;
  Word remote;  // 0: no intercommunicator
  std::int32_t size;
  std::int32_t remote_size;
};

template <class Take>
void translate(const Groups& groups, Take give) {
  translate(groups.local, groups.size, give);
  if (groups.remote != 0) {
    translate(groups.remote, groups.remote_size, give);
  }
}

std::uint64_t hash_of(const Groups& groups, bool window) {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(groups.size) << 33U |
                             static_cast<std::uint64_t>(groups.remote_size) << 1U |
                             static_cast<std::uint64_t>(window));
  translate(groups, [&](const std::int32_t* ranks, std::int32_t number) {
    for (std::int32_t i = 0; i < number; ++i) {
      hash = mixed(hash ^ static_cast<std::uint32_t>(ranks[i])) ^ hash >> 29U;
    }
  });
  return hash;
}

void record_groups(const Communicator& communicator, const Groups& groups) {
  const auto members = static_cast<std::uint32_t>(groups.size + groups.remote_size);
  const Record record{communicator.window ? RecordKind::window : RecordKind::communicator,
                      members * 4, communicator.number, static_cast<std::uint32_t>(groups.size),
                      static_cast<std::uint32_t>(groups.remote_size)};
  if (char* place = append_record(record)) {
    auto* into = reinterpret_cast<std::int32_t*>(place);
    translate(groups, [&](const std::int32_t* ranks, std::int32_t number) {
      into = std::copy_n(ranks, number, into);
    });
    close_record(record);
  }
}

Groups groups_of(const Communicator& communicator) {
  Groups groups{};
  if (communicator.window) {
    library.win_get_group(communicator.handle, &groups.local);
  } else {
    library.comm_group(communicator.handle, &groups.local);
    if (communicator.inter) {
      library.comm_remote_group(communicator.handle, &groups.remote);
    }
  }
  library.group_size(groups.local, &groups.size);
  if (groups.remote != 0) {
    library.group_size(groups.remote, &groups.remote_size);
  }
  return groups;
}

void release(Groups& groups) {
  library.group_free(&groups.local);
  if (groups.remote != 0) {
    library.group_free(&groups.remote);
  }
}

/// Queries everything except its number.
void ask(Communicator& communicator) {
  if (communicator.window) {
    return;
  }
  int inter = 0;
  library.comm_rank(communicator.handle, &communicator.rank);
  library.comm_size(communicator.handle, &communicator.peers);
  library.comm_test_inter(communicator.handle, &inter);
  communicator.inter = inter != 0;
  communicator.in_degree = communicator.out_degree = 0;
  communicator.absent = 0;
  if (!communicator.inter) {
    ask_neighbours(communicator);
  }
}

/// The number of a freed one, or a new one; null if none is left.
Communicator* place_for(const Communicator& asked, const Groups& groups) {
  const std::uint64_t members = hash_of(groups, asked.window);
  Communicator* place = take(bucket_of(freed, members),
                             [&](const Communicator& one) { return one.members == members; });
  const bool again = place != nullptr;
  if (!again) {
    if (communicators_used == communicators_maximum) {
      return nullptr;
    }
    place = &communicators[communicators_used];
    place->number = communicators_used++;
    place->members = members;
  }
  place->handle = asked.handle;
  place->window = asked.window;
  place->rank = asked.rank;
  place->size = groups.size;
  place->peers = groups.remote != 0 ? groups.remote_size : groups.size;
  place->inter = asked.inter;
  place->in_degree = asked.in_degree;
  place->out_degree = asked.out_degree;
  place->absent = asked.absent;
  put(bucket_of(live, place->handle), *place);
  if (!again) {
    record_groups(*place, groups);
  }
  return place;
}

Communicator* find_live(Word handle, bool window) {
  return find(bucket_of(live, handle), [&](const Communicator& one) {
    return one.handle == handle && one.window == window;
  });
}

Persistent& place_of_request(Word request) {
  const auto hash = static_cast<std::uint32_t>(request * 0x9E3779B97F4A7C15U >> 32U);
  for (std::uint32_t i = 0; i < requests_maximum; ++i) {
    Persistent& place = requests[(hash + i) % requests_maximum];
    if (place.request == request || place.request == 0) {
      return place;
    }
  }
  return requests[requests_maximum];
}

/// Moves each entry that collides with it up to the first free place.
void close_gap(Persistent* gap) {
  constexpr std::uint32_t mask = requests_maximum - 1;
  auto free = static_cast<std::uint32_t>(gap - requests);
  requests[free].request = 0;  // the loop ends there if the table was full
  for (std::uint32_t at = (free + 1) & mask; requests[at].request != 0; at = (at + 1) & mask) {
    const auto home =
        static_cast<std::uint32_t>(requests[at].request * 0x9E3779B97F4A7C15U >> 32U) & mask;
    if (((at - home) & mask) >= ((at - free) & mask)) {
      requests[free] = std::exchange(requests[at], {});
      free = at;
    }
  }
}

/// With the lock held, like the next two.
void know_world() {
  library.group_rank(world.group, &process.header->rank);
  library.group_size(world.group, &process.header->size);
  library.ready = true;
}

void free_world() {
  if (world.group != 0) {
    library.group_free(&world.group);
  }
  world = {};
}

/// Of an open session; without one nothing can be queried.
void take_world_of_session() {
  const Word session = sessions.handle[0];
  if (sessions.known != 0 &&
      library.group_from_session(session, "mpi://WORLD", &world.group) == 0) {
    world.session = session;
    know_world();
  } else {
    library.ready = false;
  }
}

}  // namespace

void forget(Thread& thread) {
  thread.generation = generation.load(std::memory_order_relaxed);
  std::fill(std::begin(thread.repeats), std::end(thread.repeats), Thread::Repeat{});
  std::fill(std::begin(thread.types), std::end(thread.types), Thread::Type{});
  std::fill(std::begin(thread.communicators), std::end(thread.communicators), Thread::Known{});
}

Communicator& communicator_anew(Thread& thread, Word handle, bool window) {
  Communicator& unknown = communicators[communicators_maximum];
  unknown.number = no_communicator;
  if (!library.ready) {
    return unknown;
  }
  const Guard guard(lock);
  Communicator* found = find_live(handle, window);
  if (found == nullptr) {
    Communicator asked{};
    asked.handle = handle;
    asked.window = window;
    ask(asked);
    Groups groups = groups_of(asked);
    found = place_for(asked, groups);
    release(groups);
  }
  if (found == nullptr) {
    ++process.header->untracked;
    found = &unknown;
  }
  thread.communicators[place_of(handle, std::size(thread.communicators))] = {handle, found};
  return *found;
}

std::int64_t type_bytes_anew(Thread& thread, Word handle) {
  if (!library.ready) {
    return 0;
  }
  std::int64_t bytes = 0;
  if (library.wide_type_size) {
    library.type_size(handle, &bytes);
  } else {
    int small = 0;
    library.type_size(handle, &small);
    bytes = small;
  }
  if (bytes < 0) {  // MPI_UNDEFINED: too large for its type
    ++process.header->untracked;
    bytes = 0;
  }
  thread.types[place_of(handle, std::size(thread.types))] = {handle, bytes};
  return bytes;
}

void forget_communicator(Word handle, bool window) {
  const Guard guard(lock);
  Communicator* found = take(bucket_of(live, handle), [&](const Communicator& one) {
    return one.handle == handle && one.window == window;
  });
  if (found != nullptr) {
    found->handle = 0;
    put(bucket_of(freed, found->members), *found);
  }
  generation.fetch_add(1, std::memory_order_relaxed);
}

void forget_types() { generation.fetch_add(1, std::memory_order_relaxed); }

void remember_persistent(const Persistent& persistent) {
  const Guard guard(lock);
  if (requests == nullptr) {
    void* place = mmap(nullptr, (requests_maximum + 1) * sizeof(Persistent), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) {
      ++process.header->untracked;
      return;
    }
    requests = static_cast<Persistent*>(place);
  }
  Persistent& place = place_of_request(persistent.request);
  if (&place == &requests[requests_maximum]) {
    ++process.header->untracked;
    return;
  }
  place = persistent;
}

void forget_persistent(Word request) {
  const Guard guard(lock);
  if (requests == nullptr) {
    return;
  }
  Persistent& place = place_of_request(request);
  if (place.request == request) {
    close_gap(&place);
  }
}

Persistent persistent_of(Word request) {
  const Guard guard(lock);
  if (requests != nullptr && request != 0) {
    const Persistent& place = place_of_request(request);
    if (place.request == request) {
      return place;
    }
  }
  return {};
}

void learn_world(Thread& thread) {
  {
    const Guard guard(lock);
    free_world();
    library.comm_group(library.world, &world.group);
    know_world();
  }
  communicator_of(thread, library.world);  // the first one, on all ranks
  reached(Stage::initialized);
}

void leave_world() {
  const Guard guard(lock);
  free_world();
  take_world_of_session();
}

void begin_session(Word session) {
  const Guard guard(lock);
  resumed(Stage::finalized);
  ++sessions.number;
  if (sessions.known < sessions_maximum) {
    sessions.handle[sessions.known++] = session;
  }
  if (world.group == 0) {
    take_world_of_session();
  }
}

void leave_session(Word session) {
  const Guard guard(lock);
  Word* const last = sessions.handle + sessions.known;
  Word* const place = std::find(sessions.handle, last, session);
  if (place != last) {
    *place = *(last - 1);
    --sessions.known;
  }
  if (world.group != 0 && world.session == session) {
    free_world();
    take_world_of_session();
  }
}

void end_session() {
  const Guard guard(lock);
  if (sessions.number > 0 && --sessions.number == 0 && !library.ready) {
    reached(Stage::finalized);
  }
}

}  // namespace halocline::profiler
