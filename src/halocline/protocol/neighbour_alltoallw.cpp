#include "halocline/protocol/pieces.hpp"
#include "halocline/protocol/typed_pieces.hpp"

namespace halocline::protocol {

extern const Protocol neighbour_alltoallw;

namespace {

class TypedNeighbourAllToAll final : public Transport {
 public:
  TypedNeighbourAllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : graph_(communicator.graph(peers_of(messages.receives), peers_of(messages.sends))),
        outgoing_(typed_pieces(messages.sends, peers_of(messages.sends))),
        incoming_(typed_pieces(messages.receives, peers_of(messages.receives))) {}

  void start() override { graph_.neighbour_all_to_all(outgoing_, incoming_); }
  void finish() override {}

 private:
  const mpi::Communicator graph_;
  const mpi::TypedPieces outgoing_;
  const mpi::TypedPieces incoming_;
};

}  // namespace

const Protocol neighbour_alltoallw = define<TypedNeighbourAllToAll>({
    .name = "neighbour_alltoallw",
    .summary = "MPI_Neighbor_alltoallw on a graph of the peers, by derived datatypes",
    .needs = {mpi::Need::neighbourhood_collectives, mpi::Need::derived_datatypes},
    .form = Form::boxes,
    .unusable = one_way_lost,
});

}  // namespace halocline::protocol
