#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halocline/mpi/window.hpp"
#include "halocline/protocol/peers.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// A message that this rank moves by itself, to or from a peer's window.
template <class Bytes>
struct Remote {
  int peer;
  std::span<Bytes> payload;  // here
  std::size_t offset_bytes;  // there
};

/// Who has to know of whom.
struct Peers {
  std::vector<int> targets;  // whose windows this rank reaches into, each once
  std::vector<int> origins;  // who reach into this rank's window, each once
};

/// A number for a peer.
struct Told {
  int peer;
  std::uint64_t number;
};

/// Tells peers numbers and is told one for each of `expected`: the k-th from a peer is the k-th
/// that it told this rank. Every rank with anything to tell or to learn must call it.
std::vector<std::uint64_t> swap_numbers(const mpi::Communicator& communicator,
                                        const std::vector<Told>& told,
                                        const std::vector<int>& expected);

/// The one-sided calls of an exchange that puts: the messages that this rank sends.
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

/// The one-sided calls of an exchange that gets: the messages that this rank receives.
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
