#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/base/memory.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/program_calls.hpp"
#include "halocline/mpi/window.hpp"
#include "halocline/workload/replay/plan.hpp"

namespace halocline::workload {

/// Makes the calls of a plan, with its own buffers.
class ReplayedCalls {
 public:
  /// Reads this rank's calls. Throws Error for one that is unknown, or with a number that is not
  /// allowed.
  ReplayedCalls(const Plan& plan, int rank, int ranks);
  ~ReplayedCalls() = default;
  ReplayedCalls(const ReplayedCalls&) = delete;
  ReplayedCalls& operator=(const ReplayedCalls&) = delete;

  /// Of the buffers and windows that open() makes here.
  std::size_t needed_bytes() const;
  /// Collective: makes what the calls need, before anything below.
  void open(const mpi::Communicator& world, Pages pages);

  /// Collective: the whole plan, or one round of each block.
  void run(bool one_round = false);

  /// Writes what this rank sends in the exchange of `seed`, and corrupts what it received.
  void write(std::uint64_t seed);
  /// The first byte that differs from what single ranks sent.
  std::optional<std::string> difference(std::uint64_t seed) const;

  /// Gives all ranks the same phases. Collective, by an extra call that a profile of the replay
  /// would count.
  void agree_on_phases(const mpi::Communicator& world);

  /// The kinds of calls that this rank makes, or any rank once they agreed. Bytes sent are those of
  /// single messages, puts included: how a collective sends is up to the library.
  measure::PhaseTimer& phases() { return phases_; }

  /// What one run sends to each rank of the world individually.
  const std::vector<std::size_t>& bytes_to_rank() const { return bytes_to_rank_; }

 private:
  using Action = std::function<void()>;
  enum class Kind : std::uint8_t { message, wait, collective, one_sided };
  struct Step {
    Kind kind;
    Action action;
  };
  struct Block {
    std::int64_t repeats;
    std::vector<Step> steps;
  };
  struct Incoming {
    std::size_t offset;
    std::size_t bytes;
    int sender;
  };
  class Reader;
  /// What a persistent request moves each time it is started.
  struct Persistent {
    int receiver;  // in the world; -1 if it does not send
    std::size_t bytes;
    std::optional<Incoming> arrival;
  };
  struct Function {
    std::string_view name;
    Kind kind;
    Action (ReplayedCalls::*make)(Reader&);
  };
  static const std::vector<Function>& functions();

  Step step_of(const PlannedCall& call);
  void name_phases();
  bool is_member(std::size_t communicator) const;
  std::size_t bytes_of(const PlannedWindow& window) const;
  const mpi::Communicator& communicator(std::size_t index) const { return *communicators_[index]; }
  mpi::Collectives collectives(std::size_t index) const {
    return mpi::Collectives(communicator(index));
  }
  const mpi::Window& window(std::size_t index) const { return *windows_[index]; }
  /// All messages of this rank begin at the start of one buffer.
  std::span<const std::byte> outgoing(std::size_t bytes) { return outgoing_.bytes().first(bytes); }
  std::span<std::byte> incoming(std::size_t offset, std::size_t bytes) {
    return incoming_.bytes().subspan(offset, bytes);
  }

  template <auto Call>
  Action send(Reader& reader);
  template <auto Call>
  Action start_send(Reader& reader);
  Action receive(Reader& reader);
  Action start_receive(Reader& reader);
  template <auto Call>
  Action prepare_send(Reader& reader);
  Action prepare_receive(Reader& reader);
  Action start(Reader& reader);
  Action start_all(Reader& reader);
  Action put(Reader& reader);
  Action get(Reader& reader);
  Action fence(Reader& reader);
  Action send_receive(Reader& reader);
  template <auto Call>
  Action complete(Reader& reader);
  Action wait_all(Reader& reader);
  Action probe(Reader& reader);
  Action barrier(Reader& reader);
  Action start_barrier(Reader& reader);
  Action broadcast(Reader& reader);
  Action start_broadcast(Reader& reader);
  Action reduce(Reader& reader);
  template <auto Call>
  Action sum(Reader& reader);
  Action start_all_reduce(Reader& reader);
  Action gather(Reader& reader);
  Action scatter(Reader& reader);
  Action all_gather(Reader& reader);
  Action all_to_all(Reader& reader);
  Action start_all_to_all(Reader& reader);
  Action gather_v(Reader& reader);
  Action scatter_v(Reader& reader);
  Action all_gather_v(Reader& reader);
  Action all_to_all_v(Reader& reader);

  std::string file_;
  int world_rank_;
  std::vector<std::vector<int>> members_;
  std::vector<PlannedWindow> planned_windows_;
  // Null if this rank is not in it.
  std::vector<std::unique_ptr<mpi::Communicator>> communicators_;
  std::vector<std::unique_ptr<mpi::Window>> windows_;
  std::size_t outgoing_bytes_ = 0;
  std::size_t incoming_bytes_ = 0;
  std::vector<std::size_t> bytes_to_rank_;
  std::int64_t repeats_ = 1;  // of the current block
  std::vector<Incoming> arrivals_;
  std::vector<Persistent> prepared_;
  std::vector<Block> blocks_;
  std::array<std::uint8_t, 4> made_{};         // whether any call of a kind
  std::array<std::size_t, 4> sent_by_kind_{};  // bytes in a run
  std::array<std::size_t, 4> phase_of_kind_{};
  measure::PhaseTimer phases_{{}};
  Memory outgoing_;
  Memory incoming_;
  mpi::ProgramCalls calls_;
};

}  // namespace halocline::workload
