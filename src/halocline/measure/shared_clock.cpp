#include "halocline/measure/shared_clock.hpp"

#include <algorithm>
#include <cstddef>

#include "halocline/mpi/compat/features.hpp"

namespace halocline::measure {
namespace {

constexpr int comparing_glimpses = 20;
constexpr int checking_glimpses = 10;
constexpr Seconds longest_interval{1};
constexpr Seconds shortest_interval{0.01};

template <class Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

template <class Value>
std::span<std::byte> place_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

void SharedClock::synchronise(const mpi::Communicator& communicator) {
  if (keepers_.empty()) {
    find_keepers(communicator);
    first_compared_ = clock_();
  }
  if (clocks() > 1) {
    compare_keepers(communicator);
    share(communicator);
  }
  last_compared_ = clock_();
}

bool SharedClock::is_stale() const {
  if (keepers_.empty()) {
    return true;
  }
  const Seconds known_for = last_compared_ - first_compared_;
  const Seconds interval = std::clamp(known_for, shortest_interval, longest_interval);
  return clocks() > 1 && clock_() - last_compared_ > interval;
}

void SharedClock::find_keepers(const mpi::Communicator& communicator) {
  const int own = communicator.rank();
  int keeper = 0;
  if constexpr (!mpi::simulated) {  // where all read the one simulated time
    const mpi::Communicator node = communicator.node();
    const auto lowest = static_cast<int>(node.broadcast(std::int64_t{own}));
    keeper = lowest;
    if (node.rank() == 0) {
      for (int peer = 1; peer < node.size(); ++peer) {
        show(node, peer, comparing_glimpses, clock_);
      }
    } else if (!may_be_one_clock(look(node, 0, comparing_glimpses))) {
      keeper = own;  // as in a container with its own clock offset
    }
  }
  keeper_of_rank_ = communicator.all_gather(keeper);
  keepers_ = keeper_of_rank_;
  std::ranges::sort(keepers_);
  const auto repeated = std::ranges::unique(keepers_);
  keepers_.erase(repeated.begin(), repeated.end());
}

// In each round those that know the time pass it to as many others.
void SharedClock::compare_keepers(const mpi::Communicator& communicator) {
  const auto place = std::ranges::find(keepers_, communicator.rank());
  const auto number = static_cast<std::size_t>(place - keepers_.begin());
  for (std::size_t taught = 1; place != keepers_.end() && taught < keepers_.size(); taught *= 2) {
    if (number < taught && number + taught < keepers_.size()) {
      const int learner = keepers_[number + taught];
      communicator.send(bytes_of(accuracy_), learner);
      show(communicator, learner, comparing_glimpses + checking_glimpses, [this] { return now(); });
    } else if (number >= taught && number < 2 * taught) {
      learn_from(communicator, keepers_[number - taught]);
    }
  }
}

void SharedClock::learn_from(const mpi::Communicator& communicator, int teacher) {
  Accuracy before;
  communicator.receive(place_of(before), teacher);
  model_.learn(look(communicator, teacher, comparing_glimpses));
  line_ = model_.line();
  const std::vector<Glimpse> fresh = look(communicator, teacher, checking_glimpses);
  const Glimpse& best = sharpest(fresh);
  const Seconds own = line_.there((best.sent + best.returned) / 2);
  const Seconds residual = std::chrono::abs(own - best.shown);
  accuracy_ = {.residual = before.residual + residual,
               .bound = before.bound + residual + best.round_trip() / 2};
}

/// The keepers send theirs to the ranks with the same clock.
void SharedClock::share(const mpi::Communicator& communicator) {
  const int own = communicator.rank();
  const int keeper = keeper_of_rank_[static_cast<std::size_t>(own)];
  Lesson lesson{.line = line_, .accuracy = accuracy_};
  if (keeper != own) {
    communicator.receive(place_of(lesson), keeper);
    line_ = lesson.line;
    accuracy_ = lesson.accuracy;
    return;
  }
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank != own && keeper_of_rank_[static_cast<std::size_t>(rank)] == own) {
      communicator.send(bytes_of(lesson), rank);
    }
  }
}

std::vector<Glimpse> SharedClock::look(const mpi::Communicator& communicator, int peer,
                                       int times) const {
  std::vector<Glimpse> glimpses(static_cast<std::size_t>(times));
  for (Glimpse& glimpse : glimpses) {
    glimpse.sent = clock_();
    communicator.send({}, peer);
    communicator.receive(place_of(glimpse.shown), peer);
    glimpse.returned = clock_();
  }
  return glimpses;
}

void SharedClock::show(const mpi::Communicator& communicator, int peer, int times,
                       const std::function<Seconds()>& time) const {
  for (int turn = 0; turn < times; ++turn) {
    communicator.receive({}, peer);
    const Seconds shown = time();
    communicator.send(bytes_of(shown), peer);
  }
}

}  // namespace halocline::measure
