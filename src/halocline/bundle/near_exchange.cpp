#include "halocline/bundle/near_exchange.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "halocline/base/compat/claim.hpp"
#include "halocline/base/error.hpp"
#include "halocline/base/units.hpp"
#include "halocline/bundle/box_pieces.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/spin.hpp"
#include "halocline/protocol/access.hpp"

namespace halocline::bundle {
namespace {

// The encoding of a piece starts with its offset in the sender's memory, and two flags.
constexpr std::uint64_t straight_flag = 1;
constexpr std::uint64_t whole_flag = 2;
constexpr std::uint64_t next_chunk_flag = 4;
constexpr unsigned offset_shift = 3;

/// How many chunks of a parcel have a place in the buffer: one is packed while another is read.
constexpr std::size_t slots = 2;
constexpr std::size_t least_chunk_bytes = 32 * kibibyte;
constexpr std::size_t most_chunk_bytes = 256 * kibibyte;
/// Up to here claiming lines pays: more than a first cache forgets them before they are written.
constexpr std::size_t most_claimed_bytes = 64 * kibibyte;

/// Encodes a piece of a box for the peer that copies it.
void add_piece(const BoxPiece& piece, std::size_t packed_at_bytes, bool next_chunk, int peer,
               std::vector<protocol::NumberFor>& numbers) {
  const auto add = [peer, &numbers](std::uint64_t number) {
    numbers.push_back({.peer = peer, .number = number});
  };
  const Strided lies = piece.offset_bytes ? piece.memory : piece.memory.packed_at(nullptr);
  add(piece.offset_bytes.value_or(packed_at_bytes) << offset_shift |
      (piece.offset_bytes ? straight_flag : 0) | (piece.whole ? whole_flag : 0) |
      (next_chunk ? next_chunk_flag : 0));
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

  /// Whether the next piece is the first of another chunk.
  bool begins_chunk() const { return (*number_ & next_chunk_flag) != 0; }
  /// The copy of the next piece into its box.
  Copy next(const Strided& box) {
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
      return {box, from};
    }
    const auto first = places();
    from.count = places();
    return {part_of(box, first, from.count), from};
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

std::size_t NearExchange::Place::offset_of(const ChunkPiece& piece) const {
  return offset_bytes + piece.chunk % slots * slot_bytes + piece.offset_bytes;
}

NearExchange::NearExchange(const std::vector<Parcel>& sends, const std::vector<Parcel>& receives,
                           const mpi::Communicator& communicator, const NodeMemory* memory,
                           Workers& workers, Stores packing)
    : NearExchange(plan(sends, receives, memory, workers.count()), receives, communicator, memory,
                   workers, packing) {}

NearExchange::NearExchange(const Plan& plan, const std::vector<Parcel>& receives,
                           const mpi::Communicator& communicator, const NodeMemory* memory,
                           Workers& workers, Stores packing)
    : communicator_(communicator),
      node_(communicator.node()),
      workers_(workers),
      packing_(packing) {
  mpi::agreed(communicator, [&] {  // other nodes too
    shared_ = std::make_unique<mpi::SharedWindow>(node_, plan.shared_bytes);
  });
  if (memory != nullptr) {  // on all ranks or none
    mpi::agreed(communicator, [&] {
      if (!memory->includes(node_)) {
        throw Error(
            "the memory lacks ranks of the redistribution; create it with a communicator that "
            "has all of them");
      }
    });
  }
  std::byte* const own = shared_->part(node_.rank()).data();
  std::vector<Copy> first_packing;
  std::size_t claimed_bytes = 0;
  for (const Place& place : plan.places) {
    auto* const counters =
        std::construct_at(reinterpret_cast<Counters*>(own + place.counters_bytes));
    std::vector<std::vector<Copy>> packing(place.chunks.count);
    for (const ChunkPiece& at : place.chunks.pieces) {
      if (!at.piece.offset_bytes) {
        packing[at.chunk].emplace_back(at.piece.memory.packed_at(own + place.offset_of(at)),
                                       at.piece.memory);
      }
    }
    std::size_t first_bytes = 0;
    for (const Copy& copy : packing[0]) {
      first_packing.push_back(copy);
      first_bytes += copy.size_bytes();
    }
    claimed_.emplace_back(own + place.offset_bytes, first_bytes);
    claimed_bytes += first_bytes;
    packing[0].clear();
    Receiver& receiver = receivers_.emplace_back(
        Receiver{.counters = counters, .packing = {}, .filled = 0, .filled_at_end = 0});
    for (const std::vector<Copy>& copies : packing) {
      receiver.packing.emplace_back(copies, workers_.count());
    }
  }
  if (claimed_bytes > most_claimed_bytes || packing == Stores::streaming) {
    claimed_.clear();
  }
  first_packing_ = Copies(first_packing, workers_.count());
  swap_places(plan.places, receives, memory);
}

/// A receiver that sends nothing back gets all in one chunk, when the exchange starts: it may
/// finish while this rank does something else.
NearExchange::Plan NearExchange::plan(const std::vector<Parcel>& sends,
                                      const std::vector<Parcel>& receives, const NodeMemory* memory,
                                      int workers) {
  Plan plan;
  const std::size_t chunk_bytes =
      static_cast<std::size_t>(workers) *
      std::clamp(most_chunk_bytes / std::max<std::size_t>(sends.size(), 1), least_chunk_bytes,
                 most_chunk_bytes);
  for (const Parcel& parcel : sends) {
    const bool mutual = std::ranges::find(receives, parcel.peer, &Parcel::peer) != receives.end();
    const std::size_t most_bytes = mutual ? chunk_bytes : std::numeric_limits<std::size_t>::max();
    Place& place = plan.places.emplace_back(Place{.chunks = chunks_of(parcel, memory, most_bytes),
                                                  .peer = parcel.peer,
                                                  .offset_bytes = plan.shared_bytes,
                                                  .slot_bytes = 0,
                                                  .counters_bytes = 0});
    place.slot_bytes = rounded_up(place.chunks.largest_bytes, Counters::line_bytes);
    place.counters_bytes =
        place.offset_bytes + std::min(slots, place.chunks.count) * place.slot_bytes;
    plan.shared_bytes = place.counters_bytes + sizeof(Counters);
  }
  return plan;
}

/// Each sender sends its receivers the places of their boxes in its memory. The size of that list
/// comes first, then the sender's rank in the memory, which more ranks may share.
void NearExchange::swap_places(const std::vector<Place>& places,
                               const std::vector<Parcel>& receives, const NodeMemory* memory) {
  std::vector<protocol::NumberFor> head;
  std::vector<protocol::NumberFor> own;
  for (const Place& place : places) {
    const int peer = place.peer;
    const std::size_t before = own.size();
    std::size_t chunk = 0;
    for (const ChunkPiece& at : place.chunks.pieces) {
      add_piece(at.piece, place.offset_of(at), at.chunk != chunk, peer, own);
      chunk = at.chunk;
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
  auto next_head = expected_heads.begin();
  auto number = numbers.begin();
  for (const Parcel& parcel : receives) {
    const auto place = static_cast<int>(std::ranges::find(on_node, parcel.peer) - on_node.begin());
    const std::span<std::byte> packed = shared_->part(place);
    const std::uint64_t counters_bytes = *next_head++;
    ++next_head;  // the length, known
    const auto place_in_memory = static_cast<int>(*next_head++);
    const std::span<std::byte> straight =
        memory == nullptr ? std::span<std::byte>{} : memory->part(place_in_memory);
    Sender& sender = senders_.emplace_back(
        Sender{.counters = reinterpret_cast<Counters*>(packed.data() + counters_bytes),
               .copies = {},
               .taken = 0,
               .taken_at_end = 0});
    ToldPieces pieces(number, packed, straight);
    std::vector<Copy> of_chunk;
    for (const Strided& box : parcel.boxes) {
      for (std::size_t left_bytes = box.size_bytes(); left_bytes > 0;) {
        if (pieces.begins_chunk()) {
          sender.copies.emplace_back(of_chunk, workers_.count());
          of_chunk.clear();
        }
        left_bytes -= of_chunk.emplace_back(pieces.next(box)).size_bytes();
      }
    }
    number = pieces.after();
    sender.copies.emplace_back(of_chunk, workers_.count());
  }
  // Spread the receivers: not all start with the same sender.
  const auto later = std::ranges::partition_point(
      receives, [this](const Parcel& parcel) { return parcel.peer < communicator_.rank(); });
  std::ranges::rotate(senders_, senders_.begin() + (later - receives.begin()));
}

std::size_t NearExchange::streamable_bytes() const {
  std::size_t bytes = 0;
  for (const Sender& sender : senders_) {
    bytes += bundle::streamable_bytes(sender.copies);
  }
  return bytes;
}

void NearExchange::start() {
  for (const std::span<std::byte> place : claimed_) {
    claim_for_writing(place);
  }
  first_packing_.run(workers_, packing_);
  for (Receiver& receiver : receivers_) {
    receiver.filled_at_end += receiver.packing.size();
    receiver.counters->filled.store(++receiver.filled, std::memory_order_release);
  }
  for (Sender& sender : senders_) {
    sender.taken_at_end += sender.copies.size();
  }
}

void NearExchange::finish(StoresChoice& stores, const std::function<bool()>& other_work) {
  bool idle = false;
  mpi::spin_until(communicator_, [&] {
    const bool complete = advance(stores);
    idle = idle || other_work();
    return complete;
  });
}

/// Packs a chunk for each receiver and takes one from each sender, where that is possible now.
/// Returns whether the exchange is complete.
bool NearExchange::advance(StoresChoice& stores) {
  bool complete = true;
  for (Receiver& receiver : receivers_) {
    pack_more(receiver);
    complete = complete &&
               receiver.counters->taken.load(std::memory_order_acquire) == receiver.filled_at_end;
  }
  for (Sender& sender : senders_) {
    take_more(sender, stores);
    complete = complete && sender.taken == sender.taken_at_end;
  }
  return complete;
}

void NearExchange::pack_more(Receiver& receiver) {
  if (receiver.filled == receiver.filled_at_end ||
      receiver.counters->taken.load(std::memory_order_acquire) + slots <= receiver.filled) {
    return;
  }
  const std::uint64_t left = receiver.filled_at_end - receiver.filled;
  receiver.packing[receiver.packing.size() - left].run(workers_, packing_);
  receiver.counters->filled.store(++receiver.filled, std::memory_order_release);
}

void NearExchange::take_more(Sender& sender, StoresChoice& stores) {
  if (sender.taken == sender.taken_at_end ||
      sender.counters->filled.load(std::memory_order_acquire) == sender.taken) {
    return;
  }
  const std::uint64_t left = sender.taken_at_end - sender.taken;
  stores.run(sender.copies[sender.copies.size() - left], workers_);
  sender.counters->taken.store(++sender.taken, std::memory_order_release);
}

}  // namespace halocline::bundle
