#include "halocline/protocol/ordered.hpp"

namespace halocline::protocol {

extern const Protocol sendrecv;

namespace {

class SendReceive final : public Transport {
 public:
  static constexpr std::string_view restriction = waits_in_start;

  SendReceive(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator), swaps_(pairwise(messages, communicator.rank())) {}

  void start() override {
    for (const Swap& swap : swaps_) {
      communicator_.send_receive(swap.outgoing.payload, swap.outgoing.peer, swap.incoming.payload,
                                 swap.incoming.peer);
    }
  }

  void finish() override {}

 private:
  const mpi::Communicator& communicator_;
  const std::vector<Swap> swaps_;
};

}  // namespace

const Protocol sendrecv = define<SendReceive>({
    .name = "sendrecv",
    .summary = "MPI_Sendrecv with one peer after the other; MPI_PROC_NULL where a side is missing",
    .needs = {mpi::Need::two_sided},
});

}  // namespace halocline::protocol
