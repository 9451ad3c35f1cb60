#pragma once

#include <memory>

#include "halocline/route/pairs.hpp"
#include "halocline/workload/micro/payload.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// How two ranks communicate: a message and its answer, or one each way at the same time.
enum class Pattern { pingpong, pingping };

const ChoiceAxis& pattern_axis();
Pattern pattern_of(const AxisValues& values);

/// A message: its length, its memory, and how it travels.
struct Transfer {
  std::size_t size_bytes;
  Pages pages;
  const protocol::Protocol& protocol;
};

/// From the axes `bytes` and `protocol`.
Transfer transfer_of(const AxisValues& values);

/// Traversals of one iteration, messages of one traversal, and the ranks whose clocks count.
std::int64_t traversals_of(Pattern pattern);
std::size_t messages_of(Pattern pattern);
std::vector<int> timed_ranks_of(Pattern pattern, const route::Pair& pair);

/// The two ranks of a communicator, exchanging messages. `names` are their ranks in records and
/// payloads; the first leads. Collective.
std::unique_ptr<measure::TimedLoop> two_ranks(Pattern pattern, const Transfer& transfer,
                                              const route::Pair& names,
                                              const mpi::Communicator& communicator);

}  // namespace halocline::workload
