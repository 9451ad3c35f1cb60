#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

extern const Protocol corrupting;

namespace {

/// Spoils one byte of everything that arrives: such a case must fail, never be measured.
class Corrupting final : public Transport {
 public:
  Corrupting(const mpi::Communicator& communicator, Messages messages)
      : communicator_(communicator), messages_(std::move(messages)) {}

  void start() override {
    for (const Incoming& incoming : messages_.receives) {
      requests_.receive(communicator_, incoming.payload, incoming.peer);
    }
    for (const Outgoing& outgoing : messages_.sends) {
      requests_.send(communicator_, outgoing.payload, outgoing.peer);
    }
  }

  void finish() override {
    requests_.wait_all();
    for (const Incoming& incoming : messages_.receives) {
      if (!incoming.payload.empty()) {
        incoming.payload[incoming.payload.size() / 3] ^= std::byte{1};
      }
    }
  }

 private:
  const mpi::Communicator& communicator_;
  const Messages messages_;
  mpi::Requests requests_;
};

}  // namespace

const Protocol corrupting = define<Corrupting>({
    .name = "corrupting",
    .summary = "isend_irecv, and one byte of what arrives is spoiled",
    .needs = {mpi::Need::two_sided},
});

}  // namespace halocline::protocol
