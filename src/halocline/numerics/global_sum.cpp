#include "halocline/numerics/global_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::numerics {
namespace {

class FlatSum final : public GlobalSum {
 public:
  FlatSum(const mpi::Communicator& communicator, std::size_t most)
      : all_(communicator), own_(most) {}

  void start(std::span<double> numbers) override { numbers_ = numbers; }
  void finish() override {
    std::ranges::copy(numbers_, own_.begin());
    all_.all_reduce(std::span(own_).first(numbers_.size()), numbers_);
  }

 private:
  mpi::Collectives all_;
  std::vector<double> own_;
  std::span<double> numbers_;
};

class OverlappedSum final : public GlobalSum {
 public:
  OverlappedSum(const mpi::Communicator& communicator, std::size_t most)
      : communicator_(communicator.duplicate()), own_(most) {}

  void start(std::span<double> numbers) override {
    std::ranges::copy(numbers, own_.begin());
    request_.all_reduce(communicator_, std::span(own_).first(numbers.size()), numbers);
  }
  void finish() override { request_.wait_all(); }

 private:
  mpi::Communicator communicator_;  // collectives in flight have their own
  mpi::Requests request_;
  std::vector<double> own_;
};

class TwoLevelSum final : public GlobalSum {
 public:
  TwoLevelSum(const mpi::Communicator& communicator, std::size_t most)
      : node_(communicator.node()),
        leaders_(communicator.split(node_.rank() == 0 ? 0 : -1)),
        others_(static_cast<std::size_t>(node_.size()) * most) {}

  void start(std::span<double> numbers) override { numbers_ = numbers; }
  void finish() override {
    const std::span<std::byte> bytes = std::as_writable_bytes(numbers_);
    if (!leaders_) {
      node_.send(bytes, 0);
      node_.receive(bytes, 0);
      return;
    }
    const mpi::Communicator& leaders = *leaders_;
    const std::size_t count = numbers_.size();
    for (int rank = 1; rank < node_.size(); ++rank) {
      requests_.receive(node_, std::as_writable_bytes(part(rank)), rank);
    }
    requests_.wait_all();
    for (int rank = 1; rank < node_.size(); ++rank) {
      for (std::size_t index = 0; index < count; ++index) {
        numbers_[index] += part(rank)[index];
      }
    }
    if (leaders.size() > 1) {
      std::ranges::copy(numbers_, part(0).begin());
      mpi::Collectives(leaders).all_reduce(part(0), numbers_);
    }
    for (int rank = 1; rank < node_.size(); ++rank) {
      requests_.send(node_, bytes, rank);
    }
    requests_.wait_all();
  }

 private:
  std::span<double> part(int rank) {
    return std::span(others_).subspan(static_cast<std::size_t>(rank) * numbers_.size(),
                                      numbers_.size());
  }

  mpi::Communicator node_;
  std::optional<mpi::Communicator> leaders_;
  std::vector<double> others_;
  mpi::Requests requests_;
  std::span<double> numbers_;
};

/// Recursive doubling. Each round alternates between two transports: a partner that is one sum
/// ahead writes where this rank does not read.
class OneSidedSum final : public GlobalSum {
 public:
  OneSidedSum(const mpi::Communicator& communicator, std::size_t most) : most_(most) {
    const int ranks = communicator.size();
    const int rank = communicator.rank();
    const auto doubled = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
    const int beyond = ranks - doubled;  // ranks whose numbers go to a partner first
    const bool is_beyond = rank >= doubled;
    const bool has_beyond = rank < beyond;
    if (beyond > 0) {
      add_round(communicator, is_beyond ? rank - doubled : -1, has_beyond ? rank + doubled : -1,
                true);
    }
    for (int step = 1; step < doubled; step *= 2) {
      const int neighbour = rank / step % 2 == 0 ? rank + step : rank - step;
      const int partner = is_beyond ? -1 : neighbour;
      add_round(communicator, partner, partner, true);
    }
    if (beyond > 0) {
      add_round(communicator, has_beyond ? rank + doubled : -1, is_beyond ? rank - doubled : -1,
                false);
    }
  }

  void start(std::span<double> numbers) override { numbers_ = numbers; }
  void finish() override {
    turn_ = 1 - turn_;
    for (Round& round : rounds_) {
      Way& way = round.ways[turn_];
      std::ranges::copy(numbers_, way.outgoing.begin());
      way.transport->start();
      way.transport->finish();
      if (!round.receives) {
        continue;
      }
      const auto* const incoming = reinterpret_cast<const double*>(way.transport->window());
      for (std::size_t index = 0; index < numbers_.size(); ++index) {
        numbers_[index] = (round.adds ? numbers_[index] : 0) + incoming[index];
      }
    }
  }

 private:
  struct Way {
    std::vector<double> outgoing;
    std::unique_ptr<protocol::Transport> transport;
  };
  struct Round {
    std::array<Way, 2> ways;
    bool receives;
    bool adds;
  };

  /// -1: no peer.
  void add_round(const mpi::Communicator& communicator, int to, int from, bool adds) {
    const std::size_t bytes = most_ * sizeof(double);
    Round& round = rounds_.emplace_back();
    round.receives = from >= 0;
    round.adds = adds;
    for (Way& way : round.ways) {
      way.outgoing.resize(most_);
      protocol::Messages messages;
      if (to >= 0) {
        messages.sends.push_back({.peer = to, .payload = std::as_bytes(std::span(way.outgoing))});
      }
      if (from >= 0) {
        messages.receives.push_back({.peer = from, .size_bytes = bytes, .offset_bytes = 0});
        messages.window_bytes = bytes;
      }
      way.transport = protocol::find("put_flag").bind(communicator, messages);
    }
  }

  std::size_t most_;
  std::vector<Round> rounds_;
  std::size_t turn_ = 0;
  std::span<double> numbers_;
};

void require(const std::string& why_not) {
  if (!why_not.empty()) {
    throw Skip(why_not);
  }
}

}  // namespace

std::unique_ptr<GlobalSum> GlobalSum::named(std::string_view name,
                                            const mpi::Communicator& communicator,
                                            std::size_t most_numbers) {
  if (name == "flat") {
    return std::make_unique<FlatSum>(communicator, most_numbers);
  }
  if (name == "two_level") {
    return std::make_unique<TwoLevelSum>(communicator, most_numbers);
  }
  if (name == "overlapped") {
    require(mpi::missing(mpi::Need::nonblocking_collectives));
    return std::make_unique<OverlappedSum>(communicator, most_numbers);
  }
  if (name == "one_sided") {
    const protocol::Protocol& protocol = protocol::find("put_flag");
    require(protocol::missing(protocol));
    require(protocol.unusable(communicator, {}));
    return std::make_unique<OneSidedSum>(communicator, most_numbers);
  }
  throw Error("no global sum '" + std::string{name} +
              "'; allowed: flat, two_level, overlapped, one_sided; choose one of these");
}

}  // namespace halocline::numerics
