#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace halocline {

/// Threads that wait for work. The caller is one of them: one worker means no extra thread.
class Workers {
 public:
  /// Throws Error for fewer than one, and where the system does not start as many threads.
  explicit Workers(int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls work(worker) once for each worker, 0 being the caller; returns when all are done. The
  /// work must not throw.
  void run(const std::function<void(int)>& work);

 private:
  void serve(int worker);
  void end();

  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable done_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace halocline
