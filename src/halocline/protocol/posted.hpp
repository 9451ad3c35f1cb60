#pragma once

#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// The receives of protocols that post them before they send: a message that finds its receive
/// posted is not copied through the library's buffers.
class PostedReceives {
 public:
  PostedReceives(const mpi::Communicator& communicator, std::vector<Incoming> receives)
      : communicator_(communicator), receives_(std::move(receives)) {}

  /// Posts all receives of the next exchange unless already posted.
  void post() {
    if (posted_) {
      return;
    }
    for (const Incoming& incoming : receives_) {
      requests_.receive(communicator_, incoming.payload, incoming.peer);
    }
    posted_ = true;
  }

  void wait() {
    requests_.wait_all();
    posted_ = false;
  }

 private:
  const mpi::Communicator& communicator_;
  const std::vector<Incoming> receives_;
  mpi::Requests requests_;
  bool posted_ = false;
};

}  // namespace halocline::protocol
