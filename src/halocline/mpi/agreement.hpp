#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Runs `step` on each rank. If it throws an Error anywhere, all ranks throw one, with the text and
/// the number of the lowest such rank. Collective; `step` must not communicate.
void agreed(const Communicator& communicator, const std::function<void()>& step);

/// Throws Error on all ranks unless all pass the same number, which stands for `what`. Collective.
void require_same(const Communicator& communicator, std::uint64_t number, const std::string& what);

}  // namespace halocline::mpi
