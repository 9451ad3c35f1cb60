#pragma once

#include "halocline/protocol/access.hpp"
#include "halocline/protocol/signals.hpp"

namespace halocline::protocol {

/// Where a window's flags begin: after the messages, on a cache line of their own.
constexpr std::size_t flags_offset(std::size_t message_bytes) {
  constexpr std::size_t line_bytes = 64;
  return (message_bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// Puts into windows that stay locked: each sender completes its puts by a flush and then signals
/// that the data have arrived. The receivers' buffers must be known to be free beforehand.
template <class Signal>
class PassivePut final : public Transport {
 public:
  PassivePut(const mpi::Communicator& communicator, const Messages& messages)
      : puts_(communicator, messages),
        window_(communicator,
                flags_offset(messages.window_bytes) + Signal::window_bytes(puts_.peers().origins)),
        arrived_(communicator, window_, flags_offset(messages.window_bytes), puts_.peers().targets,
                 puts_.peers().origins) {
    window_.lock_all();
  }

  void post() override {
    if (!posted_) {
      window_.sync();  // orders own stores before the peers' puts
      arrived_.expect();
      posted_ = true;
    }
  }

  void start() override {
    post();
    puts_.issue(window_);
  }

  void finish() override {
    for (const int target : puts_.peers().targets) {
      window_.flush(target);
    }
    arrived_.signal();
    arrived_.await();
    window_.sync();
    posted_ = false;
  }

  std::byte* window() override { return window_.memory().data(); }

 private:
  const Puts puts_;
  mpi::Window window_;
  Signal arrived_;
  bool posted_ = false;
};

/// Gets from windows that stay locked, once the sender has signalled that the data are ready; the
/// receiver signals when it has them.
template <class Signal>
class PassiveGet final : public Transport {
 public:
  PassiveGet(const mpi::Communicator& communicator, const Messages& messages)
      : gets_(communicator, messages),
        ready_offset_(flags_offset(messages.window_bytes)),
        taken_offset_(ready_offset_ + Signal::window_bytes(gets_.peers().targets)),
        window_(communicator, taken_offset_ + Signal::window_bytes(gets_.peers().origins)),
        ready_(communicator, window_, ready_offset_, gets_.peers().origins, gets_.peers().targets),
        taken_(communicator, window_, taken_offset_, gets_.peers().targets, gets_.peers().origins) {
    window_.lock_all();
  }

  void start() override {
    ready_.expect();
    taken_.expect();
    window_.sync();  // orders own stores before the peers' gets
    ready_.signal();
  }

  void finish() override {
    ready_.await();
    gets_.issue(window_);
    for (const int target : gets_.peers().targets) {
      window_.flush(target);
    }
    taken_.signal();
    taken_.await();
  }

  std::byte* window() override { return window_.memory().data(); }

 private:
  const Gets gets_;
  const std::size_t ready_offset_;
  const std::size_t taken_offset_;
  mpi::Window window_;
  Signal ready_;
  Signal taken_;
};

}  // namespace halocline::protocol
