#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "halocline/bundle/field.hpp"
#include "halocline/bundle/side.hpp"
#include "halocline/protocol/protocol.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// Whether an exchange may keep fields in its protocol's memory, which saves copying them there. A
/// caller that allows it must ask where they are.
enum class Fields { stay, may_move };

/// Moves a bundle along a route by a protocol: from the source's boxes to the destination's,
/// repeatedly.
///
/// All fields of a box travel in one message. A contiguous box is sent and received in place;
/// others go through a buffer of the exchange, unless the protocol takes strided boxes. Source,
/// destination and communicator must outlive it.
class Exchange {
 public:
  /// Throws Error when a leg's box is outside the bundle, Skip when the protocol cannot carry this
  /// route here. Every rank of the communicator, with or without legs, makes one, then starts and
  /// finishes it as often as the others.
  Exchange(const route::Route& route, Bundle source, Bundle destination,
           const protocol::Protocol& protocol, const mpi::Communicator& communicator,
           Fields fields = Fields::stay);

  /// The same for ready-made parcels, none of them to this rank itself. The k-th to a peer is as
  /// long as the k-th that the peer expects.
  Exchange(std::vector<Parcel> sends, std::vector<Parcel> receives,
           const protocol::Protocol& protocol, const mpi::Communicator& communicator);

  /// Begins the exchange: from now on the destination's boxes may be overwritten and the source's
  /// must not change. Where the protocol needs it, an empty message notifies the peers that
  /// receives are posted.
  void start();

  /// Returns when all boxes have arrived and the source may change again.
  void finish();

  /// The part of start() that lets the peers send.
  void post() { transport_->post(); }

  /// Where the fields are now. Those that may move are in the protocol's memory, with their
  /// contents, if it wants their side's messages there. A field can move to one exchange only.
  const Bundle& source() const { return source_bundle_; }
  const Bundle& destination() const { return destination_bundle_; }

  /// Payload that leaves this rank in one exchange.
  std::size_t sent_bytes() const;
  /// The part of it that leaves this rank's node; takes the node of each rank of the communicator.
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

  friend void alternate(Exchange& there, Exchange& back, bool leads, std::int64_t iterations);

 private:
  void bind();
  bool in_place() const { return source_.in_place() && destination_.in_place() && local_.empty(); }
  void start_notified();
  void notify_posted();

  Bundle source_bundle_;
  Bundle destination_bundle_;
  Side source_;
  Side destination_;
  CopySet local_;
  const mpi::Communicator& communicator_;
  const protocol::Protocol& protocol_;
  std::set<int> senders_;
  std::set<int> receivers_;
  std::unique_ptr<protocol::Transport> transport_;
};

/// A ping-pong: `there`, then `back`, repeatedly, each message the answer to the one before. The
/// leading end sends first; the other must have called there.post() and said so. Both exchanges
/// have the same protocol.
void alternate(Exchange& there, Exchange& back, bool leads, std::int64_t iterations);

}  // namespace halocline::bundle
