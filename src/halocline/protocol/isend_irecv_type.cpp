#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

extern const Protocol isend_irecv_type;

namespace {

class NonblockingTyped final : public Transport {
 public:
  NonblockingTyped(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator),
        outgoing_(typed(messages.sends)),
        incoming_(typed(messages.receives)) {}

  void post() override {
    if (posted_) {
      return;
    }
    for (const Typed& message : incoming_) {
      receives_.receive(communicator_, message.boxes, message.peer);
    }
    posted_ = true;
  }

  void start() override {
    post();
    for (const Typed& message : outgoing_) {
      sends_.send(communicator_, message.boxes, message.peer);
    }
  }

  void finish() override {
    receives_.wait_all();
    sends_.wait_all();
    posted_ = false;
  }

 private:
  struct Typed {
    int peer;
    mpi::Datatype boxes;
  };

  template <class Message>
  static std::vector<Typed> typed(const std::vector<Message>& messages) {
    std::vector<Typed> all;
    for (const Message& message : messages) {
      all.push_back({.peer = message.peer, .boxes = mpi::Datatype(message.boxes)});
    }
    return all;
  }

  const mpi::Communicator& communicator_;
  const std::vector<Typed> outgoing_;
  const std::vector<Typed> incoming_;
  mpi::Requests receives_;
  mpi::Requests sends_;
  bool posted_ = false;
};

}  // namespace

const Protocol isend_irecv_type = define<NonblockingTyped>({
    .name = "isend_irecv_type",
    .summary = "MPI_Irecv, MPI_Isend of derived datatypes: the library packs, not the program",
    .needs = {mpi::Need::two_sided, mpi::Need::derived_datatypes},
    .form = Form::boxes,
});

}  // namespace halocline::protocol
