#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/pieces.hpp"

namespace halocline::protocol {

extern const Protocol persistent_neighbour_alltoallv;

namespace {

class PersistentNeighbourAllToAll final : public Transport {
 public:
  PersistentNeighbourAllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : graph_(communicator.graph(peers_of(messages.receives), peers_of(messages.sends))),
        outgoing_(messages.sends, peers_of(messages.sends)),
        incoming_(messages.receives, peers_of(messages.receives)) {
    request_.prepare_neighbour_all_to_all(graph_, outgoing_.pieces(), incoming_.pieces());
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
  const mpi::Communicator graph_;
  OutgoingPieces outgoing_;
  IncomingPieces incoming_;
  mpi::Requests request_;
};

}  // namespace

const Protocol persistent_neighbour_alltoallv = define<PersistentNeighbourAllToAll>({
    .name = "persistent_neighbour_alltoallv",
    .summary =
        "MPI_Neighbor_alltoallv_init on a graph of the peers once, then MPI_Start and MPI_Wait",
    .needs = {mpi::Need::neighbourhood_collectives, mpi::Need::persistent_collectives},
});

}  // namespace halocline::protocol
