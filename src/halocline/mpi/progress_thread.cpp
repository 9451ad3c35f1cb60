#include "halocline/mpi/progress_thread.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int calls_between_naps = 8;

/// Short at first, so that small exchanges are not delayed; longer in long ones, which system
/// buffers carry meanwhile, because waking up takes time from the computation.
Clock::duration nap_after(Clock::duration elapsed) {
  constexpr std::chrono::microseconds shortest{50};
  constexpr std::chrono::milliseconds longest{1};
  constexpr int naps_in_elapsed = 16;
  return std::clamp<Clock::duration>(elapsed / naps_in_elapsed, shortest, longest);
}

std::string name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "thread level " + std::to_string(level);
  }
}

}  // namespace

void require_thread_multiple() {
  if (simulated) {
    throw Skip("a simulated rank has one thread; run without a progress thread");
  }
  int level = MPI_THREAD_SINGLE;
  HALOCLINE_MPI(MPI_Query_thread(&level));
  if (level < MPI_THREAD_MULTIPLE) {
    throw Error(
        "MPI was started with " + name_of_level(level) +
        "; a progress thread calls MPI alongside the program and needs MPI_THREAD_MULTIPLE; "
        "start MPI with MPI_Init_thread, or run without the thread");
  }
}

ProgressThread::ProgressThread(const Communicator& communicator) : communicator_(communicator) {
  require_thread_multiple();
  thread_ = std::thread([this] { serve(); });
}

ProgressThread::~ProgressThread() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ProgressThread::resume() {
  {
    const std::scoped_lock lock(mutex_);
    running_ = true;
    failure_ = nullptr;
    ++turn_;
    began_ = Clock::now();
  }
  changed_.notify_all();
}

void ProgressThread::pause() {
  std::unique_lock lock(mutex_);
  running_ = false;
  changed_.wait(lock, [this] { return !calling_; });
}

void ProgressThread::rethrow_failure() {
  const std::scoped_lock lock(mutex_);
  if (failure_) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void ProgressThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return running_ || ended_; });
    if (ended_) {
      return;
    }
    const std::uint64_t turn = turn_;
    calling_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      for (int call = 0; call < calls_between_naps && running_; ++call) {
        communicator_.progress();
      }
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    calling_ = false;
    changed_.notify_all();
    if (failure) {
      failure_ = failure;
      running_ = false;
    }
    changed_.wait_for(lock, nap_after(Clock::now() - began_),
                      [this, turn] { return !running_ || ended_ || turn_ != turn; });
  }
}

}  // namespace halocline::mpi
