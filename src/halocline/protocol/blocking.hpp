#pragma once

#include "halocline/protocol/ordered.hpp"

namespace halocline::protocol {

/// Sends and receives one after the other by blocking calls, in an order that cannot lock up.
/// `Send` is a member of Communicator that sends one message.
template <void (mpi::Communicator::*Send)(std::span<const std::byte>, int) const>
class Blocking final : public Transport {
 public:
  Blocking(const mpi::Communicator& communicator, Messages messages)
      : communicator_(communicator),
        messages_(std::move(messages)),
        steps_(one_at_a_time(messages_, communicator.rank())) {}

  void start() override {
    for (const Step& step : steps_) {
      if (step.send != nullptr) {
        (communicator_.*Send)(step.send->payload, step.send->peer);
      } else {
        communicator_.receive(step.receive->payload, step.receive->peer);
      }
    }
  }

  void finish() override {}

 private:
  const mpi::Communicator& communicator_;
  const Messages messages_;
  const std::vector<Step> steps_;
};

}  // namespace halocline::protocol
