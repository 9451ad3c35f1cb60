#include "halocline/base/workers.hpp"

#include <exception>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline {

Workers::Workers(int count) {
  if (count < 1) {
    throw Error("a rank of " + std::to_string(count) +
                " threads; allowed: 1 or more; give the number of cores that each rank has");
  }
  for (int worker = 1; worker < count; ++worker) {
    try {
      threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::exception& problem) {  // the system's limit, or no memory
      end();
      throw Error("cannot start thread " + std::to_string(worker + 1) + " of " +
                  std::to_string(count) + ": " + problem.what() + "; choose fewer threads");
    }
  }
}

Workers::~Workers() { end(); }

void Workers::end() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void Workers::run(const std::function<void(int)>& work) {
  if (threads_.empty()) {
    work(0);
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    work_ = &work;
    busy_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begun_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void Workers::serve(int worker) {
  std::uint64_t served = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    begun_.wait(lock, [&] { return ended_ || round_ != served; });
    if (ended_) {
      return;
    }
    served = round_;
    const auto& work = *work_;
    lock.unlock();
    work(worker);
    lock.lock();
    if (--busy_ == 0) {
      done_.notify_one();
    }
  }
}

}  // namespace halocline
