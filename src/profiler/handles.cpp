#include "profiler/handles.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "profiler/lock.hpp"

namespace halocline::profiler {

std::atomic<std::uint32_t> generation = 1;

namespace {

constexpr std::uint32_t requests_maximum = 1U << 16U;
constexpr std::int32_t ranks_at_once = 256;

Lock lock;
Communicator communicators[communicators_maximum + 1];
std::uint32_t communicators_used = 0;
Persistent* requests = nullptr;
Word reference = 0;  // the communicator whose ranks are the world's

/// Writes the world ranks of a group's members; -1 for one that is in another world.
void translate(Word group, std::int32_t members, std::int32_t* into) {
  Word world = 0;
  if (reference != 0) {
    library.comm_group(reference, &world);
  }
  for (std::int32_t from = 0; from < members; from += ranks_at_once) {
    const std::int32_t some = std::min(ranks_at_once, members - from);
    std::int32_t ranks[ranks_at_once];
    for (std::int32_t i = 0; i < some; ++i) {
      ranks[i] = from + i;
      into[from + i] = -1;
    }
    if (reference != 0) {
      library.group_translate_ranks(group, some, ranks, world, into + from);
    }
  }
  if (reference != 0) {
    library.group_free(&world);
  }
}

void record_groups(const Communicator& communicator, Word local, Word remote) {
  std::int32_t size = 0;
  std::int32_t remote_size = 0;
  library.group_size(local, &size);
  if (remote != 0) {
    library.group_size(remote, &remote_size);
  }
  const auto members = static_cast<std::uint32_t>(size + remote_size);
  const Record record{communicator.window ? RecordKind::window : RecordKind::communicator,
                      members * 4, communicator.number, static_cast<std::uint32_t>(size),
                      static_cast<std::uint32_t>(remote_size)};
  if (char* place = append_record(record)) {
    auto* ranks = reinterpret_cast<std::int32_t*>(place);
    translate(local, size, ranks);
    if (remote != 0) {
      translate(remote, remote_size, ranks + size);
    }
    close_record(record);
  }
}

void ask_neighbours(Communicator& communicator) {
  int topology = 0;
  library.topo_test(communicator.handle, &topology);
  if (topology == library.topology_cartesian) {
    int dimensions = 0;
    library.cartdim_get(communicator.handle, &dimensions);
    communicator.in_degree = communicator.out_degree = 2 * dimensions;
  } else if (topology == library.topology_graph) {
    int neighbours = 0;
    library.graph_neighbors_count(communicator.handle, communicator.rank, &neighbours);
    communicator.in_degree = communicator.out_degree = neighbours;
  } else if (topology == library.topology_distributed) {
    int weighted = 0;
    library.dist_graph_neighbors_count(communicator.handle, &communicator.in_degree,
                                       &communicator.out_degree, &weighted);
  }
}

/// A session has no world: its first communicator of all ranks stands for it.
void adopt_reference(const Communicator& communicator) {
  Header& header = *process.header;
  for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::atoi(value) == communicator.peers) {
      reference = communicator.handle;
      header.rank = communicator.rank;
      header.size = communicator.peers;
      return;
    }
  }
}

void ask(Communicator& communicator) {
  Word local = 0;
  Word remote = 0;
  if (communicator.window) {
    library.win_get_group(communicator.handle, &local);
    library.group_size(local, &communicator.peers);
  } else {
    int inter = 0;
    library.comm_rank(communicator.handle, &communicator.rank);
    library.comm_size(communicator.handle, &communicator.peers);
    library.comm_test_inter(communicator.handle, &inter);
    communicator.inter = inter != 0;
    library.comm_group(communicator.handle, &local);
    if (communicator.inter) {
      library.comm_remote_group(communicator.handle, &remote);
      library.group_size(remote, &communicator.peers);
    } else {
      ask_neighbours(communicator);
      if (reference == 0) {
        adopt_reference(communicator);
      }
    }
  }
  record_groups(communicator, local, remote);
  library.group_free(&local);
  if (remote != 0) {
    library.group_free(&remote);
  }
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

/// Of those that collide with it each moves up to the first free place.
void close_gap(Persistent* gap) {
  constexpr std::uint32_t mask = requests_maximum - 1;
  auto free = static_cast<std::uint32_t>(gap - requests);
  for (std::uint32_t at = (free + 1) & mask; requests[at].request != 0; at = (at + 1) & mask) {
    const auto home =
        static_cast<std::uint32_t>(requests[at].request * 0x9E3779B97F4A7C15U >> 32U) & mask;
    if (((at - home) & mask) >= ((at - free) & mask)) {
      requests[free] = requests[at];
      free = at;
    }
  }
  requests[free].request = 0;
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
  Communicator* found = nullptr;
  for (std::uint32_t i = 0; i < communicators_used && found == nullptr; ++i) {
    Communicator& one = communicators[i];
    found = one.handle == handle && one.window == window ? &one : nullptr;
  }
  if (found == nullptr) {
    if (communicators_used == communicators_maximum) {
      ++process.header->untracked;
      return unknown;
    }
    found = &communicators[communicators_used];
    found->handle = handle;
    found->window = window;
    found->number = communicators_used++;
    ask(*found);
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
  thread.types[place_of(handle, std::size(thread.types))] = {handle, bytes};
  return bytes;
}

void forget_communicator(Word handle, bool window) {
  const Guard guard(lock);
  for (std::uint32_t i = 0; i < communicators_used; ++i) {
    if (communicators[i].handle == handle && communicators[i].window == window) {
      communicators[i].handle = 0;
    }
  }
  if (handle == reference && !window) {
    reference = 0;
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
  library.ready = true;
  reference = library.world;
  library.comm_rank(library.world, &process.header->rank);
  library.comm_size(library.world, &process.header->size);
  communicator_of(thread, library.world);  // the first one, in all ranks
  reached(Stage::initialized);
}

void leave_world() {
  library.ready = false;
  reference = 0;
}

}  // namespace halocline::profiler
