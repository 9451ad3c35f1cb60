#include "halocline/mpi/sparse_exchange.hpp"

#include <sched.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "halocline/mpi/agreement.hpp"

namespace halocline::mpi {
namespace {

void require_sendable(const std::vector<Letter>& outgoing) {
  for (const Letter& letter : outgoing) {
    if (letter.numbers.size() > static_cast<std::size_t>(INT_MAX)) {
      throw Error("a message of " + std::to_string(letter.numbers.size()) + " numbers to rank " +
                  std::to_string(letter.peer) +
                  " is too long; allowed: up to 2147483647; use more ranks");
    }
  }
}

/// Messages that match no others on the communicator.
struct Post {
  MPI_Comm handle;
  int tag;
};

/// Only to others: a rank keeps its letter to itself.
std::vector<MPI_Request> start_sends(const Post& post, int own_rank,
                                     const std::vector<Letter>& outgoing) {
  std::vector<MPI_Request> sends(outgoing.size(), MPI_REQUEST_NULL);
  for (std::size_t letter = 0; letter < outgoing.size(); ++letter) {
    if (outgoing[letter].peer == own_rank) {
      continue;
    }
    const LargeVector<std::int64_t>& numbers = outgoing[letter].numbers;
    HALOCLINE_MPI(MPI_Issend(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                             outgoing[letter].peer, post.tag, post.handle, &sends[letter]));
  }
  return sends;
}

/// Returns whether a letter was here.
bool receive_what_is_here(const Post& post, std::vector<Letter>& incoming) {
  int here = 0;
  MPI_Status status;
  HALOCLINE_MPI(MPI_Iprobe(MPI_ANY_SOURCE, post.tag, post.handle, &here, &status));
  if (here == 0) {
    return false;
  }
  int count = 0;
  HALOCLINE_MPI(MPI_Get_count(&status, MPI_INT64_T, &count));
  Letter letter{.peer = status.MPI_SOURCE,
                .numbers = LargeVector<std::int64_t>(static_cast<std::size_t>(count))};
  HALOCLINE_MPI(MPI_Recv(letter.numbers.data(), count, MPI_INT64_T, letter.peer, post.tag,
                         post.handle, MPI_STATUS_IGNORE));
  incoming.push_back(std::move(letter));
  return true;
}

}  // namespace

std::vector<Letter> sparse_exchange(const Communicator& communicator,
                                    const std::vector<Letter>& outgoing) {
  // No rank leaves the agreement before all have left the previous exchange, so letters of two
  // exchanges never mix.
  agreed(communicator, [&] { require_sendable(outgoing); });
  const Post post{.handle = communicator.handle(), .tag = tag::letter};
  std::vector<MPI_Request> sends = start_sends(post, communicator.rank(), outgoing);
  std::vector<Letter> incoming;
  std::ranges::copy_if(outgoing, std::back_inserter(incoming),
                       [&](const Letter& letter) { return letter.peer == communicator.rank(); });
  // Synchronous sends complete when received. A rank enters the barrier once its letters are; when
  // all have entered it, no letters are in flight.
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool entered = false;
  int done = 0;
  constexpr std::uint32_t looks_before_yield = 64;  // the awaited rank may need the core
  for (std::uint32_t looks = 1; done == 0; ++looks) {
    if (receive_what_is_here(post, incoming)) {
      continue;  // testing all sends once per letter would take quadratic time
    }
    if (looks % looks_before_yield == 0) {
      sched_yield();
    }
    if (entered) {
      HALOCLINE_MPI(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
      continue;
    }
    int sent = 0;
    HALOCLINE_MPI(
        MPI_Testall(static_cast<int>(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE));
    if (sent != 0) {
      HALOCLINE_MPI(MPI_Ibarrier(post.handle, &barrier));
      entered = true;
    }
  }
  std::ranges::sort(incoming, {}, &Letter::peer);
  return incoming;
}

}  // namespace halocline::mpi
