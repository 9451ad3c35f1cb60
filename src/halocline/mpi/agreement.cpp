#include "halocline/mpi/agreement.hpp"

#include <exception>
#include <new>

#include "halocline/base/error.hpp"
#include "halocline/mpi/unwinding.hpp"

namespace halocline::mpi {
namespace {

// What a rank's step has thrown, before its text.
constexpr char skip_mark = 's';
constexpr char error_mark = 'e';

}  // namespace

std::optional<Problem> lowest_problem(const Communicator& communicator, const std::string& own) {
  // A maximum of negative numbers.
  const std::int64_t nobody = -communicator.size();
  const std::int64_t lowest = -communicator.maximum(own.empty() ? nobody : -communicator.rank());
  if (lowest == communicator.size()) {
    return std::nullopt;
  }
  const auto rank = static_cast<int>(lowest);
  return Problem{.rank = rank, .words = communicator.broadcast(own, rank)};
}

void agreed(const Communicator& communicator, const std::function<void()>& step) {
  std::string own;
  try {
    step();
  } catch (const Skip& skip) {
    own = skip_mark + std::string{skip.what()};
  } catch (const std::bad_alloc&) {
    own = error_mark + std::string{memory_exhausted};
  } catch (const std::exception& error) {  // files may fail on one rank alone
    own = error_mark + std::string{error.what()};
  }
  if (const auto problem = lowest_problem(communicator, own)) {
    const std::string words =
        "rank " + std::to_string(problem->rank) + ": " + problem->words.substr(1);
    if (problem->words.front() == skip_mark) {
      throw_on_all(Skip(words));
    }
    throw_on_all(Error(words));
  }
}

void agree_on_skip(const Communicator& communicator, const std::function<void()>& step) {
  std::string own;
  try {
    step();
  } catch (const Skip& skip) {
    own = skip.what();
  }
  if (const auto problem = lowest_problem(communicator, own)) {
    throw_on_all(Skip(problem->words));
  }
}

void require_same(const Communicator& communicator, std::uint64_t number, const std::string& what) {
  const auto own = static_cast<std::int64_t>(number);
  const std::int64_t of_first = communicator.broadcast(own);
  const std::int64_t differs = communicator.maximum(own == of_first ? 0 : communicator.rank());
  if (differs != 0) {
    throw_on_all(Error("rank " + std::to_string(differs) + " and rank 0 pass different " + what +
                       "; all ranks must pass the same; compare the arguments of both"));
  }
}

}  // namespace halocline::mpi
