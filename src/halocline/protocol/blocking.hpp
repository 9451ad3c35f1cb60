#pragma once

#include "halocline/protocol/ordered.hpp"

namespace halocline::protocol {

/// Sends and receives one by one with blocking calls, in a deadlock-free order. `Send` is a member
/// of Communicator that sends one message.
template <void (mpi::Communicator::*Send)(std::span<const std::byte>, int) const>
class Blocking final : public Transport {
 public:
  static constexpr std::string_view restriction = waits_in_start;

  Blocking(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator), steps_(one_at_a_time(messages, communicator.rank())) {}

  void start() override {
    for (const Step& step : steps_) {
      if (const auto* outgoing = std::get_if<Outgoing>(&step)) {
        (communicator_.*Send)(outgoing->payload, outgoing->peer);
      } else {
        const auto& incoming = std::get<Incoming>(step);
        communicator_.receive(incoming.payload, incoming.peer);
      }
    }
  }

  void finish() override {}

 private:
  const mpi::Communicator& communicator_;
  const std::vector<Step> steps_;
};

}  // namespace halocline::protocol
