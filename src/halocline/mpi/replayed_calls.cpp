#include "halocline/mpi/replayed_calls.hpp"

#include <algorithm>

#include "halocline/base/pattern.hpp"
#include "halocline/mpi/check.hpp"
#include "halocline/mpi/replayed_reader.hpp"

namespace halocline::mpi {
namespace {

/// What a rank sends lies in one buffer from its beginning, whatever the message.
std::uint64_t seed_of(std::uint64_t seed, int rank) {
  return (seed << 20U) + static_cast<std::uint64_t>(rank);
}

}  // namespace

ReplayedCalls::ReplayedCalls(const Communicator& world, const Plan& plan, Pages pages)
    : world_rank_(world.rank()),
      members_(plan.communicators),
      planned_windows_(plan.windows),
      bytes_to_rank_(static_cast<std::size_t>(world.size())),
      outgoing_(0),
      incoming_(0) {
  for (const std::vector<int>& members : members_) {
    const bool mine = std::ranges::find(members, world_rank_) != members.end();
    communicators_.push_back(world.split(mine ? 0 : -1));
  }
  for (const PlannedWindow& window : plan.windows) {
    const std::optional<Communicator>& ranks = communicators_.at(window.communicator);
    // With any content: a barrier is a call that a profile of the replay would count.
    windows_.push_back(ranks.has_value()
                           ? std::make_unique<Window>(
                                 *ranks, window.bytes * static_cast<std::size_t>(ranks->size()),
                                 Window::Content::any)
                           : nullptr);
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
  free_persistent();
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

template <auto Call>
ReplayedCalls::Action ReplayedCalls::prepare_send(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  const int tag = reader.number();
  const int bytes = reader.sent();
  prepared_.push_back({.receiver = peer >= 0 ? reader.in_world(peer) : -1,
                       .bytes = static_cast<std::size_t>(bytes),
                       .arrival = std::nullopt});
  return [=, this] {
    HALOCLINE_MPI(Call(outgoing(), bytes, MPI_BYTE, peer, tag, communicator,
                       &persistent_.emplace_back(MPI_REQUEST_NULL)));
  };
}

ReplayedCalls::Action ReplayedCalls::prepare_receive(Reader& reader) {
  const MPI_Comm communicator = reader.communicator();
  const int peer = reader.peer();
  const int tag = reader.number();
  const int bytes = reader.number();
  const Incoming arrival = reader.arrival_of(bytes);
  const std::size_t place = arrival.offset;
  prepared_.push_back({.receiver = -1,
                       .bytes = 0,
                       .arrival = arrival.sender >= 0 ? std::optional(arrival) : std::nullopt});
  return [=, this] {
    HALOCLINE_MPI(MPI_Recv_init(incoming(place), bytes, MPI_BYTE, peer, tag, communicator,
                                &persistent_.emplace_back(MPI_REQUEST_NULL)));
  };
}

ReplayedCalls::Action ReplayedCalls::start(Reader& reader) {
  const std::size_t index = reader.prepared();
  return [=, this] {
    HALOCLINE_MPI(MPI_Start(&persistent_[index]));
    requests_.push_back(persistent_[index]);
  };
}

ReplayedCalls::Action ReplayedCalls::start_all(Reader& reader) {
  std::vector<std::size_t> indices;
  while (reader.more()) {
    indices.push_back(reader.prepared());
  }
  return [indices = std::move(indices), this] {
    std::vector<MPI_Request> chosen;
    for (const std::size_t index : indices) {
      chosen.push_back(persistent_[index]);
    }
    // Some libraries refuse a null array even where nothing is started.
    MPI_Request* const first = chosen.empty() ? &none_ : chosen.data();
    HALOCLINE_MPI(MPI_Startall(static_cast<int>(chosen.size()), first));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      persistent_[indices[i]] = chosen[i];
    }
    requests_.insert(requests_.end(), chosen.begin(), chosen.end());
  };
}

void ReplayedCalls::free_persistent() {
  for (MPI_Request& request : persistent_) {
    HALOCLINE_MPI(MPI_Request_free(&request));
  }
  persistent_.clear();
}

ReplayedCalls::Action ReplayedCalls::put(Reader& reader) {
  const auto [window, offset] = reader.window();
  const int peer = reader.peer();
  const int bytes = reader.sent_to(peer);
  return [=, this] {
    window->put(outgoing_.bytes().first(static_cast<std::size_t>(bytes)), peer, offset);
  };
}

ReplayedCalls::Action ReplayedCalls::get(Reader& reader) {
  const auto [window, offset] = reader.window();
  const int peer = reader.peer();
  const int bytes = reader.number();
  const std::size_t place = reader.room(bytes);
  return [=, this] {
    window->get(incoming_.bytes().subspan(place, static_cast<std::size_t>(bytes)), peer, offset);
  };
}

ReplayedCalls::Action ReplayedCalls::fence(Reader& reader) {
  const Window* const window = reader.window().first;
  return [window] { window->fence(); };
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

const std::vector<ReplayedCalls::Function>& ReplayedCalls::functions() {
  using Calls = ReplayedCalls;
  static const std::vector<Function> all{
      {"Send", &Calls::send<MPI_Send>},
      {"Ssend", &Calls::send<MPI_Ssend>},
      {"Rsend", &Calls::send<MPI_Rsend>},
      {"Isend", &Calls::start_send<MPI_Isend>},
      {"Issend", &Calls::start_send<MPI_Issend>},
      {"Irsend", &Calls::start_send<MPI_Irsend>},
      {"Recv", &Calls::receive},
      {"Irecv", &Calls::start_receive},
      {"Send_init", &Calls::prepare_send<MPI_Send_init>},
      {"Ssend_init", &Calls::prepare_send<MPI_Ssend_init>},
      {"Recv_init", &Calls::prepare_receive},
      {"Start", &Calls::start},
      {"Startall", &Calls::start_all},
      {"Put", &Calls::put},
      {"Get", &Calls::get},
      {"Win_fence", &Calls::fence},
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
      {"Scan", &Calls::scan},
      {"Exscan", &Calls::exclusive_scan},
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
