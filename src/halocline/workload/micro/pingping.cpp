#include "halocline/bundle/exchange.hpp"
#include "halocline/route/pairs.hpp"
#include "halocline/workload/micro/payload.hpp"

namespace halocline::workload {

extern const Workload pingping;

namespace {

/// Ranks 0 and 1 swap messages, both ways at once where the protocol allows it.
class PingPing final : public measure::TimedLoop {
 public:
  PingPing(std::size_t size_bytes, Pages pages, const protocol::Protocol& protocol,
           const mpi::Communicator& communicator)
      : communicator_(communicator),
        peer_(1 - communicator.rank()),
        size_bytes_(size_bytes),
        payload_(size_bytes, pages),
        swap_(route::both_ways(communicator.rank(), 0, 1, payload_.box()), payload_.outgoing(),
              payload_.incoming(), protocol, communicator, bundle::Fields::may_move) {
    payload_.lies_in(swap_.source(), swap_.destination());
    payload_.write(0, communicator.rank());
  }

  void synchronise() override { communicator_.send_receive({}, peer_, {}, peer_); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      swap_.start();
      swap_.finish();
    }
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    payload_.write(seed, communicator_.rank());
    synchronise();
    run(1);
    return payload_.difference(seed, peer_, communicator_.rank());
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return 2 * size_bytes_; }
  std::vector<int> timed_ranks() const override { return {0, 1}; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return swap_.off_node_bytes(node_of_rank);
  }

 private:
  const mpi::Communicator& communicator_;
  int peer_;
  std::size_t size_bytes_;
  Payload payload_;
  bundle::Exchange swap_;
};

}  // namespace

const Workload pingping{
    .name = "pingping",
    .summary = "bidirectional: two ranks swap messages at the same time",
    .ranks_minimum = 2,
    .ranks_maximum = 2,
    .axes = {message_bytes_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      const auto size_bytes = static_cast<std::size_t>(values.integer(message_bytes_axis()));
      return std::make_unique<PingPing>(size_bytes, values.pages(), values.protocol(),
                                        communicator);
    },
};

}  // namespace halocline::workload
