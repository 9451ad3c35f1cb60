#include "halocline/mpi/replayed_calls.hpp"

#include <algorithm>
#include <numeric>

#include "halocline/base/pattern.hpp"
#include "halocline/mpi/check.hpp"

namespace halocline::mpi {
namespace {

/// What a rank sends lies in one buffer from its beginning, whatever the message.
std::uint64_t seed_of(std::uint64_t seed, int rank) {
  return (seed << 20U) + static_cast<std::uint64_t>(rank);
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  return offsets;
}

/// Numbers where the bytes are a whole number of them: what programs sum most.
struct Elements {
  explicit Elements(int bytes)
      : numbers(bytes % static_cast<int>(sizeof(double)) == 0),
        count(numbers ? bytes / static_cast<int>(sizeof(double)) : bytes) {}
  MPI_Datatype type() const { return numbers ? MPI_DOUBLE : MPI_BYTE; }
  MPI_Op operation() const { return numbers ? MPI_SUM : MPI_BOR; }
  bool numbers;
  int count;
};

}  // namespace

/// Reads a call's numbers one by one, and notes what they need of the buffers.
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
  MPI_Comm communicator() {
    const auto index = static_cast<std::size_t>(number());
    const std::optional<Communicator>* there =
        index < calls_.communicators_.size() ? &calls_.communicators_[index] : nullptr;
    if (there == nullptr || !there->has_value()) {
      throw Error("rank " + std::to_string(calls_.world_rank_) +
                  " is not in the communicator of a planned call of MPI_" + call_.function +
                  "; write the plan again");
    }
    members_ = &calls_.members_[index];
    return (*there)->handle_;
  }
  std::size_t size() const { return members_->size(); }
  int peer() {
    const int rank = number();
    if (rank == nobody) {
      return MPI_PROC_NULL;
    }
    return rank == anybody ? MPI_ANY_SOURCE : rank;
  }
  /// Bytes that this rank sends, to all or to a peer.
  int sent() {
    const int bytes = number();
    calls_.outgoing_bytes_ = std::max(calls_.outgoing_bytes_, static_cast<std::size_t>(bytes));
    return bytes;
  }
  int sent_to(int peer) {
    const int bytes = sent();
    if (peer >= 0) {
      const auto rank = static_cast<std::size_t>((*members_)[static_cast<std::size_t>(peer)]);
      calls_.bytes_to_rank_[rank] +=
          static_cast<std::size_t>(bytes) * static_cast<std::size_t>(calls_.repeats_);
    }
    return bytes;
  }
  /// Room for so many bytes: its offset.
  std::size_t room(std::int64_t bytes) {
    const std::size_t offset = calls_.incoming_bytes_;
    calls_.incoming_bytes_ += (static_cast<std::size_t>(bytes) + 7) / 8 * 8;
    return offset;
  }
  std::size_t room_of_message(int bytes) {
    const std::size_t offset = room(bytes);
    const int sender = number();
    const auto arriving = static_cast<std::size_t>(number());
    if (sender >= 0) {
      calls_.arrivals_.push_back({.offset = offset, .bytes = arriving, .sender = sender});
    }
    return offset;
  }
  std::vector<int> numbers(std::size_t how_many) {
    std::vector<int> found(how_many);
    std::ranges::generate(found, [this] { return number(); });
    return found;
  }
  bool more() const { return at_ < call_.values.size(); }

 private:
  ReplayedCalls& calls_;
  const PlannedCall& call_;
  std::size_t at_ = 0;
  const std::vector<int>* members_ = nullptr;
};

ReplayedCalls::ReplayedCalls(const Communicator& world, const Plan& plan, Pages pages)
    : world_rank_(world.rank()),
      members_(plan.communicators),
      bytes_to_rank_(static_cast<std::size_t>(world.size())),
      outgoing_(0),
      incoming_(0) {
  for (const std::vector<int>& members : members_) {
    const bool mine = std::ranges::find(members, world_rank_) != members.end();
    communicators_.push_back(world.split(mine ? 0 : -1));
  }
  for (const PlannedBlock& block : plan.blocks) {
    repeats_ = block.repeats;
    std::vector<Action> actions;
    for (const PlannedCall& call : block.calls) {
      actions.push_back(action_of(call));
    }
    blocks_.push_back({.repeats = block.repeats, .actions = std::move(actions)});
  }
  outgoing_ = Memory(outgoing_bytes_, pages);
  incoming_ = Memory(incoming_bytes_, pages);
}

