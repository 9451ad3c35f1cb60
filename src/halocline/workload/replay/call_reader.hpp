#pragma once

#include <algorithm>
#include <climits>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/workload/replay/replayed_calls.hpp"

namespace halocline::workload {

/// Reads a call's numbers one by one, and records which buffers they need.
class ReplayedCalls::Reader {
 public:
  Reader(ReplayedCalls& calls, const PlannedCall& call) : calls_(calls), call_(call) {}

  std::int64_t next() {
    if (at_ == call_.values.size()) {
      throw Error("a planned call of MPI_" + call_.function + " has only " + std::to_string(at_) +
                  " numbers; write the plan again");
    }
    return call_.values[at_++];
  }
  int number() {
    const std::int64_t value = next();
    if (value < INT_MIN || value > INT_MAX) {
      throw Error("a planned call of MPI_" + call_.function + " has the number " +
                  std::to_string(value) + "; allowed: up to 2147483647; split it");
    }
    return static_cast<int>(value);
  }
  std::size_t bytes() {
    const int value = number();
    if (value < 0) {
      throw Error("a planned call of MPI_" + call_.function + " moves " + std::to_string(value) +
                  " bytes; allowed: 0 to 2147483647; write the plan again");
    }
    return static_cast<std::size_t>(value);
  }
  const mpi::Communicator& communicator() {
    const auto index = static_cast<std::size_t>(number());
    const std::optional<mpi::Communicator>* member =
        index < calls_.communicators_.size() ? &calls_.communicators_[index] : nullptr;
    if (member == nullptr || !member->has_value()) {
      throw Error("rank " + std::to_string(calls_.world_rank_) +
                  " is not in the communicator of a planned call of MPI_" + call_.function +
                  "; write the plan again");
    }
    members_ = &calls_.members_[index];
    return **member;
  }
  /// A window, and the offset of this rank's accesses in every other rank's memory.
  std::pair<const mpi::Window*, std::size_t> window() {
    const auto index = static_cast<std::size_t>(number());
    const bool known = index < calls_.windows_.size();
    const PlannedWindow planned = known ? calls_.planned_windows_[index] : PlannedWindow{};
    const std::optional<mpi::Communicator>* member =
        known ? &calls_.communicators_[planned.communicator] : nullptr;
    if (member == nullptr || !member->has_value()) {
      throw Error("rank " + std::to_string(calls_.world_rank_) +
                  " is not in the window of a planned call of MPI_" + call_.function +
                  "; write the plan again");
    }
    members_ = &calls_.members_[planned.communicator];
    const auto own = static_cast<std::size_t>((*member)->rank());
    return {calls_.windows_[index].get(), own * planned.bytes};
  }
  std::size_t size() const { return members_->size(); }
  int peer() {
    const int rank = number();
    if (rank == nobody) {
      return mpi::no_rank;
    }
    return rank == anybody ? mpi::any_rank : rank;
  }
  /// Bytes that this rank sends, to all or to a peer.
  std::size_t sent() { return sends(bytes()); }
  std::size_t sends(std::size_t bytes) {
    calls_.outgoing_bytes_ = std::max(calls_.outgoing_bytes_, bytes);
    return bytes;
  }
  std::size_t sent_to(int peer) {
    const std::size_t bytes = sent();
    if (peer >= 0) {
      moves_to(in_world(peer), bytes);
    }
    return bytes;
  }
  int in_world(int peer) const { return (*members_)[static_cast<std::size_t>(peer)]; }
  void moves_to(int rank, std::size_t bytes) {
    calls_.bytes_to_rank_[static_cast<std::size_t>(rank)] +=
        bytes * static_cast<std::size_t>(calls_.repeats_);
  }
  /// The offset of this many incoming bytes.
  std::size_t room(std::size_t bytes) {
    const std::size_t offset = calls_.incoming_bytes_;
    calls_.incoming_bytes_ += (bytes + 7) / 8 * 8;
    return offset;
  }
  std::size_t room_of_message(std::size_t bytes) {
    const Incoming arrival = arrival_of(bytes);
    if (arrival.sender >= 0) {
      calls_.arrivals_.push_back(arrival);
    }
    return arrival.offset;
  }
  Incoming arrival_of(std::size_t room_bytes) {
    const std::size_t offset = room(room_bytes);
    const int sender = number();
    return {.offset = offset, .bytes = bytes(), .sender = sender};
  }
  /// The number of a persistent request that is started.
  std::size_t prepared() {
    const auto index = static_cast<std::size_t>(number());
    if (index >= calls_.prepared_.size()) {
      throw Error("a planned call of MPI_" + call_.function + " starts request " +
                  std::to_string(index) + ", which nothing has made; write the plan again");
    }
    const Persistent& request = calls_.prepared_[index];
    if (request.receiver >= 0) {
      moves_to(request.receiver, request.bytes);
    }
    if (request.arrival.has_value()) {
      calls_.arrivals_.push_back(*request.arrival);
    }
    return index;
  }
  /// Blocks of this many ranks, stored contiguously.
  mpi::Blocks blocks(std::size_t ranks) {
    std::vector<int> counts(ranks);
    std::ranges::generate(counts, [this] { return number(); });
    return mpi::Blocks::of(std::move(counts));
  }
  bool more() const { return at_ < call_.values.size(); }

 private:
  ReplayedCalls& calls_;
  const PlannedCall& call_;
  std::size_t at_ = 0;
  const std::vector<int>* members_ = nullptr;
};

}  // namespace halocline::workload
