#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/pieces.hpp"
#include "halocline/protocol/typed_pieces.hpp"

namespace halocline::protocol {

extern const Protocol persistent_neighbour_alltoallw;

namespace {

class PersistentTypedNeighbourAllToAll final : public Transport {
 public:
  PersistentTypedNeighbourAllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : graph_(communicator.graph(peers_of(messages.receives), peers_of(messages.sends))),
        outgoing_(typed_pieces(messages.sends, peers_of(messages.sends))),
        incoming_(typed_pieces(messages.receives, peers_of(messages.receives))) {
    request_.prepare_neighbour_all_to_all(graph_, outgoing_, incoming_);
  }

  void start() override { request_.start_all(); }
  void finish() override { request_.finish_all(); }

 private:
  const mpi::Communicator graph_;
  const mpi::TypedPieces outgoing_;
  const mpi::TypedPieces incoming_;
  mpi::Requests request_;
};

}  // namespace

const Protocol persistent_neighbour_alltoallw = define<PersistentTypedNeighbourAllToAll>({
    .name = "persistent_neighbour_alltoallw",
    .summary =
        "MPI_Neighbor_alltoallw_init on a graph of the peers once, by derived datatypes, then "
        "MPI_Start and MPI_Wait",
    .needs = {mpi::Need::neighbourhood_collectives, mpi::Need::derived_datatypes,
              mpi::Need::persistent_collectives},
    .form = Form::boxes,
    .unusable = one_way_lost,
});

}  // namespace halocline::protocol