void ReplayedCalls::run(bool one_round) {
  for (const Block& block : blocks_) {
    for (std::int64_t round = 0; round < (one_round ? 1 : block.repeats); ++round) {
      for (const Action& action : block.actions) {
        action();
      }
    }
  }
}

void ReplayedCalls::write(std::uint64_t seed) {
  fill_pattern(outgoing_.bytes(), seed_of(seed, world_rank_));
  std::ranges::fill(incoming_.bytes(), std::byte{0xff});
}

std::optional<std::string> ReplayedCalls::difference(std::uint64_t seed) const {
  for (const Incoming& arrival : arrivals_) {
    const auto message = incoming_.bytes().subspan(arrival.offset, arrival.bytes);
    if (const auto byte = first_difference(message, seed_of(seed, arrival.sender))) {
      return "byte " + std::to_string(*byte) + " of a message of " + std::to_string(arrival.bytes) +
             " bytes from rank " + std::to_string(arrival.sender) + " to rank " +
             std::to_string(world_rank_) + " is wrong";
    }
  }
  return std::nullopt;
}

ReplayedCalls::Action ReplayedCalls::action_of(const PlannedCall& call) {
  const auto found = std::ranges::find(functions(), call.function, &Function::name);
  if (found == functions().end()) {
    throw Error("MPI_" + call.function + " cannot be replayed; write the plan again");
  }
  Reader reader(*this, call);
  Action action = (this->*found->make)(reader);
  if (reader.more()) {
    throw Error("a planned call of MPI_" + call.function +
                " has more numbers than it takes; write the plan again");
  }
  return action;
}

MPI_Request* ReplayedCalls::oldest() {
  none_ = MPI_REQUEST_NULL;
  return completed_ < requests_.size() ? &requests_[completed_] : &none_;
}

void ReplayedCalls::forget(std::size_t oldest_requests) {
  completed_ = std::min(completed_ + oldest_requests, requests_.size());
  if (completed_ == requests_.size()) {
    requests_.clear();
    completed_ = 0;
  }
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::send(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  const int tag = reader.number();
  const int bytes = reader.sent_to(peer);
  return [=, this] { HALOCLINE_MPI(Call(outgoing(), bytes, MPI_BYTE, peer, tag, communicator)); };
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::start_send(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  const int tag = reader.number();
  const int bytes = reader.sent_to(peer);
  return [=, this] {
    HALOCLINE_MPI(Call(outgoing(), bytes, MPI_BYTE, peer, tag, communicator, started()));
  };
}

ReplayedCalls::Action ReplayedCalls::receive(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  const int tag = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room_of_message(bytes);
  return [=, this] {
    HALOCLINE_MPI(
        MPI_Recv(incoming(place), bytes, MPI_BYTE, peer, tag, communicator, MPI_STATUS_IGNORE));
  };
}

ReplayedCalls::Action ReplayedCalls::start_receive(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  const int tag = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room_of_message(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Irecv(incoming(place), bytes, MPI_BYTE, peer, tag, communicator, started()));
  };
}

ReplayedCalls::Action ReplayedCalls::send_receive(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  const int tag = reader.number();
  const int bytes = reader.sent_to(peer);
  const int source = reader.peer();
  const int source_tag = reader.number();
  const int room = reader.number();
  const std::size_t place = reader.room_of_message(room);
  return [=, this] {
    HALOCLINE_MPI(MPI_Sendrecv(outgoing(), bytes, MPI_BYTE, peer, tag, incoming(place), room,
                               MPI_BYTE, source, source_tag, communicator, MPI_STATUS_IGNORE));
  };
}

ReplayedCalls::Action ReplayedCalls::wait(Reader& /*reader*/) {
  return [this] {
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): other actions have started it
    HALOCLINE_MPI(MPI_Wait(oldest(), MPI_STATUS_IGNORE));
    forget(1);
  };
}

ReplayedCalls::Action ReplayedCalls::wait_all(Reader& reader) {
  const auto wanted = static_cast<std::size_t>(reader.next());
  return [=, this] {
    const std::size_t there = std::min(wanted, requests_.size() - completed_);
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): other actions have started it
    HALOCLINE_MPI(MPI_Waitall(static_cast<int>(there), oldest(), MPI_STATUSES_IGNORE));
    forget(there);
  };
}

ReplayedCalls::Action ReplayedCalls::wait_any(Reader& /*reader*/) {
  return [this] {
    int which = 0;
    HALOCLINE_MPI(MPI_Waitany(1, oldest(), &which, MPI_STATUS_IGNORE));
    forget(1);
  };
}

