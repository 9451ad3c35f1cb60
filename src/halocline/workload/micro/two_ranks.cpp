#include "halocline/workload/micro/two_ranks.hpp"

#include <tuple>

#include "halocline/bundle/exchange.hpp"

namespace halocline::workload {
namespace {

/// Common to both patterns: the payload, its owners, and its verification.
class TwoRanks : public measure::TimedLoop {
 public:
  TwoRanks(Pattern pattern, const Transfer& transfer, const route::Pair& names,
           const mpi::Communicator& communicator)
      : communicator_(communicator),
        payload_(transfer.size_bytes, transfer.pages),
        pattern_(pattern),
        names_(names),
        size_bytes_(transfer.size_bytes) {}

  std::optional<std::string> verify(std::uint64_t seed) override {
    payload_.write(seed, own_name());
    synchronise();
    run(1);
    return payload_.difference(seed, leads() ? names_.second : names_.first, own_name());
  }

  std::int64_t traversals() const override { return traversals_of(pattern_); }
  std::size_t moved_bytes() const override { return messages_of(pattern_) * size_bytes_; }
  std::vector<int> timed_ranks() const override { return timed_ranks_of(pattern_, names_); }
  std::vector<route::Pair> pairs() const override { return {names_}; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    const auto node = [&](int rank) { return node_of_rank[static_cast<std::size_t>(rank)]; };
    return node(names_.first) == node(names_.second) ? 0 : size_bytes_;
  }

 protected:
  bool leads() const { return communicator_.rank() == 0; }
  int peer() const { return 1 - communicator_.rank(); }

  /// Once the exchanges exist: the payload is where they have put it.
  void begin(const bundle::Bundle& outgoing, const bundle::Bundle& incoming) {
    payload_.lies_in(outgoing, incoming);
    payload_.write(0, own_name());
  }

  const mpi::Communicator& communicator_;
  Payload payload_;

 private:
  int own_name() const { return leads() ? names_.first : names_.second; }

  Pattern pattern_;
  route::Pair names_;
  std::size_t size_bytes_;
};

/// A message from the first to the second and one back; half the round trip is one traversal.
class PingPong final : public TwoRanks {
 public:
  PingPong(const Transfer& transfer, const route::Pair& names,
           const mpi::Communicator& communicator)
      : TwoRanks(Pattern::pingpong, transfer, names, communicator),
        there_(route::one_way(communicator.rank(), 0, 1, payload_.box()), payload_.outgoing(),
               payload_.incoming(), transfer.protocol, communicator, bundle::Fields::may_move),
        back_(route::one_way(communicator.rank(), 1, 0, payload_.box()), payload_.outgoing(),
              payload_.incoming(), transfer.protocol, communicator, bundle::Fields::may_move) {
    const auto& [sends, receives] = leads() ? std::tie(there_, back_) : std::tie(back_, there_);
    begin(sends.source(), receives.destination());
  }

  void synchronise() override {
    if (leads()) {
      communicator_.receive({}, peer());
    } else {
      there_.post();
      communicator_.send({}, peer());
    }
  }

  void run(std::int64_t iterations) override {
    bundle::alternate(there_, back_, leads(), iterations);
  }

 private:
  bundle::Exchange there_;
  bundle::Exchange back_;
};

/// Both swap messages, at the same time where the protocol allows it.
class PingPing final : public TwoRanks {
 public:
  PingPing(const Transfer& transfer, const route::Pair& names,
           const mpi::Communicator& communicator)
      : TwoRanks(Pattern::pingping, transfer, names, communicator),
        swap_(route::both_ways(communicator.rank(), 0, 1, payload_.box()), payload_.outgoing(),
              payload_.incoming(), transfer.protocol, communicator, bundle::Fields::may_move) {
    begin(swap_.source(), swap_.destination());
  }

  void synchronise() override { communicator_.send_receive({}, peer(), {}, peer()); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      swap_.start();
      swap_.finish();
    }
  }

 private:
  bundle::Exchange swap_;
};

}  // namespace

const ChoiceAxis& pattern_axis() {
  static const ChoiceAxis axis{
      .name = "pattern",
      .choices = {"pingpong", "pingping"},
      .defaults = {"pingpong", "pingping"},
  };
  return axis;
}

Pattern pattern_of(const AxisValues& values) {
  return values.choice(pattern_axis()) == "pingpong" ? Pattern::pingpong : Pattern::pingping;
}

Transfer transfer_of(const AxisValues& values) {
  return {.size_bytes = static_cast<std::size_t>(values.integer(message_bytes_axis())),
          .pages = values.pages(),
          .protocol = values.protocol()};
}

std::int64_t traversals_of(Pattern pattern) { return pattern == Pattern::pingpong ? 2 : 1; }

std::size_t messages_of(Pattern pattern) { return pattern == Pattern::pingpong ? 1 : 2; }

std::vector<int> timed_ranks_of(Pattern pattern, const route::Pair& pair) {
  return pattern == Pattern::pingpong ? std::vector{pair.first}
                                      : std::vector{pair.first, pair.second};
}

std::unique_ptr<measure::TimedLoop> two_ranks(Pattern pattern, const Transfer& transfer,
                                              const route::Pair& names,
                                              const mpi::Communicator& communicator) {
  if (pattern == Pattern::pingpong) {
    return std::make_unique<PingPong>(transfer, names, communicator);
  }
  return std::make_unique<PingPing>(transfer, names, communicator);
}

}  // namespace halocline::workload
