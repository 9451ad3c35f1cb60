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

/// A message of this rank. The place of its bytes depends on the protocol's request: in `payload`,
/// in the transport's memory from `offset_bytes` on (Windows), or in `boxes` (Form).
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

/// What a transport carries at each exchange. The buffers stay where they are. The k-th message to
/// a peer arrives as the peer's k-th from this rank.
struct Messages {
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  std::size_t window_bytes = 0;  // memory that the transport allocates for one of the sides
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

  /// The place of Messages::window_bytes, as long as the transport lives.
  virtual std::byte* window() { return nullptr; }
};

/// What the peers' receives must be when start() is called.
enum class Receives {
  anytime,       // may be posted later
  posted_before  // must be known to be posted: start() does not wait for a peer to say so
};

/// The side whose messages are in memory allocated by the transport, within reach of peers.
enum class Windows { none, sends, receives };

/// What a message is made of.
enum class Form {
  packed,  // one piece of memory
  boxes    // of fields, in place: for derived datatypes
};

/// How a route travels. One object per protocol, in its own file, made by define().
struct Protocol {
  std::string_view name;
  std::string_view summary;
  std::vector<mpi::Need> needs;
  Receives peer_receives = Receives::anytime;
  Windows windows = Windows::none;
  Form form = Form::packed;

  /// Why these messages cannot travel so over this communicator, although the library has all that
  /// the protocol needs; empty when they can. Collective, the same words on all ranks.
  std::string (*unusable)(const mpi::Communicator&, const Messages&) = nullptr;

  /// Collective, and so may each exchange be: every rank of the communicator takes part in all,
  /// also one without messages.
  std::unique_ptr<Transport> (*bind)(const mpi::Communicator&, const Messages&) = nullptr;
  /// Runs `there`, then `back`, again and again: each message answers the one before, and so also
  /// says that its sender has posted the receive of the next. One end leads: it sends first. The
  /// other end must have posted `there` and said so, and both are bound by this protocol.
  void (*alternate)(Transport& there, Transport& back, bool leads,
                    std::int64_t iterations) = nullptr;
};

/// Completes a protocol by the class of its transport, which is made from a communicator and
/// messages. Knowing the class, the loops cost no more than the bare MPI calls.
template <class Bound>
Protocol define(Protocol protocol) {
  protocol.bind = [](const mpi::Communicator& communicator,
                     const Messages& messages) -> std::unique_ptr<Transport> {
    return std::make_unique<Bound>(communicator, messages);
  };
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
