#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

extern const Protocol persistent;

namespace {

class Persistent final : public Transport {
 public:
  Persistent(const mpi::Communicator& communicator, const Messages& messages) {
    for (const Incoming& incoming : messages.receives) {
      receives_.prepare_receive(communicator, incoming.payload, incoming.peer);
    }
    for (const Outgoing& outgoing : messages.sends) {
      sends_.prepare_send(communicator, outgoing.payload, outgoing.peer);
    }
  }

  void post() override {
    if (!posted_) {
      receives_.start_all();
      posted_ = true;
    }
  }

  void start() override {
    post();
    sends_.start_all();
  }

  void finish() override {
    receives_.finish_all();
    sends_.finish_all();
    posted_ = false;
  }

 private:
  mpi::Requests receives_;
  mpi::Requests sends_;
  bool posted_ = false;
};

}  // namespace

const Protocol persistent = define<Persistent>({
    .name = "persistent",
    .summary = "MPI_Send_init and MPI_Recv_init once, then MPI_Startall and MPI_Waitall",
    .needs = {mpi::Need::two_sided, mpi::Need::persistent_requests},
});

}  // namespace halocline::protocol
