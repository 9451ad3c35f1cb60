#include "halocline/bundle/near_exchange.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "halocline/mpi/spin.hpp"
#include "halocline/protocol/access.hpp"

namespace halocline::bundle {
namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::size_t size_of(const std::vector<Parcel>& parcels) {
  std::size_t bytes = 0;
  for (const Parcel& parcel : parcels) {
    bytes += parcel.size_bytes();
  }
  return bytes;
}

constexpr std::size_t numbers_per_box = 1 + Strided::max_dimensions;  // offset, strides

}  // namespace

NearExchange::NearExchange(const std::vector<Parcel>& sends, const std::vector<Parcel>& receives,
                           const mpi::Communicator& communicator, const NodeMemory* memory,
                           Workers& workers)
    : NearExchange(plan(sends, memory), sends, receives, communicator, memory, workers) {}

NearExchange::NearExchange(const Plan& plan, const std::vector<Parcel>& sends,
                           const std::vector<Parcel>& receives,
                           const mpi::Communicator& communicator, const NodeMemory* memory,
                           Workers& workers)
    : communicator_(communicator),
      node_(communicator.node()),
      workers_(workers),
      shared_(node_, plan.shared_bytes) {
  std::byte* const own = shared_.part(node_.rank()).data();
  std::vector<Copy> packing;
  for (const Place& place : plan.places) {
    receivers_.push_back(
        std::construct_at(reinterpret_cast<Counters*>(own + place.counters_bytes)));
    if (!place.straight) {
      std::byte* next = own + place.offset_bytes;
      for (const Strided& box : place.parcel->boxes) {
        packing.emplace_back(box.packed_at(next), box, stores_for(size_of(sends)));
        next += box.size_bytes();
      }
    }
  }
  packing_ = Copies(packing, workers_.count());
  tell(plan.places, receives, memory);
}

bool NearExchange::lies_in(const Parcel& parcel, const NodeMemory* memory) {
  return memory != nullptr && std::ranges::all_of(parcel.boxes, [memory](const Strided& box) {
           return box.empty() || memory->holds(box.base);
         });
}

NearExchange::Plan NearExchange::plan(const std::vector<Parcel>& sends, const NodeMemory* memory) {
  Plan plan;
  for (const Parcel& parcel : sends) {
    Place& place = plan.places.emplace_back(Place{.parcel = &parcel,
                                                  .straight = lies_in(parcel, memory),
                                                  .offset_bytes = plan.shared_bytes,
                                                  .counters_bytes = 0});
    if (!place.straight) {
      plan.shared_bytes = rounded_up(plan.shared_bytes + parcel.size_bytes(), Counters::line_bytes);
    }
    place.counters_bytes = plan.shared_bytes;
    plan.shared_bytes += sizeof(Counters);
  }
  return plan;
}

/// Each sender tells its receivers where the boxes of their parcel lie in its memory.
void NearExchange::tell(const std::vector<Place>& places, const std::vector<Parcel>& receives,
                        const NodeMemory* memory) {
  std::vector<protocol::Told> told;
  for (const Place& place : places) {
    const int peer = place.parcel->peer;
    const auto say = [&told, peer](std::ptrdiff_t number) {
      told.push_back({.peer = peer, .number = static_cast<std::uint64_t>(number)});
    };
    say(static_cast<std::ptrdiff_t>(place.counters_bytes));
    say(place.straight ? 1 : 0);
    auto next = static_cast<std::ptrdiff_t>(place.offset_bytes);
    for (const Strided& box : place.parcel->boxes) {
      const Strided lies = place.straight ? box : box.packed_at(nullptr);
      say(place.straight && !box.empty() ? box.base - memory->own().data() : next);
      for (const std::ptrdiff_t stride : lies.stride_bytes) {
        say(stride);
      }
      next += static_cast<std::ptrdiff_t>(box.size_bytes());
    }
  }
  std::vector<int> expected;
  for (const Parcel& parcel : receives) {
    expected.insert(expected.end(), 2 + numbers_per_box * parcel.boxes.size(), parcel.peer);
  }
  const auto numbers = protocol::swap_numbers(communicator_, told, expected);
  const std::vector<int> on_node = node_.all_gather(communicator_.rank());
  const Stores stores = stores_for(size_of(receives));
  auto number = numbers.begin();
  for (const Parcel& parcel : receives) {
    const auto place = std::ranges::find(on_node, parcel.peer) - on_node.begin();
    std::byte* const shared = shared_.part(static_cast<int>(place)).data();
    Sender& sender = senders_.emplace_back();
    sender.counters = reinterpret_cast<Counters*>(shared + *number++);
    const bool straight = *number++ != 0;
    std::byte* const part = straight ? memory->part(static_cast<int>(place)).data() : shared;
    std::vector<Copy> copies;
    for (const Strided& box : parcel.boxes) {
      Strided from = box;
      from.base = part + *number++;
      for (std::ptrdiff_t& stride : from.stride_bytes) {
        stride = static_cast<std::ptrdiff_t>(*number++);
      }
      copies.emplace_back(box, from, stores);
    }
    sender.copies = Copies(copies, workers_.count());
  }
  // Not all receivers turn to the same sender first.
  const auto later = std::ranges::partition_point(
      receives, [this](const Parcel& parcel) { return parcel.peer < communicator_.rank(); });
  std::ranges::rotate(senders_, senders_.begin() + (later - receives.begin()));
}

void NearExchange::await(const std::atomic<std::uint64_t>& count) const {
  mpi::spin_until(communicator_,
                  [&] { return count.load(std::memory_order_acquire) >= exchanges_; });
}

void NearExchange::start() {
  ++exchanges_;
  packing_.run(workers_);
  for (Counters* const receiver : receivers_) {
    receiver->filled.store(exchanges_, std::memory_order_release);
  }
}

void NearExchange::finish() {
  for (const Sender& sender : senders_) {
    await(sender.counters->filled);
    sender.copies.run(workers_);
    sender.counters->taken.store(exchanges_, std::memory_order_release);
  }
  for (const Counters* const receiver : receivers_) {
    await(receiver->taken);
  }
}

}  // namespace halocline::bundle
