#include "halocline/protocol/posted.hpp"

namespace halocline::protocol {

extern const Protocol rsend_irecv;

namespace {

class ReadySend final : public Transport {
 public:
  ReadySend(const mpi::Communicator& communicator, Messages messages)
      : communicator_(communicator),
        sends_(std::move(messages.sends)),
        receives_(communicator, std::move(messages.receives)) {}

  void post() override { receives_.post(); }

  void start() override {
    receives_.post();
    for (const Outgoing& outgoing : sends_) {
      communicator_.ready_send(outgoing.payload, outgoing.peer);
    }
  }

  void finish() override { receives_.wait(); }

 private:
  const mpi::Communicator& communicator_;
  const std::vector<Outgoing> sends_;
  PostedReceives receives_;
};

}  // namespace

const Protocol rsend_irecv = define<ReadySend>({
    .name = "rsend_irecv",
    .summary = "MPI_Rsend into posted receives",
    .needs = {mpi::Need::two_sided, mpi::Need::ready_mode},
    .peer_receives = Receives::posted_before,
});

}  // namespace halocline::protocol
