#pragma once

#include "halocline/protocol/access.hpp"

namespace halocline::protocol {

/// One-sided calls while their targets expose their windows only to the origins. `Access` is Puts
/// or Gets; `early` means that post() may already expose the window: then the peers write.
template <class Access, bool early>
class PostStart final : public Transport {
 public:
  static constexpr std::string_view restriction = waits_in_start;

  PostStart(const mpi::Communicator& communicator, const Messages& messages)
      : window_(communicator, messages.window_bytes),
        access_(communicator, messages),
        targets_(communicator, access_.peers().targets),
        origins_(communicator, access_.peers().origins) {}

  void post() override {
    if constexpr (early) {
      expose();
    }
  }

  void start() override {
    expose();  // first: ranks that access each other's windows would otherwise deadlock
    if (accesses()) {
      window_.start(targets_);
      access_.issue(window_);
    }
  }

  void finish() override {
    if (accesses()) {
      window_.complete();
    }
    if (exposed_) {
      window_.wait();
      exposed_ = false;
    }
  }

  std::byte* window() override { return window_.memory().data(); }

 private:
  bool accesses() const { return !access_.peers().targets.empty(); }

  void expose() {
    if (!exposed_ && !access_.peers().origins.empty()) {
      window_.post(origins_);
      exposed_ = true;
    }
  }

  const mpi::Window window_;
  const Access access_;
  const mpi::Group targets_;
  const mpi::Group origins_;
  bool exposed_ = false;
};

}  // namespace halocline::protocol
