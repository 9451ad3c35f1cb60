#pragma once

#include <sched.h>

#include <atomic>

namespace halocline::profiler {

/// Held only for moments, never while the MPI library is called to move data.
class Lock {
 public:
  void take() {
    while (!take_if_free()) {
      sched_yield();
    }
  }
  bool take_if_free() { return !taken_.exchange(true, std::memory_order_acquire); }
  void release() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_ = false;
};

class Guard {
 public:
  explicit Guard(Lock& lock) : lock_(lock) { lock_.take(); }
  ~Guard() { lock_.release(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lock& lock_;
};

}  // namespace halocline::profiler
