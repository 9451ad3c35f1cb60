#pragma once

#include <algorithm>
#include <climits>
#include <numeric>
#include <utility>

#include "halocline/workload/replay/plan_file.hpp"
#include "halocline/workload/replay/replayed_calls.hpp"

namespace halocline::workload {

/// Reads a call's numbers one by one, checks them, and records which buffers they need.
class ReplayedCalls::Reader {
 public:
  Reader(ReplayedCalls& calls, const PlannedCall& call) : calls_(calls), call_(call) {}

  [[noreturn]] void refuse(const std::string& why) const {
    refuse_plan(calls_.file_, call_.line, "MPI_" + call_.function + ": " + why);
  }

  /// The number of a communicator or a window. Later numbers are about its ranks.
  std::size_t communicator() {
    const std::size_t index = number_of("communicator", calls_.members_.size());
    enter(index);
    return index;
  }
  std::size_t window() {
    const std::size_t index = number_of("window", calls_.planned_windows_.size());
    const PlannedWindow& window = calls_.planned_windows_[index];
    enter(window.communicator);
    window_bytes_ = window.bytes;
    return index;
  }
  /// Where this rank accesses the memory of every other rank.
  std::size_t offset_in_window() const { return own_ * window_bytes_; }
  std::size_t size() const { return members_->size(); }

  int receiver() { return peer(nobody); }
  int sender() { return peer(anybody); }
  int tag() {
    constexpr int highest = 32767;  // that every MPI library has
    return number("tag", 0, highest);
  }
  int root() { return static_cast<int>(number_of("root", size())); }
  int requests() { return number("number of requests", 0, INT_MAX); }
  std::size_t bytes(std::size_t most = INT_MAX) {
    return static_cast<std::size_t>(number("number of bytes", 0, static_cast<std::int64_t>(most)));
  }
  std::size_t bytes_in_window() { return bytes(window_bytes_); }

  /// Bytes that this rank sends, to all or to a peer.
  std::size_t sent() { return sends(bytes()); }
  std::size_t sends(std::size_t bytes) {
    calls_.outgoing_bytes_ = std::max(calls_.outgoing_bytes_, bytes);
    return bytes;
  }
  std::size_t sent_to(int peer) { return sends_to(peer, bytes()); }
  std::size_t sends_to(int peer, std::size_t bytes) {
    if (peer >= 0) {
      moves_to(in_world(peer), bytes);
    }
    return sends(bytes);
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
    const auto ranks = static_cast<std::int64_t>(calls_.bytes_to_rank_.size());
    const int sender = number("sender", nobody, ranks - 1);
    return {.offset = offset, .bytes = bytes(room_bytes), .sender = sender};
  }
  /// The number of a persistent request that is started.
  std::size_t prepared() {
    const std::size_t index = number_of("request", calls_.prepared_.size());
    const Persistent& request = calls_.prepared_[index];
    if (request.receiver >= 0) {
      moves_to(request.receiver, request.bytes);
    }
    if (request.arrival.has_value()) {
      calls_.arrivals_.push_back(*request.arrival);
    }
    return index;
  }
  /// A block of each rank, stored contiguously.
  mpi::Blocks blocks() {
    std::vector<int> counts(size());
    std::ranges::generate(counts, [this] { return static_cast<int>(bytes()); });
    const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (total > INT_MAX) {
      refuse("its blocks have " + std::to_string(total) + " bytes; allowed: up to 2147483647");
    }
    return mpi::Blocks::of(std::move(counts));
  }
  /// The same at the root; others have none.
  mpi::Blocks blocks_at(int root) { return std::cmp_equal(root, own_) ? blocks() : mpi::Blocks{}; }
  bool more() const { return at_ < call_.values.size(); }

 private:
  int number(std::string_view what, std::int64_t low, std::int64_t high) {
    if (!more()) {
      refuse("its " + std::string{what} + " is missing");
    }
    const std::int64_t value = call_.values[at_++];
    if (value < low || value > high) {
      refuse("its " + std::string{what} + " is " + std::to_string(value) + "; allowed: " +
             (high < low ? "none" : std::to_string(low) + " to " + std::to_string(high)));
    }
    return static_cast<int>(value);
  }
  /// The number of one of so many.
  std::size_t number_of(std::string_view what, std::size_t many) {
    return static_cast<std::size_t>(number(what, 0, static_cast<std::int64_t>(many) - 1));
  }
  int peer(std::int64_t lowest) {
    const int rank = number("peer", lowest, static_cast<std::int64_t>(size()) - 1);
    if (rank == nobody) {
      return mpi::no_rank;
    }
    return rank == anybody ? mpi::any_rank : rank;
  }
  void enter(std::size_t communicator) {
    members_ = &calls_.members_[communicator];
    const auto own = std::ranges::lower_bound(*members_, calls_.world_rank_);
    if (own == members_->end() || *own != calls_.world_rank_) {
      refuse("rank " + std::to_string(calls_.world_rank_) + " is not in communicator " +
             std::to_string(communicator));
    }
    own_ = static_cast<std::size_t>(own - members_->begin());
  }

  ReplayedCalls& calls_;
  const PlannedCall& call_;
  std::size_t at_ = 0;
  const std::vector<int>* members_ = nullptr;
  std::size_t own_ = 0;  // this rank among them
  std::size_t window_bytes_ = 0;
};

}  // namespace halocline::workload
