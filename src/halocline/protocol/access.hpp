#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halocline/mpi/window.hpp"
#include "halocline/protocol/peers.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// A message that this rank puts to or gets from a peer's window.
template <class Bytes>
struct Remote {
  int peer;
  std::span<Bytes> payload;  // here
  std::size_t offset_bytes;  // there
};

/// The ranks that an exchange synchronises.
struct Peers {
  std::vector<int> targets;  // whose windows this rank accesses, each once
  std::vector<int> origins;  // who access this rank's window, each once
};

/// A number to or from a peer.
struct NumberFor {
  int peer;
  std::uint64_t number;
};

/// Sends numbers to peers and receives one from each of `expected`: the k-th from a peer is the
/// k-th that it sent to this rank. Every rank that sends or expects any must call it.
std::vector<std::uint64_t> swap_numbers(const mpi::Communicator& communicator,
                                        const std::vector<NumberFor>& outgoing,
                                        const std::vector<int>& expected);

/// One-sided calls of an exchange by puts: the messages that this rank sends.
class Puts {
 public:
  Puts(const mpi::Communicator& communicator, const Messages& messages);

  const Peers& peers() const { return peers_; }
  template <class Memory>  // mpi::Window, mpi::SymmetricMemory
  void issue(const Memory& window) const {
    for (const Remote<const std::byte>& put : puts_) {
      window.put(put.payload, put.peer, put.offset_bytes);
    }
  }

 private:
  Peers peers_;
  std::vector<Remote<const std::byte>> puts_;
};

/// One-sided calls of an exchange by gets: the messages that this rank receives.
class Gets {
 public:
  Gets(const mpi::Communicator& communicator, const Messages& messages);

  const Peers& peers() const { return peers_; }
  const std::vector<Remote<std::byte>>& messages() const { return gets_; }
  void issue(const mpi::Window& window) const {
    for (const Remote<std::byte>& get : gets_) {
      window.get(get.payload, get.peer, get.offset_bytes);
    }
  }

 private:
  Peers peers_;
  std::vector<Remote<std::byte>> gets_;
};

}  // namespace halocline::protocol
