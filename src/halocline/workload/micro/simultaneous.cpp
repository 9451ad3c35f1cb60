#include "halocline/workload/micro/simultaneous.hpp"

#include <algorithm>

#include "halocline/mpi/in_turn.hpp"

namespace halocline::workload {
namespace {

constexpr int no_pair = -1;

/// The pair that the rank is in.
int pair_of(int rank, const std::vector<route::Pair>& pairs) {
  const auto found = std::ranges::find_if(
      pairs, [rank](const route::Pair& pair) { return pair.first == rank || pair.second == rank; });
  return found == pairs.end() ? no_pair : static_cast<int>(found - pairs.begin());
}

class Simultaneous final : public measure::TimedLoop {
 public:
  Simultaneous(Pattern pattern, const Transfer& transfer, std::vector<route::Pair> pairs,
               const mpi::Communicator& world)
      : pattern_(pattern),
        size_bytes_(transfer.size_bytes),
        pairs_(std::move(pairs)),
        world_(world),
        talkers_(world.split(pair_of(world.rank(), pairs_) == no_pair ? no_pair : 0)),
        pair_(world.split(pair_of(world.rank(), pairs_))) {
    std::string reason;
    const int own = pair_of(world.rank(), pairs_);
    mpi::in_turn(world, own, static_cast<int>(pairs_.size()), [&] {
      try {
        talk_ = two_ranks(pattern, transfer, pairs_[static_cast<std::size_t>(own)], *pair_);
      } catch (const Skip& skip) {
        reason = skip.what();
      }
    });
    skip_together(reason);
  }

  void synchronise() override {
    if (talk_ && talkers_) {
      talk_->synchronise();
      if (pairs_.size() > 1) {
        talkers_->barrier();
      }
    }
  }

  Seconds time(std::int64_t iterations) override {
    if (!talk_ || !talkers_) {
      world_.sleep_until_notified(waker());
      return Seconds{0};
    }
    const Seconds elapsed = talk_->time(iterations);
    if (talkers_->size() < world_.size()) {
      wake_others(*talkers_);
    }
    return elapsed;
  }

  void run(std::int64_t iterations) override {
    if (talk_) {
      talk_->run(iterations);
    }
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    return talk_ ? talk_->verify(seed) : std::nullopt;
  }

  std::int64_t traversals() const override { return traversals_of(pattern_); }
  std::size_t moved_bytes() const override {
    return pairs_.size() * messages_of(pattern_) * size_bytes_;
  }
  std::vector<int> timed_ranks() const override {
    std::vector<int> ranks;
    for (const route::Pair& pair : pairs_) {
      const std::vector<int> of_pair = timed_ranks_of(pattern_, pair);
      ranks.insert(ranks.end(), of_pair.begin(), of_pair.end());
    }
    return ranks;
  }
  std::vector<route::Pair> pairs() const override { return pairs_; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return talk_ ? talk_->off_node_bytes(node_of_rank) : 0;
  }

 private:
  int waker() const { return pairs_.front().first; }

  /// Wakes the ranks without a pair once all pairs are done.
  void wake_others(const mpi::Communicator& talkers) const {
    talkers.barrier();
    if (world_.rank() != waker()) {
      return;
    }
    for (int rank = 0; rank < world_.size(); ++rank) {
      if (pair_of(rank, pairs_) == no_pair) {
        world_.notify(rank);
      }
    }
  }

  /// Pairs may differ in what they can do: the case is skipped on all ranks or on none.
  void skip_together(const std::string& reason) const {
    const std::vector<std::string> reasons = world_.gather(reason);
    const auto first =
        std::ranges::find_if(reasons, [](const auto& each) { return !each.empty(); });
    const std::string shared = world_.broadcast(first == reasons.end() ? std::string{} : *first);
    if (!shared.empty()) {
      throw Skip(shared);
    }
  }

  Pattern pattern_;
  std::size_t size_bytes_;
  std::vector<route::Pair> pairs_;
  const mpi::Communicator& world_;
  std::optional<mpi::Communicator> talkers_;
  std::optional<mpi::Communicator> pair_;
  std::unique_ptr<measure::TimedLoop> talk_;
};

}  // namespace

const IntegerAxis& pairs_axis() {
  static const IntegerAxis axis{
      .name = "pairs", .unit = "pairs", .low = 0, .high = any_number_of_ranks / 2, .defaults = {0}};
  return axis;
}

std::vector<route::Pair> chosen(const AxisValues& values, std::vector<route::Pair> pairs) {
  const auto number = static_cast<std::size_t>(values.integer(pairs_axis()));
  if (number > pairs.size()) {
    throw Skip(std::to_string(number) + " pairs, but the ranks form " +
               std::to_string(pairs.size()) + "; choose fewer pairs or more ranks");
  }
  pairs.resize(number == 0 ? pairs.size() : number);
  return pairs;
}

std::unique_ptr<measure::TimedLoop> simultaneous(const AxisValues& values,
                                                 const std::vector<route::Pair>& pairs,
                                                 const mpi::Communicator& world) {
  const Transfer transfer = transfer_of(values);
  const bool talks = pair_of(world.rank(), pairs) != no_pair;
  const bool has_window = transfer.protocol.windows != protocol::Windows::none;
  const std::size_t buffers = Payload::buffers + (has_window ? 1 : 0);
  require_payloads(transfer.size_bytes, talks ? buffers : 0, buffers, world);
  return std::make_unique<Simultaneous>(pattern_of(values), transfer, pairs, world);
}

}  // namespace halocline::workload
