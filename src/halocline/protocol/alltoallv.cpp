#include "halocline/protocol/pieces.hpp"

namespace halocline::protocol {

extern const Protocol alltoallv;

namespace {

class AllToAll final : public Transport {
 public:
  AllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator.duplicate()),
        outgoing_(messages.sends, everyone(communicator)),
        incoming_(messages.receives, everyone(communicator)) {}

  void start() override {
    outgoing_.collect();
    communicator_.all_to_all(outgoing_.pieces(), incoming_.pieces());
  }

  void finish() override { incoming_.deliver(); }

 private:
  const mpi::Communicator communicator_;
  OutgoingPieces outgoing_;
  IncomingPieces incoming_;
};

}  // namespace

const Protocol alltoallv = define<AllToAll>({
    .name = "alltoallv",
    .summary = "MPI_Alltoallv of all ranks, nothing between those that are no peers",
    .needs = {mpi::Need::collectives},
});

}  // namespace halocline::protocol
