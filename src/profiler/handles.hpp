#pragma once

#include <atomic>
#include <cstdint>

#include "profiler/library.hpp"
#include "profiler/process.hpp"

namespace halocline::profiler {

/// A communicator or the group of a window, queried once.
struct Communicator {
  Word handle;  // 0: freed
  bool window;
  std::uint16_t next;     // in its bucket, plus one
  std::uint64_t members;  // their hash
  std::uint32_t number;
  std::int32_t rank;
  std::int32_t size;   // of its own group
  std::int32_t peers;  // of the other group, if there is one
  bool inter;
  std::int32_t in_degree;  // of its topology
  std::int32_t out_degree;
  std::uint64_t absent;  // of these neighbours, in order: those of a grid that are not there
  std::atomic<std::uint64_t> meetings;  // blocking collectives so far
};

/// What a persistent request moves each time it is started.
struct Persistent {
  Word request = 0;
  std::uint32_t communicator = no_communicator;
  std::int32_t peer = no_peer;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t size = 0;
};

/// Freed handles are reused with another meaning: every thread discards what it knew.
extern std::atomic<std::uint32_t> generation;

Communicator& communicator_anew(Thread& thread, Word handle, bool window);
std::int64_t type_bytes_anew(Thread& thread, Word handle);
void forget(Thread& thread);

inline void renew(Thread& thread) {
  if (thread.generation != generation.load(std::memory_order_relaxed)) [[unlikely]] {
    forget(thread);
  }
}

/// Consecutive handles and neighbouring addresses must not share a place.
inline std::size_t place_of(Word handle, std::size_t places) {
  return (((handle ^ handle >> 8U ^ handle >> 16U) * 5) >> 1U) & (places - 1);
}

inline Communicator& communicator_of(Thread& thread, Word word, bool window = false) {
  const Word handle = word & library.handle_mask;
  renew(thread);
  const auto& known = thread.communicators[place_of(handle, std::size(thread.communicators))];
  if (known.handle == handle && known.communicator != nullptr) [[likely]] {
    return *known.communicator;
  }
  return communicator_anew(thread, handle, window);
}

inline std::int64_t type_bytes(Thread& thread, Word word) {
  const Word handle = word & library.handle_mask;
  renew(thread);
  const auto& known = thread.types[place_of(handle, std::size(thread.types))];
  if (known.handle == handle) [[likely]] {
    return known.bytes;
  }
  return type_bytes_anew(thread, handle);
}

/// A handle that an argument points to.
inline Word pointed(Word address) {
  return library.handle_mask == ~Word{0} ? *reinterpret_cast<const Word*>(address)
                                         : *reinterpret_cast<const std::uint32_t*>(address);
}

void forget_communicator(Word handle, bool window);
void forget_types();

void remember_persistent(const Persistent& persistent);
void forget_persistent(Word request);
/// An unknown one moves nothing.
Persistent persistent_of(Word request);

/// Rank and size of the world, once MPI_Init has returned.
void learn_world(Thread& thread);
void leave_world();

/// Called when a session has started, is about to end, or has ended.
void begin_session(Word session);
void leave_session(Word session);
void end_session();

}  // namespace halocline::profiler
