#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/pieces.hpp"

namespace halocline::protocol {

extern const Protocol persistent_alltoallv;

namespace {

class PersistentAllToAll final : public Transport {
 public:
  PersistentAllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator.duplicate()),
        outgoing_(messages.sends, everyone(communicator)),
        incoming_(messages.receives, everyone(communicator)) {
    request_.prepare_all_to_all(communicator_, outgoing_.pieces(), incoming_.pieces());
  }

  void start() override {
    outgoing_.collect();
    request_.start_all();
  }

  void finish() override {
    request_.finish_all();
    incoming_.deliver();
  }

 private:
  const mpi::Communicator communicator_;
  OutgoingPieces outgoing_;
  IncomingPieces incoming_;
  mpi::Requests request_;
};

}  // namespace

const Protocol persistent_alltoallv = define<PersistentAllToAll>({
    .name = "persistent_alltoallv",
    .summary = "MPI_Alltoallv_init of all ranks once, then MPI_Start and MPI_Wait",
    .needs = {mpi::Need::persistent_collectives},
});

}  // namespace halocline::protocol
