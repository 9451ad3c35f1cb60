#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

void require_each_countable(const mpi::Communicator& /*communicator*/, const Messages& messages) {
  const auto require_all = [](const auto& side) {
    for (const auto& message : side) {
      mpi::count_of(message.payload);
      mpi::Datatype::require_countable(message.boxes);
    }
  };
  require_all(messages.sends);
  require_all(messages.receives);
}

}  // namespace halocline::protocol
