#include "halocline/bundle/exchange.hpp"

#include <string>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/mpi/requests.hpp"

namespace halocline::bundle {
namespace {

using protocol::Windows;

void require_inside(const Bundle& bundle, const std::vector<route::Leg>& legs, const char* side) {
  for (const route::Leg& leg : legs) {
    for (const Field& field : bundle) {
      if (!field.extent.contains(leg.box)) {
        throw Error(std::string{"the route's box for rank "} + std::to_string(leg.peer) +
                    " is not inside the " + side + "; build route and bundle from the same layout");
      }
    }
  }
}

std::vector<route::Leg> between(const std::vector<route::Leg>& legs, int rank) {
  std::vector<route::Leg> to_others = legs;
  std::erase_if(to_others, [rank](const route::Leg& leg) { return leg.peer == rank; });
  return to_others;
}

Side side_of(Bundle bundle, const std::vector<route::Leg>& legs, const char* name,
             const protocol::Protocol& protocol, Windows windows,
             const mpi::Communicator& communicator, Fields fields) {
  require_inside(bundle, legs, name);
  return {std::move(bundle), between(legs, communicator.rank()),
          Wanted{.form = protocol.form, .in_window = protocol.windows == windows}, fields};
}

std::unique_ptr<protocol::Transport> bind(const protocol::Protocol& protocol,
                                          const mpi::Communicator& communicator, Side& source,
                                          Side& destination) {
  protocol::Messages messages{.sends = source.messages<protocol::Outgoing>(),
                              .receives = destination.messages<protocol::Incoming>()};
  messages.window_bytes = source.window_bytes() + destination.window_bytes();  // one of them
  if (protocol.unusable != nullptr) {
    if (const std::string reason = protocol.unusable(communicator, messages); !reason.empty()) {
      throw Skip(reason);
    }
  }
  auto transport = protocol.bind(communicator, messages);
  source.use_window(transport->window());
  destination.use_window(transport->window());
  return transport;
}

}  // namespace

Exchange::Exchange(const route::Route& route, Bundle source, Bundle destination,
                   const protocol::Protocol& protocol, const mpi::Communicator& communicator,
                   Fields fields)
    : source_(side_of(std::move(source), route.sends, "source", protocol, Windows::sends,
                      communicator, fields)),
      destination_(side_of(std::move(destination), route.receives, "destination", protocol,
                           Windows::receives, communicator, fields)),
      communicator_(communicator),
      protocol_(protocol) {
  std::vector<layout::Box> from_self;
  for (const route::Leg& leg : route.sends) {
    if (leg.peer == communicator.rank()) {
      from_self.push_back(leg.box);
    } else {
      receivers_.insert(leg.peer);
    }
  }
  for (const route::Leg& leg : route.receives) {
    if (leg.peer == communicator.rank()) {
      local_.push_back({.from = from_self.at(local_.size()), .to = leg.box});
    } else {
      senders_.insert(leg.peer);
    }
  }
  transport_ = bind(protocol, communicator, source_, destination_);
}

void Exchange::start() {
  if (protocol_.peer_receives == protocol::Receives::posted_before) {
    transport_->post();
    tell_posted();
  }
  start_told();
}

void Exchange::start_told() {
  if (!source_.in_place()) {
    source_.pack();
  }
  transport_->start();
}

void Exchange::tell_posted() {
  mpi::Requests notices;
  for (const int receiver : receivers_) {
    notices.receive_notice(communicator_, receiver);
  }
  for (const int sender : senders_) {
    notices.send_notice(communicator_, sender);
  }
  notices.wait_all();
}

void Exchange::finish() {
  transport_->finish();
  if (!destination_.in_place()) {
    destination_.unpack();
  }
  if (!local_.empty()) {
    copy_local();
  }
}

void Exchange::copy_local() {
  for (const Local& local : local_) {
    std::vector<std::byte> packed(packed_bytes(source(), local.from));
    pack(source(), local.from, packed);
    unpack(packed, destination(), local.to);
  }
}

std::size_t Exchange::sent_bytes() const {
  std::size_t bytes = 0;
  for (const route::Leg& leg : source_.legs()) {
    bytes += source_.message_bytes(leg);
  }
  return bytes;
}

std::size_t Exchange::off_node_bytes(std::span<const int> node_of_rank) const {
  const auto node = [node_of_rank](int rank) {
    return node_of_rank[static_cast<std::size_t>(rank)];
  };
  std::size_t bytes = 0;
  for (const route::Leg& leg : source_.legs()) {
    if (node(leg.peer) != node(communicator_.rank())) {
      bytes += source_.message_bytes(leg);
    }
  }
  return bytes;
}

void alternate(Exchange& there, Exchange& back, bool leads, std::int64_t iterations) {
  if (there.in_place() && back.in_place()) {
    there.protocol_.alternate(*there.transport_, *back.transport_, leads, iterations);
    return;
  }
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    if (leads) {
      back.post();
    }
    there.start_told();
    there.finish();
    if (!leads && iteration + 1 < iterations) {
      there.post();
    }
    back.start_told();
    back.finish();
  }
}

}  // namespace halocline::bundle
