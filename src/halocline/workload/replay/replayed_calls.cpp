#include "halocline/workload/replay/replayed_calls.hpp"

#include <algorithm>
#include <numeric>

#include "halocline/base/pattern.hpp"
#include "halocline/workload/replay/call_reader.hpp"

namespace halocline::workload {
namespace {

std::uint64_t replay_seed(std::uint64_t seed, int rank) {
  return (seed << 20U) + static_cast<std::uint64_t>(rank);
}

}  // namespace

ReplayedCalls::ReplayedCalls(const Plan& plan, int rank, int ranks)
    : file_(plan.file),
      world_rank_(rank),
      members_(plan.communicators),
      planned_windows_(plan.windows),
      bytes_to_rank_(static_cast<std::size_t>(ranks)),
      outgoing_(0),
      incoming_(0) {
  for (const PlannedBlock& block : plan.blocks) {
    repeats_ = block.repeats;
    std::vector<Step> steps;
    for (const PlannedCall& call : block.calls) {
      steps.push_back(step_of(call));
    }
    blocks_.push_back({.repeats = block.repeats, .steps = std::move(steps)});
  }
  name_phases();
}

bool ReplayedCalls::is_member(std::size_t communicator) const {
  return std::ranges::binary_search(members_[communicator], world_rank_);
}

std::size_t ReplayedCalls::needed_bytes() const {
  std::size_t bytes = outgoing_bytes_ + incoming_bytes_;
  for (const PlannedWindow& window : planned_windows_) {
    bytes += is_member(window.communicator) ? bytes_of(window) : 0;
  }
  return bytes;
}

void ReplayedCalls::open(const mpi::Communicator& world, Pages pages) {
  for (std::size_t index = 0; index < members_.size(); ++index) {
    auto ranks = world.split(is_member(index) ? 0 : -1);
    communicators_.push_back(
        ranks.has_value() ? std::make_unique<mpi::Communicator>(std::move(*ranks)) : nullptr);
  }
  for (const PlannedWindow& window : planned_windows_) {
    // With any content: a profile of the replay would count a barrier.
    windows_.push_back(is_member(window.communicator)
                           ? std::make_unique<mpi::Window>(communicator(window.communicator),
                                                           bytes_of(window),
                                                           mpi::Window::Content::any)
                           : nullptr);
  }
  outgoing_ = Memory(outgoing_bytes_, pages);
  incoming_ = Memory(incoming_bytes_, pages);
}

std::size_t ReplayedCalls::bytes_of(const PlannedWindow& window) const {
  return window.bytes * members_[window.communicator].size();
}

void ReplayedCalls::run(bool one_round) {
  std::size_t under_way = phases_.phases().size();  // none
  for (const Block& block : blocks_) {
    for (std::int64_t round = 0; round < (one_round ? 1 : block.repeats); ++round) {
      for (const Step& step : block.steps) {
        const std::size_t phase = phase_of_kind_[static_cast<std::size_t>(step.kind)];
        if (phase != under_way) {  // reads the clock only where the kind changes, not at each call
          phases_.begin(phase);
          under_way = phase;
        }
        step.action();
      }
    }
  }
  phases_.end();
  calls_.free_prepared();
}

void ReplayedCalls::agree_on_phases(const mpi::Communicator& world) {
  world.maximum(made_);
  name_phases();
}

void ReplayedCalls::name_phases() {
  constexpr std::array names{"messages", "waiting", "collectives", "one_sided"};
  std::vector<measure::Phase> phases;
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    phase_of_kind_[kind] = phases.size();
    if (made_[kind] != 0) {
      phases.push_back({.name = names[kind], .sent_bytes = sent_by_kind_[kind]});
    }
  }
  phases_ = measure::PhaseTimer(std::move(phases));
}

void ReplayedCalls::write(std::uint64_t seed) {
  fill_pattern(outgoing_.bytes(), replay_seed(seed, world_rank_));
  std::ranges::fill(incoming_.bytes(), std::byte{0xff});
}

std::optional<std::string> ReplayedCalls::difference(std::uint64_t seed) const {
  for (const Incoming& arrival : arrivals_) {
    const auto message = incoming_.bytes().subspan(arrival.offset, arrival.bytes);
    if (const auto byte = first_difference(message, replay_seed(seed, arrival.sender))) {
      return "byte " + std::to_string(*byte) + " of a message of " + std::to_string(arrival.bytes) +
             " bytes from rank " + std::to_string(arrival.sender) + " to rank " +
             std::to_string(world_rank_) + " is wrong";
    }
  }
  return std::nullopt;
}

