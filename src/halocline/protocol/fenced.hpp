#pragma once

#include "halocline/protocol/access.hpp"

namespace halocline::protocol {

/// One-sided calls between two fences: all ranks of the communicator wait for each other before and
/// after. `Access` is Puts or Gets.
template <class Access>
class Fenced final : public Transport {
 public:
  static constexpr std::string_view restriction = waits_in_start;

  Fenced(const mpi::Communicator& communicator, const Messages& messages)
      : window_(communicator, messages.window_bytes), access_(communicator, messages) {}

  void start() override {
    window_.fence();
    access_.issue(window_);
  }

  void finish() override { window_.fence(); }

  std::byte* window() override { return window_.memory().data(); }

 private:
  const mpi::Window window_;
  const Access access_;
};

}  // namespace halocline::protocol
