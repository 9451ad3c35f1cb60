#include "halocline/bundle/near_exchange.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"
#include "halocline/bundle/box_pieces.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/spin.hpp"
#include "halocline/protocol/access.hpp"

namespace halocline::bundle {
namespace {

std::size_t size_of(const std::vector<Parcel>& parcels) {
  std::size_t bytes = 0;
  for (const Parcel& parcel : parcels) {
    bytes += parcel.size_bytes();
  }
  return bytes;
}

// The encoding of a piece starts with its offset in the sender's memory, and two flags.
constexpr std::uint64_t straight_flag = 1;
constexpr std::uint64_t whole_flag = 2;
constexpr unsigned offset_shift = 2;

/// Encodes a piece of a box for the peer that copies it.
void add_piece(const BoxPiece& piece, std::size_t packed_at_bytes, int peer,
               std::vector<protocol::NumberFor>& numbers) {
  const auto add = [peer, &numbers](std::uint64_t number) {
    numbers.push_back({.peer = peer, .number = number});
  };
  const Strided lies = piece.offset_bytes ? piece.memory : piece.memory.packed_at(nullptr);
  add(piece.offset_bytes.value_or(packed_at_bytes) << offset_shift |
      (piece.offset_bytes ? straight_flag : 0) | (piece.whole ? whole_flag : 0));
  for (const std::ptrdiff_t stride : lies.stride_bytes) {
    add(static_cast<std::uint64_t>(stride));
  }
  if (!piece.whole) {
    for (const auto& places : {piece.first, piece.memory.count}) {
      for (const std::int64_t place : places) {
        add(static_cast<std::uint64_t>(place));
      }
    }
  }
}

/// Reads a sender's description of its pieces.
class ToldPieces {
 public:
  using Number = std::vector<std::uint64_t>::const_iterator;
  ToldPieces(Number number, std::span<std::byte> packed, std::span<std::byte> straight)
      : number_(number), packed_(packed), straight_(straight) {}

  /// The copy of the next piece into its box.
  Copy next(const Strided& box, Stores stores) {
    const std::uint64_t head = *number_++;
    std::byte* const part = ((head & straight_flag) != 0 ? straight_ : packed_).data();
    Strided from{.base = part + (head >> offset_shift),
                 .element_bytes = box.element_bytes,
                 .count = box.count,
                 .stride_bytes = {}};
    for (std::ptrdiff_t& stride : from.stride_bytes) {
      stride = static_cast<std::ptrdiff_t>(*number_++);
    }
    if ((head & whole_flag) != 0) {
      return {box, from, stores};
    }
    const auto first = places();
    from.count = places();
    return {part_of(box, first, from.count), from, stores};
  }
  Number after() const { return number_; }

 private:
  std::array<std::int64_t, Strided::max_dimensions> places() {
    std::array<std::int64_t, Strided::max_dimensions> found{};
    for (std::int64_t& place : found) {
      place = static_cast<std::int64_t>(*number_++);
    }
    return found;
  }

