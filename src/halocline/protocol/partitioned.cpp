#include <algorithm>

#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

extern const Protocol partitioned;

namespace {

constexpr std::size_t most_partitions = 8;

/// Partitions are equal: the largest number up to the limit that divides the message.
int partitions_of(std::size_t size_bytes) {
  for (std::size_t partitions = most_partitions; partitions > 1; --partitions) {
    if (size_bytes > 0 && size_bytes % partitions == 0) {
      return static_cast<int>(partitions);
    }
  }
  return 1;
}

class Partitioned final : public Transport {
 public:
  Partitioned(const mpi::Communicator& communicator, const Messages& messages) {
    for (const Incoming& incoming : messages.receives) {
      receives_.prepare_partitioned_receive(communicator, incoming.payload,
                                            partitions_of(incoming.payload.size()), incoming.peer);
    }
    for (const Outgoing& outgoing : messages.sends) {
      partitions_.push_back(partitions_of(outgoing.payload.size()));
      sends_.prepare_partitioned_send(communicator, outgoing.payload, partitions_.back(),
                                      outgoing.peer);
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
    for (std::size_t message = 0; message < partitions_.size(); ++message) {
      for (int partition = 0; partition < partitions_[message]; ++partition) {
        sends_.ready(message, partition);
      }
    }
  }

  void finish() override {
    receives_.finish_all();
    sends_.finish_all();
    posted_ = false;
  }

 private:
  mpi::Requests receives_;
  mpi::Requests sends_;
  std::vector<int> partitions_;  // of each send
  bool posted_ = false;
};

}  // namespace

const Protocol partitioned = define<Partitioned>({
    .name = "partitioned",
    .summary = "MPI_Psend_init and MPI_Precv_init of up to 8 equal partitions once, then MPI_Start "
               "and MPI_Pready for each",
    .needs = {mpi::Need::two_sided, mpi::Need::partitioned_messages},
    .unusable =
        [](const mpi::Communicator& /*communicator*/, const Messages& messages) {
          // Where this matters there are two ranks, and all messages of a side have one peer.
          return mpi::partitioned_unusable(
              std::max(messages.sends.size(), messages.receives.size()));
        },
});

}  // namespace halocline::protocol