ReplayedCalls::Action ReplayedCalls::wait_some(Reader& /*reader*/) {
  return [this] {
    int done = 0;
    int which = 0;
    HALOCLINE_MPI(MPI_Waitsome(1, oldest(), &done, &which, MPI_STATUSES_IGNORE));
    forget(1);
  };
}

ReplayedCalls::Action ReplayedCalls::test(Reader& /*reader*/) {
  return [this] {
    int done = 0;
    HALOCLINE_MPI(MPI_Test(oldest(), &done, MPI_STATUS_IGNORE));
  };
}

ReplayedCalls::Action ReplayedCalls::test_all(Reader& /*reader*/) {
  return [this] {
    int done = 0;
    HALOCLINE_MPI(MPI_Testall(1, oldest(), &done, MPI_STATUSES_IGNORE));
  };
}

ReplayedCalls::Action ReplayedCalls::test_any(Reader& /*reader*/) {
  return [this] {
    int done = 0;
    int which = 0;
    HALOCLINE_MPI(MPI_Testany(1, oldest(), &which, &done, MPI_STATUS_IGNORE));
  };
}

ReplayedCalls::Action ReplayedCalls::test_some(Reader& /*reader*/) {
  return [this] {
    int done = 0;
    int which = 0;
    HALOCLINE_MPI(MPI_Testsome(1, oldest(), &done, &which, MPI_STATUSES_IGNORE));
  };
}

ReplayedCalls::Action ReplayedCalls::look(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  return [=] {
    int there = 0;
    HALOCLINE_MPI(MPI_Iprobe(peer, MPI_ANY_TAG, communicator, &there, MPI_STATUS_IGNORE));
  };
}

ReplayedCalls::Action ReplayedCalls::barrier(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  return [=] { HALOCLINE_MPI(MPI_Barrier(communicator)); };
}

ReplayedCalls::Action ReplayedCalls::start_barrier(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  return [=, this] { HALOCLINE_MPI(MPI_Ibarrier(communicator, started())); };
}

ReplayedCalls::Action ReplayedCalls::broadcast(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room(bytes);
  return
      [=, this] { HALOCLINE_MPI(MPI_Bcast(incoming(place), bytes, MPI_BYTE, root, communicator)); };
}

ReplayedCalls::Action ReplayedCalls::start_broadcast(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Ibcast(incoming(place), bytes, MPI_BYTE, root, communicator, started()));
  };
}