  Number number_;
  std::span<std::byte> packed_;
  std::span<std::byte> straight_;
};

}  // namespace

NearExchange::NearExchange(const std::vector<Parcel>& sends, const std::vector<Parcel>& receives,
                           const mpi::Communicator& communicator, const NodeMemory* memory,
                           Workers& workers, std::optional<Stores> stores)
    : NearExchange(plan(sends, memory), sends, receives, communicator, memory, workers, stores) {}

NearExchange::NearExchange(const Plan& plan, const std::vector<Parcel>& sends,
                           const std::vector<Parcel>& receives,
                           const mpi::Communicator& communicator, const NodeMemory* memory,
                           Workers& workers, std::optional<Stores> stores)
    : communicator_(communicator),
      node_(communicator.node()),
      workers_(workers),
      shared_(node_, plan.shared_bytes) {
  if (memory != nullptr) {  // on all ranks or none
    mpi::agreed(communicator, [&] {
      if (!memory->includes(node_)) {
        throw Error(
            "the memory lacks ranks of the redistribution; create it with a communicator that "
            "has all of them");
      }
    });
  }
  std::byte* const own = shared_.part(node_.rank()).data();
  std::vector<Copy> packing;
  for (const Place& place : plan.places) {
    receivers_.push_back(
        std::construct_at(reinterpret_cast<Counters*>(own + place.counters_bytes)));
    std::byte* next = own + place.offset_bytes;
    for (const Strided& box : place.parcel->boxes) {
      for_each_piece(box, memory, [&](const BoxPiece& piece) {
        if (!piece.offset_bytes) {
          packing.emplace_back(piece.memory.packed_at(next), piece.memory,
                               stores.value_or(stores_for(size_of(sends))));
          next += piece.memory.size_bytes();
        }
      });
    }
  }
  packing_ = Copies(packing, workers_.count());
  swap_places(plan.places, receives, memory, stores);
}

NearExchange::Plan NearExchange::plan(const std::vector<Parcel>& sends, const NodeMemory* memory) {
  Plan plan;
  for (const Parcel& parcel : sends) {
    std::size_t packed_bytes = 0;
    for (const Strided& box : parcel.boxes) {
      for_each_piece(box, memory, [&packed_bytes](const BoxPiece& piece) {
        packed_bytes += piece.offset_bytes ? 0 : piece.memory.size_bytes();
      });
    }
    const std::size_t counters_bytes =
        rounded_up(plan.shared_bytes + packed_bytes, Counters::line_bytes);
    plan.places.push_back(
        {.parcel = &parcel, .offset_bytes = plan.shared_bytes, .counters_bytes = counters_bytes});
    plan.shared_bytes = counters_bytes + sizeof(Counters);
  }
  return plan;
}

/// Each sender sends its receivers the places of their boxes in its memory. The size of that list
/// comes first, then the sender's rank in the memory, which more ranks may share.
void NearExchange::swap_places(const std::vector<Place>& places,
                               const std::vector<Parcel>& receives, const NodeMemory* memory,
                               std::optional<Stores> chosen_stores) {
  std::vector<protocol::NumberFor> head;
  std::vector<protocol::NumberFor> own;
  for (const Place& place : places) {
    const int peer = place.parcel->peer;
    const std::size_t before = own.size();
    std::size_t next = place.offset_bytes;
    for (const Strided& box : place.parcel->boxes) {
      for_each_piece(box, memory, [&](const BoxPiece& piece) {
        add_piece(piece, next, peer, own);
        next += piece.offset_bytes ? 0 : piece.memory.size_bytes();
      });
    }
    head.push_back({.peer = peer, .number = place.counters_bytes});
    head.push_back({.peer = peer, .number = own.size() - before});
    head.push_back(
        {.peer = peer,
         .number = static_cast<std::uint64_t>(memory == nullptr ? 0 : memory->rank_on_node())});
  }
  constexpr std::size_t heads = 3;
  std::vector<int> heads_of_each;
  for (const Parcel& parcel : receives) {
    heads_of_each.insert(heads_of_each.end(), heads, parcel.peer);
  }
  const auto expected_heads = protocol::swap_numbers(communicator_, head, heads_of_each);
  std::vector<int> expected;
  for (std::size_t parcel = 0; parcel < receives.size(); ++parcel) {
    expected.insert(expected.end(), expected_heads[heads * parcel + 1], receives[parcel].peer);
  }
  const auto numbers = protocol::swap_numbers(communicator_, own, expected);
  const std::vector<int> on_node = node_.all_gather(communicator_.rank());
  const Stores stores = chosen_stores.value_or(stores_for(size_of(receives)));
  auto next_head = expected_heads.begin();
  auto number = numbers.begin();
  for (const Parcel& parcel : receives) {
    const auto place = static_cast<int>(std::ranges::find(on_node, parcel.peer) - on_node.begin());
    const std::span<std::byte> packed = shared_.part(place);
    const std::uint64_t counters_bytes = *next_head++;
    ++next_head;  // the length, known
    const auto place_in_memory = static_cast<int>(*next_head++);
    const std::span<std::byte> straight =
        memory == nullptr ? std::span<std::byte>{} : memory->part(place_in_memory);
    Sender& sender = senders_.emplace_back();
    sender.counters = reinterpret_cast<Counters*>(packed.data() + counters_bytes);
    ToldPieces pieces(number, packed, straight);
    std::vector<Copy> copies;
    for (const Strided& box : parcel.boxes) {
      for (std::size_t left_bytes = box.size_bytes(); left_bytes > 0;) {
        left_bytes -= copies.emplace_back(pieces.next(box, stores)).size_bytes();
      }
    }
    number = pieces.after();
    sender.copies = Copies(copies, workers_.count());
  }
  // Spread the receivers: not all start with the same sender.
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
