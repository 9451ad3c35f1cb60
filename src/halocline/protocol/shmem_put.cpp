#include "halocline/base/units.hpp"
#include "halocline/mpi/symmetric_memory.hpp"
#include "halocline/protocol/access.hpp"

namespace halocline::protocol {

extern const Protocol shmem_put;

namespace {

constexpr std::size_t line_bytes = 64;  // one flag per line, to avoid false sharing

class SymmetricPut final : public Transport {
 public:
  SymmetricPut(const mpi::Communicator& communicator, const Messages& messages)
      : puts_(communicator, messages),
        memory_(communicator, rounded_up(messages.window_bytes, line_bytes) +
                                  puts_.peers().origins.size() * line_bytes) {
    std::vector<NumberFor> places;
    std::size_t offset_bytes = rounded_up(messages.window_bytes, line_bytes);
    for (const int origin : puts_.peers().origins) {
      places.push_back({.peer = origin, .number = offset_bytes});
      flags_here_.push_back(offset_bytes);
      offset_bytes += line_bytes;
    }
    flags_there_ = swap_numbers(communicator, places, puts_.peers().targets);
  }

  void start() override { puts_.issue(memory_); }

  void finish() override {
    ++exchanges_;
    memory_.fence();
    for (std::size_t index = 0; index < flags_there_.size(); ++index) {
      memory_.set(exchanges_, puts_.peers().targets[index], flags_there_[index]);
    }
    memory_.quiet();
    for (const std::size_t flag : flags_here_) {
      memory_.wait_until_at_least(exchanges_, flag);
    }
  }

  std::byte* window() override { return memory_.data(); }

 private:
  const Puts puts_;
  const mpi::SymmetricMemory memory_;
  std::vector<std::uint64_t> flags_there_;  // offsets, one for each target
  std::vector<std::size_t> flags_here_;     // one for each origin
  std::uint64_t exchanges_ = 0;
};

}  // namespace

const Protocol shmem_put = define<SymmetricPut>({
    .name = "shmem_put",
    .summary = "OpenSHMEM's shmem_putmem, then behind shmem_fence a flag on which the target waits",
    .needs = {mpi::Need::openshmem},
    .peer_receives = Receives::posted_before,
    .windows = Windows::receives,
    .unusable =
        [](const mpi::Communicator& communicator, const Messages& /*messages*/) {
          return mpi::symmetric_memory_unusable(communicator);
        },
    .require_countable = nullptr,
});

}  // namespace halocline::protocol