ReplayedCalls::Action ReplayedCalls::reduce(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Reduce(outgoing(), incoming(place), elements.count, elements.type(),
                             elements.operation(), root, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_reduce(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Allreduce(outgoing(), incoming(place), elements.count, elements.type(),
                                elements.operation(), communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::start_all_reduce(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Iallreduce(outgoing(), incoming(place), elements.count, elements.type(),
                                 elements.operation(), communicator, started()));
  };
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::scan(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  const Elements elements(bytes);
  return [=, this] {
    HALOCLINE_MPI(Call(outgoing(), incoming(place), elements.count, elements.type(),
                       elements.operation(), communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::gather(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(static_cast<std::int64_t>(reader.size()) * bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Gather(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, root,
                             communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::scatter(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  outgoing_bytes_ = std::max(outgoing_bytes_, static_cast<std::size_t>(bytes) * reader.size());
  const std::size_t place = reader.room(bytes);
  return [=, this] {
    HALOCLINE_MPI(MPI_Scatter(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, root,
                              communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_gather(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::size_t place = reader.room(static_cast<std::int64_t>(reader.size()) * bytes);
  return [=, this] {
    HALOCLINE_MPI(
        MPI_Allgather(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_to_all(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.number();
  const std::size_t all = static_cast<std::size_t>(bytes) * reader.size();
  outgoing_bytes_ = std::max(outgoing_bytes_, all);
  const std::size_t place = reader.room(static_cast<std::int64_t>(all));
  return [=, this] {
    HALOCLINE_MPI(
        MPI_Alltoall(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::start_all_to_all(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.number();
  const std::size_t all = static_cast<std::size_t>(bytes) * reader.size();
  outgoing_bytes_ = std::max(outgoing_bytes_, all);
  const std::size_t place = reader.room(static_cast<std::int64_t>(all));
  return [=, this] {
    HALOCLINE_MPI(MPI_Ialltoall(outgoing(), bytes, MPI_BYTE, incoming(place), bytes, MPI_BYTE,
                                communicator, started()));
  };
}

ReplayedCalls::Action ReplayedCalls::gather_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.sent();
  const std::vector<int> counts = reader.numbers(reader.more() ? reader.size() : 0);
  const std::size_t place = reader.room(std::accumulate(counts.begin(), counts.end(), 0L));
  return [=, this, offsets = offsets_of(counts)] {
    HALOCLINE_MPI(MPI_Gatherv(outgoing(), bytes, MPI_BYTE, incoming(place), counts.data(),
                              offsets.data(), MPI_BYTE, root, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::scatter_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int root = reader.number();
  const int bytes = reader.number();
  const std::size_t place = reader.room(bytes);
  const std::vector<int> counts = reader.numbers(reader.more() ? reader.size() : 0);
  outgoing_bytes_ = std::max(
      outgoing_bytes_, static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0L)));
  return [=, this, offsets = offsets_of(counts)] {
    HALOCLINE_MPI(MPI_Scatterv(outgoing(), counts.data(), offsets.data(), MPI_BYTE, incoming(place),
                               bytes, MPI_BYTE, root, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_gather_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int bytes = reader.sent();
  const std::vector<int> counts = reader.numbers(reader.size());
  const std::size_t place = reader.room(std::accumulate(counts.begin(), counts.end(), 0L));
  return [=, this, offsets = offsets_of(counts)] {
    HALOCLINE_MPI(MPI_Allgatherv(outgoing(), bytes, MPI_BYTE, incoming(place), counts.data(),
                                 offsets.data(), MPI_BYTE, communicator));
  };
}

ReplayedCalls::Action ReplayedCalls::all_to_all_v(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const std::vector<int> to = reader.numbers(reader.size());
  const std::vector<int> from = reader.numbers(reader.size());
  outgoing_bytes_ = std::max(outgoing_bytes_,
                             static_cast<std::size_t>(std::accumulate(to.begin(), to.end(), 0L)));
  const std::size_t place = reader.room(std::accumulate(from.begin(), from.end(), 0L));
  return [=, this, to_offsets = offsets_of(to), from_offsets = offsets_of(from)] {
    HALOCLINE_MPI(MPI_Alltoallv(outgoing(), to.data(), to_offsets.data(), MPI_BYTE, incoming(place),
                                from.data(), from_offsets.data(), MPI_BYTE, communicator));
  };
}

const std::vector<ReplayedCalls::Function>& ReplayedCalls::functions() {
  using Calls = ReplayedCalls;
  static const std::vector<Function> all{
      {"Send", &Calls::send<MPI_Send>},
      {"Ssend", &Calls::send<MPI_Ssend>},
      {"Isend", &Calls::start_send<MPI_Isend>},
      {"Issend", &Calls::start_send<MPI_Issend>},
      {"Recv", &Calls::receive},
      {"Irecv", &Calls::start_receive},
      {"Sendrecv", &Calls::send_receive},
      {"Wait", &Calls::wait},
      {"Waitall", &Calls::wait_all},
      {"Waitany", &Calls::wait_any},
      {"Waitsome", &Calls::wait_some},
      {"Test", &Calls::test},
      {"Testall", &Calls::test_all},
      {"Testany", &Calls::test_any},
      {"Testsome", &Calls::test_some},
      {"Iprobe", &Calls::look},
      {"Barrier", &Calls::barrier},
      {"Ibarrier", &Calls::start_barrier},
      {"Bcast", &Calls::broadcast},
      {"Ibcast", &Calls::start_broadcast},
      {"Reduce", &Calls::reduce},
      {"Allreduce", &Calls::all_reduce},
      {"Iallreduce", &Calls::start_all_reduce},
      {"Scan", &Calls::scan<MPI_Scan>},
      {"Exscan", &Calls::scan<MPI_Exscan>},
      {"Gather", &Calls::gather},
      {"Scatter", &Calls::scatter},
      {"Allgather", &Calls::all_gather},
      {"Alltoall", &Calls::all_to_all},
      {"Ialltoall", &Calls::start_all_to_all},
      {"Gatherv", &Calls::gather_v},
      {"Scatterv", &Calls::scatter_v},
      {"Allgatherv", &Calls::all_gather_v},
      {"Alltoallv", &Calls::all_to_all_v},
  };
  return all;
}

std::vector<std::string_view> replayed_functions() {
  std::vector<std::string_view> names;
  for (const ReplayedCalls::Function& function : ReplayedCalls::functions()) {
    names.push_back(function.name);
  }
  return names;
}

}  // namespace halocline::mpi
