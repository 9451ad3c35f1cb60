#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Checks whether several threads of this rank may call MPI. Throws Error unless MPI was started
/// with MPI_THREAD_MULTIPLE, Skip in simulation.
void require_thread_multiple();

/// A thread that calls MPI now and then while this rank computes: many libraries make progress only
/// inside MPI calls. It sleeps in between, as it may share its core with the computation.
class ProgressThread {
 public:
  /// Throws like require_thread_multiple(). The communicator must outlive it.
  explicit ProgressThread(const Communicator& communicator);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  void resume();
  /// On return the thread is in no MPI call.
  void pause();
  /// Rethrows what failed in the thread since resume(), if anything.
  void rethrow_failure();

 private:
  void serve();

  const Communicator& communicator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> running_ = false;
  bool calling_ = false;
  bool ended_ = false;
  std::uint64_t turn_ = 0;  // counts resume(): a new turn ends the previous one's nap
  std::chrono::steady_clock::time_point began_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace halocline::mpi
