#pragma once

#include "halocline/bundle/redistribution.hpp"

namespace halocline {

/// Runs it until every rank has found which stores are faster. Collective.
inline void settle(bundle::Redistribution& redistribution, const mpi::Communicator& world) {
  while (world.maximum(std::int64_t{redistribution.settled() ? 0 : 1}) != 0) {
    redistribution.start();
    redistribution.finish();
  }
}

}  // namespace halocline
