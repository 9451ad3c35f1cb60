#pragma once

#include <pthread.h>

#include <cstddef>

namespace halocline::test {

/// While it lives, no thread of this process starts: its stack would not fit the address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&former_);
    pthread_attr_t attributes = former_;
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 62U);
    pthread_setattr_default_np(&attributes);
  }
  ~NoThreads() { pthread_setattr_default_np(&former_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t former_{};
};

}  // namespace halocline::test
