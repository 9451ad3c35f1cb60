#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

extern const Protocol isend_recv;

namespace {

class NonblockingSend final : public Transport {
 public:
  NonblockingSend(const mpi::Communicator& communicator, Messages messages)
      : communicator_(communicator), messages_(std::move(messages)) {}

  void start() override {
    for (const Outgoing& outgoing : messages_.sends) {
      sends_.send(communicator_, outgoing.payload, outgoing.peer);
    }
  }

  void finish() override {
    for (const Incoming& incoming : messages_.receives) {
      communicator_.receive(incoming.payload, incoming.peer);
    }
    sends_.wait_all();
  }

 private:
  const mpi::Communicator& communicator_;
  const Messages messages_;
  mpi::Requests sends_;
};

}  // namespace

const Protocol isend_recv = define<NonblockingSend>({
    .name = "isend_recv",
    .summary = "MPI_Isend, MPI_Recv, then MPI_Wait for the sends",
    .needs = {mpi::Need::two_sided},
});

}  // namespace halocline::protocol
