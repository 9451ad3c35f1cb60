#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/pieces.hpp"

namespace halocline::protocol {

extern const Protocol ialltoallv;

namespace {

class NonblockingAllToAll final : public Transport {
 public:
  NonblockingAllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator.duplicate()),
        outgoing_(messages.sends, everyone(communicator)),
        incoming_(messages.receives, everyone(communicator)) {}

  void start() override {
    outgoing_.collect();
    request_.all_to_all(communicator_, outgoing_.pieces(), incoming_.pieces());
  }

  void finish() override {
    request_.wait_all();
    incoming_.deliver();
  }

 private:
  const mpi::Communicator communicator_;
  OutgoingPieces outgoing_;
  IncomingPieces incoming_;
  mpi::Requests request_;
};

}  // namespace

const Protocol ialltoallv = define<NonblockingAllToAll>({
    .name = "ialltoallv",
    .summary = "MPI_Ialltoallv of all ranks, then MPI_Wait",
    .needs = {mpi::Need::nonblocking_collectives},
});

}  // namespace halocline::protocol
