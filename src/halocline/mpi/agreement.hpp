#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

struct Problem {
  int rank;
  std::string words;
};

/// The problem of the lowest rank that has one, where `own` is not empty. Collective.
std::optional<Problem> lowest_problem(const Communicator& communicator, const std::string& own);

/// Runs `step` on each rank. If it throws anywhere, all ranks throw an Error with the text and
/// number of the lowest such rank, or a Skip if that rank threw one. Collective; `step` must not
/// communicate, but within groups of which all ranks throw or none.
void agreed(const Communicator& communicator, const std::function<void()>& step);

/// Runs `step`, in which groups of the ranks may communicate among themselves. If a group throws
/// Skip, all ranks throw it: the others would wait for that group forever. Collective.
void agree_on_skip(const Communicator& communicator, const std::function<void()>& step);

/// Throws Error on all ranks unless all pass the same number, which represents `what`. Collective.
void require_same(const Communicator& communicator, std::uint64_t number, const std::string& what);

}  // namespace halocline::mpi
