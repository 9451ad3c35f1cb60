#include <tuple>

#include "halocline/bundle/exchange.hpp"
#include "halocline/route/pairs.hpp"
#include "halocline/workload/micro/payload.hpp"

namespace halocline::workload {

extern const Workload pingpong;

namespace {

/// A message from rank 0 to rank 1 and one back; half the round trip is the time of one traversal.
class PingPong final : public measure::TimedLoop {
 public:
  PingPong(std::size_t size_bytes, Pages pages, const protocol::Protocol& protocol,
           const mpi::Communicator& communicator)
      : communicator_(communicator),
        first_(communicator.rank() == 0),
        size_bytes_(size_bytes),
        payload_(size_bytes, pages),
        there_(route::one_way(communicator.rank(), 0, 1, payload_.box()), payload_.outgoing(),
               payload_.incoming(), protocol, communicator, bundle::Fields::may_move),
        back_(route::one_way(communicator.rank(), 1, 0, payload_.box()), payload_.outgoing(),
              payload_.incoming(), protocol, communicator, bundle::Fields::may_move) {
    const auto& [sends, receives] = first_ ? std::tie(there_, back_) : std::tie(back_, there_);
    payload_.lies_in(sends.source(), receives.destination());
    payload_.write(0, communicator.rank());
  }

  void synchronise() override {
    if (first_) {
      communicator_.receive({}, 1);
    } else {
      there_.post();
      communicator_.send({}, 0);
    }
  }

  void run(std::int64_t iterations) override {
    bundle::alternate(there_, back_, first_, iterations);
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    payload_.write(seed, communicator_.rank());
    synchronise();
    run(1);
    return payload_.difference(seed, first_ ? 1 : 0, communicator_.rank());
  }

  std::int64_t traversals() const override { return 2; }
  std::size_t moved_bytes() const override { return size_bytes_; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return there_.off_node_bytes(node_of_rank) + back_.off_node_bytes(node_of_rank);
  }

 private:
  const mpi::Communicator& communicator_;
  bool first_;
  std::size_t size_bytes_;
  Payload payload_;
  bundle::Exchange there_;
  bundle::Exchange back_;
};

}  // namespace

const Workload pingpong{
    .name = "pingpong",
    .summary = "unidirectional: a message there and one back, half the round trip",
    .ranks_minimum = 2,
    .ranks_maximum = 2,
    .axes = {message_bytes_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      const auto size_bytes = static_cast<std::size_t>(values.integer(message_bytes_axis()));
      return std::make_unique<PingPong>(size_bytes, values.pages(), values.protocol(),
                                        communicator);
    },
};

}  // namespace halocline::workload