ReplayedCalls::Step ReplayedCalls::step_of(const PlannedCall& call) {
  Reader reader(*this, call);
  const auto function = std::ranges::find(functions(), call.function, &Function::name);
  if (function == functions().end()) {
    reader.refuse("it cannot be replayed");
  }
  const std::size_t before = std::reduce(bytes_to_rank_.begin(), bytes_to_rank_.end());
  Action action = (this->*function->make)(reader);
  if (reader.more()) {
    reader.refuse("more numbers than it takes");
  }
  const auto kind = static_cast<std::size_t>(function->kind);
  made_[kind] = 1;
  sent_by_kind_[kind] += std::reduce(bytes_to_rank_.begin(), bytes_to_rank_.end()) - before;
  return {.kind = function->kind, .action = std::move(action)};
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::send(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.receiver();
  const int tag = reader.tag();
  const std::size_t bytes = reader.sent_to(peer);
  return [=, this] { Call(communicator(index), outgoing(bytes), peer, tag); };
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::start_send(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.receiver();
  const int tag = reader.tag();
  const std::size_t bytes = reader.sent_to(peer);
  return [=, this] { (calls_.*Call)(communicator(index), outgoing(bytes), peer, tag); };
}

ReplayedCalls::Action ReplayedCalls::receive(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.sender();
  const int tag = reader.tag();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room_of_message(bytes);
  return [=, this] {
    mpi::ProgramCalls::receive(communicator(index), incoming(place, bytes), peer, tag);
  };
}

ReplayedCalls::Action ReplayedCalls::start_receive(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.sender();
  const int tag = reader.tag();
  const std::size_t bytes = reader.bytes();
  const std::size_t place = reader.room_of_message(bytes);
  return
      [=, this] { calls_.start_receive(communicator(index), incoming(place, bytes), peer, tag); };
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::prepare_send(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.receiver();
  const int tag = reader.tag();
  const std::size_t bytes = reader.sent();
  prepared_.push_back({.receiver = peer >= 0 ? reader.in_world(peer) : -1,
                       .bytes = bytes,
                       .arrival = std::nullopt});
  return [=, this] { (calls_.*Call)(communicator(index), outgoing(bytes), peer, tag); };
}

ReplayedCalls::Action ReplayedCalls::prepare_receive(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.sender();
  const int tag = reader.tag();
  const std::size_t bytes = reader.bytes();
  const Incoming arrival = reader.arrival_of(bytes);
  prepared_.push_back({.receiver = -1,
                       .bytes = 0,
                       .arrival = arrival.sender >= 0 ? std::optional(arrival) : std::nullopt});
  return [=, this] {
    calls_.prepare_receive(communicator(index), incoming(arrival.offset, bytes), peer, tag);
  };
}

ReplayedCalls::Action ReplayedCalls::start(Reader& reader) {
  const std::size_t request = reader.prepared();
  return [=, this] { calls_.start(request); };
}

ReplayedCalls::Action ReplayedCalls::start_all(Reader& reader) {
  std::vector<std::size_t> requests;
  while (reader.more()) {
    requests.push_back(reader.prepared());
  }
  return [requests = std::move(requests), this] { calls_.start_all(requests); };
}

ReplayedCalls::Action ReplayedCalls::put(Reader& reader) {
  const std::size_t index = reader.window();
  const std::size_t offset = reader.offset_in_window();
  const int peer = reader.receiver();
  const std::size_t bytes = reader.sends_to(peer, reader.bytes_in_window());
  return [=, this] { window(index).put(outgoing(bytes), peer, offset); };
}

ReplayedCalls::Action ReplayedCalls::get(Reader& reader) {
  const std::size_t index = reader.window();
  const std::size_t offset = reader.offset_in_window();
  const int peer = reader.receiver();
  const std::size_t bytes = reader.bytes_in_window();
  const std::size_t place = reader.room(bytes);
  return [=, this] { window(index).get(incoming(place, bytes), peer, offset); };
}

ReplayedCalls::Action ReplayedCalls::fence(Reader& reader) {
  const std::size_t index = reader.window();
  return [=, this] { window(index).fence(); };
}

ReplayedCalls::Action ReplayedCalls::send_receive(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.receiver();
  const int tag = reader.tag();
  const std::size_t bytes = reader.sent_to(peer);
  const int source = reader.sender();
  const int source_tag = reader.tag();
  const std::size_t room = reader.bytes();
  const std::size_t place = reader.room_of_message(room);
  return [=, this] {
    mpi::ProgramCalls::send_receive(communicator(index), outgoing(bytes), peer, tag,
                                    incoming(place, room), source, source_tag);
  };
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::complete(Reader& /*reader*/) {
  return [this] { (calls_.*Call)(); };
}

ReplayedCalls::Action ReplayedCalls::wait_all(Reader& reader) {
  const auto requests = static_cast<std::size_t>(reader.requests());
  return [=, this] { calls_.wait_all(requests); };
}

ReplayedCalls::Action ReplayedCalls::probe(Reader& reader) {
  const std::size_t index = reader.communicator();
  const int peer = reader.sender();
  return [=, this] { mpi::ProgramCalls::probe(communicator(index), peer); };
}

template <auto Call>
ReplayedCalls::Action ReplayedCalls::sum(Reader& reader) {
  const std::size_t index = reader.communicator();
  const std::size_t bytes = reader.sent();
  const std::size_t place = reader.room(bytes);
  return [=, this] { Call(communicator(index), outgoing(bytes), incoming(place, bytes)); };
}

const std::vector<ReplayedCalls::Function>& ReplayedCalls::functions() {
  using Made = ReplayedCalls;
  using Mpi = mpi::ProgramCalls;
  static const std::vector<Function> all{
      {"Send", Kind::message, &Made::send<Mpi::send>},
      {"Ssend", Kind::message, &Made::send<Mpi::synchronous_send>},
      {"Rsend", Kind::message, &Made::send<Mpi::ready_send>},
      {"Isend", Kind::message, &Made::start_send<&Mpi::start_send>},
      {"Issend", Kind::message, &Made::start_send<&Mpi::start_synchronous_send>},
      {"Irsend", Kind::message, &Made::start_send<&Mpi::start_ready_send>},
      {"Recv", Kind::message, &Made::receive},
      {"Irecv", Kind::message, &Made::start_receive},
      {"Send_init", Kind::message, &Made::prepare_send<&Mpi::prepare_send>},
      {"Ssend_init", Kind::message, &Made::prepare_send<&Mpi::prepare_synchronous_send>},
      {"Recv_init", Kind::message, &Made::prepare_receive},
      {"Start", Kind::message, &Made::start},
      {"Startall", Kind::message, &Made::start_all},
      {"Put", Kind::one_sided, &Made::put},
      {"Get", Kind::one_sided, &Made::get},
      {"Win_fence", Kind::one_sided, &Made::fence},
      {"Sendrecv", Kind::message, &Made::send_receive},
      {"Wait", Kind::wait, &Made::complete<&Mpi::wait>},
      {"Waitall", Kind::wait, &Made::wait_all},
      {"Waitany", Kind::wait, &Made::complete<&Mpi::wait_any>},
      {"Waitsome", Kind::wait, &Made::complete<&Mpi::wait_some>},
      {"Test", Kind::wait, &Made::complete<&Mpi::test>},
      {"Testall", Kind::wait, &Made::complete<&Mpi::test_all>},
      {"Testany", Kind::wait, &Made::complete<&Mpi::test_any>},
      {"Testsome", Kind::wait, &Made::complete<&Mpi::test_some>},
      {"Iprobe", Kind::wait, &Made::probe},
      {"Barrier", Kind::collective, &Made::barrier},
      {"Ibarrier", Kind::collective, &Made::start_barrier},
      {"Bcast", Kind::collective, &Made::broadcast},
      {"Ibcast", Kind::collective, &Made::start_broadcast},
      {"Reduce", Kind::collective, &Made::reduce},
      {"Allreduce", Kind::collective, &Made::sum<Mpi::all_reduce>},
      {"Iallreduce", Kind::collective, &Made::start_all_reduce},
      {"Scan", Kind::collective, &Made::sum<Mpi::scan>},
      {"Exscan", Kind::collective, &Made::sum<Mpi::exclusive_scan>},
      {"Gather", Kind::collective, &Made::gather},
      {"Scatter", Kind::collective, &Made::scatter},
      {"Allgather", Kind::collective, &Made::all_gather},
      {"Alltoall", Kind::collective, &Made::all_to_all},
      {"Ialltoall", Kind::collective, &Made::start_all_to_all},
      {"Gatherv", Kind::collective, &Made::gather_v},
      {"Scatterv", Kind::collective, &Made::scatter_v},
      {"Allgatherv", Kind::collective, &Made::all_gather_v},
      {"Alltoallv", Kind::collective, &Made::all_to_all_v},
  };
  return all;
}

}  // namespace halocline::workload
