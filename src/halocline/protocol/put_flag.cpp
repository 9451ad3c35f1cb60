#include <string>

#include "halocline/mpi/compat/flushes.hpp"
#include "halocline/protocol/passive.hpp"

namespace halocline::protocol {

extern const Protocol put_flag;

namespace {

std::string flags_unusable(const mpi::Communicator& communicator, const Messages& messages) {
  if (communicator.size() > mpi::flags_behind_puts_ranks_maximum) {
    return "with this library, flags after puts hang on more than " +
           std::to_string(mpi::flags_behind_puts_ranks_maximum) + " ranks";
  }
  return flags_unseen(communicator, messages);
}

}  // namespace

const Protocol put_flag = define<PassivePut<Flags>>({
    .name = "put_flag",
    .summary = "MPI_Put, then a flag on which the target waits; as in LAPI and SHMEM",
    .needs = {mpi::Need::one_sided, mpi::Need::passive_target, mpi::Need::polled_memory},
    .peer_receives = Receives::posted_before,
    .windows = Windows::receives,
    .unusable = flags_unusable,
});

}  // namespace halocline::protocol
