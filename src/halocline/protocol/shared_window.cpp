#include "halocline/mpi/shared_window.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>

#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/spin.hpp"
#include "halocline/protocol/access.hpp"

namespace halocline::protocol {

extern const Protocol shared_window;

namespace {

constexpr std::size_t pair_of_lines_bytes = 128;  // neighbouring lines of 64 B are fetched in pairs

/// How often a sender has filled its messages for one receiver, and how often they were taken.
struct Counters {
  alignas(pair_of_lines_bytes) std::atomic<std::uint64_t> filled;
  alignas(pair_of_lines_bytes) std::atomic<std::uint64_t> taken;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share them");

constexpr std::size_t counters_offset(std::size_t message_bytes) {
  return (message_bytes + pair_of_lines_bytes - 1) / pair_of_lines_bytes * pair_of_lines_bytes;
}

/// Every sender's messages are in its part of a window, before its counters. The receivers copy
/// them from there.
class LoadStore final : public Transport {
 public:
  LoadStore(const mpi::Communicator& communicator, const Messages& messages);

  void start() override {
    ++exchanges_;
    for (Counters* receiver : receivers_) {
      receiver->filled.store(exchanges_, std::memory_order_release);
    }
  }

  void finish() override {
    for (const Sender& sender : senders_) {
      await(sender.counters->filled);
      for (const Copy& copy : sender.copies) {
        std::memcpy(copy.to.data(), copy.from, copy.to.size());
      }
      sender.counters->taken.store(exchanges_, std::memory_order_release);
    }
    for (const Counters* receiver : receivers_) {
      await(receiver->taken);
    }
  }

  std::byte* window() override { return memory_->part(node_.rank()).data(); }

 private:
  struct Copy {
    const std::byte* from;
    std::span<std::byte> to;
  };
  struct Sender {
    Counters* counters;
    std::vector<Copy> copies;
  };

  void await(const std::atomic<std::uint64_t>& count) const {
    mpi::spin_until(communicator_,
                    [&] { return count.load(std::memory_order_acquire) >= exchanges_; });
  }

  const mpi::Communicator& communicator_;
  const mpi::Communicator node_;
  const Gets gets_;
  std::unique_ptr<mpi::SharedWindow> memory_;
  std::vector<Counters*> receivers_;
  std::vector<Sender> senders_;
  std::uint64_t exchanges_ = 0;
};

LoadStore::LoadStore(const mpi::Communicator& communicator, const Messages& messages)
    : communicator_(communicator), node_(communicator.node()), gets_(communicator, messages) {
  mpi::agreed(communicator, [&] {  // other nodes too
    memory_ = std::make_unique<mpi::SharedWindow>(
        node_,
        counters_offset(messages.window_bytes) + gets_.peers().origins.size() * sizeof(Counters));
  });
  const std::vector<int> on_node = node_.all_gather(communicator.rank());
  const auto part_of = [&](int rank) {
    const auto found = std::ranges::find(on_node, rank);
    return memory_->part(static_cast<int>(found - on_node.begin())).data();
  };
  const auto counters_at = [&](int rank, std::uint64_t offset_bytes) {
    return reinterpret_cast<Counters*>(part_of(rank) + offset_bytes);
  };
  std::uint64_t offset_bytes = counters_offset(messages.window_bytes);
  std::vector<NumberFor> places;
  for (const int receiver : gets_.peers().origins) {
    receivers_.push_back(std::construct_at(counters_at(communicator.rank(), offset_bytes)));
    places.push_back({.peer = receiver, .number = offset_bytes});
    offset_bytes += sizeof(Counters);
  }
  const std::vector<int>& senders = gets_.peers().targets;
  const auto offsets = swap_numbers(communicator, places, senders);
  for (std::size_t index = 0; index < senders.size(); ++index) {
    Sender& sender = senders_.emplace_back();
    sender.counters = counters_at(senders[index], offsets[index]);
    for (const Remote<std::byte>& message : gets_.messages()) {
      if (message.peer == senders[index] && !message.payload.empty()) {
        sender.copies.push_back(
            {.from = part_of(message.peer) + message.offset_bytes, .to = message.payload});
      }
    }
  }
}

/// Whether all peers of all ranks share memory.
std::string peers_off_node(const mpi::Communicator& communicator, const Messages& messages) {
  const std::vector<int> on_node = communicator.node().all_gather(communicator.rank());
  const auto off_node = [&on_node](const auto& message) {
    return std::ranges::find(on_node, message.peer) == on_node.end();
  };
  std::array<std::uint8_t, 1> any{
      static_cast<std::uint8_t>(std::ranges::any_of(messages.sends, off_node) ||
                                        std::ranges::any_of(messages.receives, off_node)
                                    ? 1
                                    : 0)};
  communicator.maximum(any);
  return any[0] == 0 ? ""
                     : "the route leads to ranks that share no memory; a shared-memory window "
                       "spans one node";
}

}  // namespace

const Protocol shared_window = define<LoadStore>({
    .name = "shared_window",
    .summary = "the receiver copies out of the sender's part of a shared-memory window, with plain "
               "loads and stores",
    .needs = {mpi::Need::shared_windows},
    .windows = Windows::sends,
    .unusable = peers_off_node,
    .require_countable = nullptr,
});

}  // namespace halocline::protocol
