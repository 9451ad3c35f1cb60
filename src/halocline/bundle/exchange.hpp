#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "halocline/bundle/field.hpp"
#include "halocline/protocol/protocol.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// A route, carried by a protocol, for a bundle: moves the source's boxes to the destination, again
/// and again.
///
/// All fields of a box travel in one message. A box that lies in one piece is sent and received in
/// place; others go through a buffer of the exchange. Source, destination and communicator must
/// outlive it.
class Exchange {
 public:
  /// Throws Error when a leg's box is outside the bundle. Local, but all ranks of the route need
  /// one before any starts.
  Exchange(const route::Route& route, Bundle source, Bundle destination,
           const protocol::Protocol& protocol, const mpi::Communicator& communicator);

  /// Begins the exchange: the destination's boxes may be overwritten from now on and the source's
  /// must not change. Tells the peers by an empty message that receives are posted, where the
  /// protocol needs to know.
  void start();

  /// Returns when all boxes have arrived and the source may change again.
  void finish();

  /// As much of start() as lets the peers send.
  void post() { transport_->post(); }

  friend void alternate(Exchange& there, Exchange& back, bool leads, std::int64_t iterations);

 private:
  struct Staged {
    layout::Box box;
    std::vector<std::byte> buffer;
  };
  struct Local {
    layout::Box from;
    layout::Box to;
  };

  std::span<std::byte> place(const Bundle& bundle, const layout::Box& box,
                             std::vector<Staged>& staged) const;
  bool in_place() const { return outgoing_.empty() && incoming_.empty() && local_.empty(); }
  void start_told();
  void pack_outgoing();
  void unpack_incoming();
  void copy_local();
  void tell_posted();

  Bundle source_;
  Bundle destination_;
  std::vector<Staged> outgoing_;
  std::vector<Staged> incoming_;
  std::vector<Local> local_;
  const mpi::Communicator& communicator_;
  const protocol::Protocol& protocol_;
  std::set<int> senders_;
  std::set<int> receivers_;
  std::unique_ptr<protocol::Transport> transport_;
};

/// A conversation: `there`, then `back`, so many times, each message the answer to the one before.
/// The end that leads sends first; the other must have called there.post() and told so. Both
/// exchanges have the same protocol.
void alternate(Exchange& there, Exchange& back, bool leads, std::int64_t iterations);

}  // namespace halocline::bundle
