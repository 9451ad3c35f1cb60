#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/ordered.hpp"

namespace halocline::protocol {

extern const Protocol isendrecv;

namespace {

class NonblockingSendReceive final : public Transport {
 public:
  NonblockingSendReceive(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator), swaps_(pairwise(messages, communicator.rank())) {}

  void start() override {
    for (const Swap& swap : swaps_) {
      requests_.send_receive(communicator_, swap.outgoing.payload, swap.outgoing.peer,
                             swap.incoming.payload, swap.incoming.peer);
    }
  }

  void finish() override { requests_.wait_all(); }

 private:
  const mpi::Communicator& communicator_;
  const std::vector<Swap> swaps_;
  mpi::Requests requests_;
};

}  // namespace

const Protocol isendrecv = define<NonblockingSendReceive>({
    .name = "isendrecv",
    .summary = "MPI_Isendrecv with every peer at once, then MPI_Wait for all",
    .needs = {mpi::Need::two_sided, mpi::Need::nonblocking_sendrecv},
});

}  // namespace halocline::protocol
