#include "halocline/protocol/pieces.hpp"
#include "halocline/protocol/typed_pieces.hpp"

namespace halocline::protocol {

extern const Protocol alltoallw;

namespace {

class TypedAllToAll final : public Transport {
 public:
  TypedAllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator.duplicate()),
        outgoing_(typed_pieces(messages.sends, everyone(communicator))),
        incoming_(typed_pieces(messages.receives, everyone(communicator))) {}

  void start() override { communicator_.all_to_all(outgoing_, incoming_); }
  void finish() override {}

 private:
  const mpi::Communicator communicator_;
  const mpi::TypedPieces outgoing_;
  const mpi::TypedPieces incoming_;
};

}  // namespace

const Protocol alltoallw = define<TypedAllToAll>({
    .name = "alltoallw",
    .summary = "MPI_Alltoallw of all ranks, from field to field by derived datatypes",
    .needs = {mpi::Need::collectives, mpi::Need::derived_datatypes},
    .form = Form::boxes,
});

}  // namespace halocline::protocol
