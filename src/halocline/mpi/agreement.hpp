#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Runs `step` on each rank. Where it throws an Error anywhere, all ranks throw one, with the words
/// of the lowest such rank and its number. Collective; `step` must not communicate.
void agreed(const Communicator& communicator, const std::function<void()>& step);

/// Throws Error on all ranks unless all bring the same number, which stands for `what`. Collective.
void require_same(const Communicator& communicator, std::uint64_t number, const std::string& what);

}  // namespace halocline::mpi
