#include "halocline/protocol/pieces.hpp"

namespace halocline::protocol {

extern const Protocol neighbour_alltoallv;

namespace {

class NeighbourAllToAll final : public Transport {
 public:
  NeighbourAllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : graph_(communicator.graph(peers_of(messages.receives), peers_of(messages.sends))),
        outgoing_(messages.sends, peers_of(messages.sends)),
        incoming_(messages.receives, peers_of(messages.receives)) {}

  void start() override {
    outgoing_.collect();
    graph_.neighbour_all_to_all(outgoing_.pieces(), incoming_.pieces());
  }

  void finish() override { incoming_.deliver(); }

 private:
  const mpi::Communicator graph_;
  OutgoingPieces outgoing_;
  IncomingPieces incoming_;
};

}  // namespace

const Protocol neighbour_alltoallv = define<NeighbourAllToAll>({
    .name = "neighbour_alltoallv",
    .summary = "MPI_Neighbor_alltoallv on a graph of the peers",
    .needs = {mpi::Need::neighbourhood_collectives},
});

}  // namespace halocline::protocol
