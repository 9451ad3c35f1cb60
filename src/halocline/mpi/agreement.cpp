#include "halocline/mpi/agreement.hpp"

#include "halocline/base/error.hpp"

namespace halocline::mpi {

void agreed(const Communicator& communicator, const std::function<void()>& step) {
  std::string problem;
  try {
    step();
  } catch (const Error& error) {
    problem = error.what();
  }
  // Of the ranks with a problem the lowest: the maximum of negative numbers.
  const std::int64_t nobody = -communicator.size();
  const std::int64_t lowest =
      -communicator.maximum(problem.empty() ? nobody : -communicator.rank());
  if (lowest == communicator.size()) {
    return;
  }
  const std::string words = communicator.broadcast(problem, static_cast<int>(lowest));
  throw Error("rank " + std::to_string(lowest) + ": " + words);
}

void require_same(const Communicator& communicator, std::uint64_t number, const std::string& what) {
  const auto own = static_cast<std::int64_t>(number);
  const std::int64_t of_first = communicator.broadcast(own);
  const std::int64_t differs = communicator.maximum(own == of_first ? 0 : communicator.rank());
  if (differs != 0) {
    throw Error(
        "rank " + std::to_string(differs) + " brings " + what +
        " other than rank 0's; all ranks must pass the same; compare the arguments of both");
  }
}

}  // namespace halocline::mpi
