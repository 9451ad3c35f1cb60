#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/mpi/capability.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/datatype.hpp"

namespace halocline::protocol {

/// A message of this rank. Where its bytes are depends on what the protocol asks for: in `payload`,
/// in the transport's memory at `offset_bytes` (Windows), or in `boxes` (Form).
template <class Bytes>
struct Message {
  int peer;
  std::span<Bytes> payload = {};
  std::size_t size_bytes = payload.size();
  std::size_t offset_bytes = 0;
  // NOLINTNEXTLINE(readability-redundant-member-init): GCC warns where it is not designated
  std::vector<Strided> boxes = {};
};
using Outgoing = Message<const std::byte>;
using Incoming = Message<std::byte>;

/// What a transport carries in each exchange. The buffers stay in place. The k-th message to a peer
/// arrives as the peer's k-th from this rank.
struct Messages {
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  std::size_t window_bytes = 0;  // memory that the transport allocates for one of the sides
};

/// For protocols that carry each message by a separate call.
void require_each_countable(const mpi::Communicator& communicator, const Messages& messages);

/// A protocol bound to messages: runs the same exchange repeatedly.
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

  /// The address of Messages::window_bytes, valid while the transport lives.
  virtual std::byte* window() { return nullptr; }
};

/// State of the peers' receives required when start() is called.
enum class Receives {
  anytime,       // may be posted later
  posted_before  // must be known to be posted: start() does not wait for the peer's notice
};

/// The side whose messages are in the transport's memory, accessible to peers.
enum class Windows { none, sends, receives };

/// The restriction of protocols whose start() returns only after others have called theirs.
inline constexpr std::string_view waits_in_start = "its start() waits for other ranks";

/// What a message is made of.
enum class Form {
  packed,  // one piece of memory
  boxes    // of fields, in place, for derived datatypes
};

/// How a route travels. One object per protocol, in its own file, made by define().
struct Protocol {
  std::string_view name;
  std::string_view summary;
  std::vector<mpi::Need> needs;
  Receives peer_receives = Receives::anytime;
  Windows windows = Windows::none;
  Form form = Form::packed;

  /// What it forbids programs that isend_irecv allows; empty: nothing. Programs that left the
  /// choice open may deadlock or fail with it. Set by define().
  // NOLINTNEXTLINE(readability-redundant-member-init): GCC warns where it is not designated
  std::string_view restriction = {};

  /// Why these messages cannot travel this way over this communicator, although the library has all
  /// that the protocol needs; empty when they can. Collective, the same text on all ranks.
  std::string (*unusable)(const mpi::Communicator&, const Messages&) = nullptr;

  /// Throws Error where MPI, which counts by int, cannot count this rank's messages. Null where
  /// nothing is counted. Local; before bind() all ranks agree on it, as bind() and exchanges that
  /// throw on one rank leave others waiting.
  void (*require_countable)(const mpi::Communicator&, const Messages&) = require_each_countable;

  /// Collective, and so may each exchange be: every rank of the communicator takes part in all of
  /// them, even without messages.
  std::unique_ptr<Transport> (*bind)(const mpi::Communicator&, const Messages&) = nullptr;
  /// Runs `there`, then `back`, repeatedly: each message answers the one before, and so also
  /// notifies that its sender has posted the receive of the next. The leading end sends first. The
  /// other must have posted `there` and said so; both are bound by this protocol.
  void (*alternate)(Transport& there, Transport& back, bool leads,
                    std::int64_t iterations) = nullptr;
};

/// Completes a protocol with its transport's class, constructed from a communicator and messages. A
/// class that needs more than each message to be countable has a static require_countable(), one
/// that restricts programs a static `restriction`.
/// Since the loops know the class, they cost no more than the bare MPI calls.
template <class Bound>
Protocol define(Protocol protocol) {
  protocol.bind = [](const mpi::Communicator& communicator,
                     const Messages& messages) -> std::unique_ptr<Transport> {
    return std::make_unique<Bound>(communicator, messages);
  };
  if constexpr (requires { &Bound::require_countable; }) {
    protocol.require_countable = &Bound::require_countable;
  }
  if constexpr (requires { Bound::restriction; }) {
    protocol.restriction = Bound::restriction;
  } else if (protocol.peer_receives == Receives::posted_before) {
    protocol.restriction = waits_in_start;  // for the peers' notices
  }
  protocol.alternate = [](Transport& any_there, Transport& any_back, bool leads,
                          std::int64_t iterations) {
    auto& there = static_cast<Bound&>(any_there);
    auto& back = static_cast<Bound&>(any_back);
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      if (leads) {
        back.post();
      }
      there.start();
      there.finish();
      if (!leads && iteration + 1 < iterations) {
        there.post();
      }
      back.start();
      back.finish();
    }
  };
  return protocol;
}

}  // namespace halocline::protocol
