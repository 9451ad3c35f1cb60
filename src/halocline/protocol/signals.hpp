#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "halocline/mpi/requests.hpp"
#include "halocline/mpi/window.hpp"
#include "halocline/protocol/access.hpp"

namespace halocline::protocol {

/// Signals, once per exchange, that data have arrived or may be fetched: here by empty messages.
class Notices {
 public:
  static std::size_t window_bytes(const std::vector<int>& /*from*/) { return 0; }

  Notices(const mpi::Communicator& communicator, const mpi::Window& /*window*/,
          std::size_t /*offset_bytes*/, std::vector<int> to, std::vector<int> from)
      : communicator_(communicator), to_(std::move(to)), from_(std::move(from)) {}

  /// Before await(), the earlier the better.
  void expect() {
    for (const int peer : from_) {
      receives_.receive(communicator_, {}, peer);
    }
  }
  /// What this rank has done in its own window and its peers' must be complete.
  void signal() {
    for (const int peer : to_) {
      sends_.send(communicator_, {}, peer);
    }
  }
  /// Returns when all peers have signalled.
  void await() {
    receives_.wait_all();
    sends_.wait_all();
  }

 private:
  const mpi::Communicator& communicator_;
  std::vector<int> to_;
  std::vector<int> from_;
  mpi::Requests receives_;
  mpi::Requests sends_;
};

/// The same by words in the windows, which their owners poll: no message is received. A word counts
/// its writer's signals.
class Flags {
 public:
  static std::size_t window_bytes(const std::vector<int>& from) { return from.size() * line_bytes; }

  /// This rank's words begin at `offset_bytes` of its window, which is locked.
  Flags(const mpi::Communicator& communicator, const mpi::Window& window, std::size_t offset_bytes,
        const std::vector<int>& to, const std::vector<int>& from);

  void expect() {}
  void signal();
  void await();

 private:
  static constexpr std::size_t line_bytes = 64;  // one word per line, to avoid false sharing

  struct Word {
    int peer;
    std::size_t offset_bytes;
  };

  const mpi::Communicator& communicator_;
  const mpi::Window& window_;
  std::vector<Word> words_there_;
  std::vector<std::uint64_t*> words_here_;
  std::uint64_t signalled_ = 0;
  std::uint64_t awaited_ = 0;
};

/// Why ranks cannot wait on flags: a protocol's `unusable`. Collective.
std::string flags_unseen(const mpi::Communicator& communicator, const Messages& messages);

}  // namespace halocline::protocol
