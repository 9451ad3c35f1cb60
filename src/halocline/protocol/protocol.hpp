#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "halocline/mpi/capability.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::protocol {

struct Outgoing {
  int peer;
  std::span<const std::byte> payload;
};

struct Incoming {
  int peer;
  std::span<std::byte> payload;
};

/// What a transport carries at each exchange. The buffers stay where they are. The k-th message to
/// a peer arrives as the peer's k-th from this rank.
struct Messages {
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
};

/// A protocol bound to messages: runs the same exchange again and again.
///
/// Each exchange is start(), then finish(). post() may come before start(): from then on incoming
/// payload may overwrite the receive buffers.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Posts the receives now, where the protocol posts any before it sends.
  virtual void post() {}
  virtual void start() = 0;
  /// Returns when the payload has arrived and the send buffers may be written again.
  virtual void finish() = 0;
};

/// What the peers' receives must be when start() is called.
enum class Receives {
  anytime,       // may be posted later
  posted_before  // must be known to be posted: start() sends nothing that could tell
};

/// How a route travels. One object for each protocol, in a file of its own.
struct Protocol {
  std::string_view name;
  std::string_view summary;
  std::vector<mpi::Need> needs;
  Receives peer_receives;
  std::unique_ptr<Transport> (*bind)(const mpi::Communicator&, Messages);
};

}  // namespace halocline::protocol
