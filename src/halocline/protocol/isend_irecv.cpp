#include "halocline/protocol/posted.hpp"

namespace halocline::protocol {

extern const Protocol isend_irecv;

namespace {

class Nonblocking final : public Transport {
 public:
  Nonblocking(const mpi::Communicator& communicator, Messages messages)
      : communicator_(communicator),
        outgoing_(std::move(messages.sends)),
        receives_(communicator, std::move(messages.receives)) {}

  void post() override { receives_.post(); }

  void start() override {
    receives_.post();
    for (const Outgoing& outgoing : outgoing_) {
      sends_.send(communicator_, outgoing.payload, outgoing.peer);
    }
  }

  void finish() override {
    receives_.wait();
    sends_.wait_all();
  }

 private:
  const mpi::Communicator& communicator_;
  const std::vector<Outgoing> outgoing_;
  PostedReceives receives_;
  mpi::Requests sends_;
};

}  // namespace

const Protocol isend_irecv = define<Nonblocking>({
    .name = "isend_irecv",
    .summary = "MPI_Irecv, MPI_Isend, then MPI_Wait for all",
    .needs = {mpi::Need::two_sided},
});

}  // namespace halocline::protocol
