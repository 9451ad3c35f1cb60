#include "halocline/bundle/exchange.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/requests.hpp"
#include "halocline/mpi/unwinding.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::bundle {
namespace {

using protocol::Windows;

void require_inside(const Bundle& bundle, const std::vector<route::Leg>& legs, const char* side) {
  for (const route::Leg& leg : legs) {
    for (const Field& field : bundle) {
      if (!field.extent.contains(box_in(field, leg))) {
        throw Error(std::string{"the route's box for rank "} + std::to_string(leg.peer) +
                    " is not inside the " + side + "; build route and bundle from the same layout");
      }
    }
  }
}

/// A parcel for each leg to another rank.
std::vector<Parcel> parcels(const Bundle& bundle, const std::vector<route::Leg>& legs, int rank,
                            const char* side) {
  require_inside(bundle, legs, side);
  std::vector<Parcel> all;
  for (const route::Leg& leg : legs) {
    if (leg.peer != rank) {
      Parcel& parcel = all.emplace_back(Parcel{.peer = leg.peer, .boxes = {}});
      for (const Field& field : bundle) {
        parcel.boxes.push_back(strided(field, leg));
      }
    }
  }
  return all;
}

std::span<std::byte> movable(const Bundle& bundle, Fields fields) {
  return fields == Fields::may_move && bundle.size() == 1
             ? contiguous(bundle, bundle.front().extent)
             : std::span<std::byte>{};
}

Wanted wanted(const protocol::Protocol& protocol, Windows windows) {
  return {.form = protocol.form, .in_window = protocol.windows == windows};
}

std::vector<route::Leg> legs_with(int rank, const std::vector<route::Leg>& legs) {
  std::vector<route::Leg> with_rank;
  std::ranges::copy_if(legs, std::back_inserter(with_rank),
                       [rank](const route::Leg& leg) { return leg.peer == rank; });
  return with_rank;
}

}  // namespace

Exchange::Exchange(const route::Route& route, Bundle source, Bundle destination,
                   const protocol::Protocol& protocol, const mpi::Communicator& communicator,
                   Fields fields)
    : source_bundle_(std::move(source)),
      destination_bundle_(std::move(destination)),
      source_(parcels(source_bundle_, route.sends, communicator.rank(), "source"),
              wanted(protocol, Windows::sends), movable(source_bundle_, fields)),
      destination_(parcels(destination_bundle_, route.receives, communicator.rank(), "destination"),
                   wanted(protocol, Windows::receives), movable(destination_bundle_, fields)),
      communicator_(communicator),
      protocol_(protocol) {
  bind();
  const auto from_self = legs_with(communicator.rank(), route.sends);
  const auto to_self = legs_with(communicator.rank(), route.receives);
  std::vector<Copy> local;
  for (std::size_t index = 0; index < to_self.size(); ++index) {
    for (std::size_t field = 0; field < source_bundle_.size(); ++field) {
      local.emplace_back(strided(destination_bundle_.at(field), to_self[index]),
                         strided(source_bundle_[field], from_self.at(index)));
    }
  }
  local_ = CopySet(std::move(local));
}

Exchange::Exchange(std::vector<Parcel> sends, std::vector<Parcel> receives,
                   const protocol::Protocol& protocol, const mpi::Communicator& communicator)
    : source_(std::move(sends), wanted(protocol, Windows::sends)),
      destination_(std::move(receives), wanted(protocol, Windows::receives)),
      communicator_(communicator),
      protocol_(protocol) {
  bind();
}

void Exchange::bind() {
  for (const Parcel& parcel : source_.parcels()) {
    receivers_.insert(parcel.peer);
  }
  for (const Parcel& parcel : destination_.parcels()) {
    senders_.insert(parcel.peer);
  }
  protocol::Messages messages;
  mpi::agreed(communicator_, [&] {  // a rank may lack the memory for its buffers
    messages.sends = source_.messages<protocol::Outgoing>();
    messages.receives = destination_.messages<protocol::Incoming>();
  });
  messages.window_bytes = source_.window_bytes() + destination_.window_bytes();  // one of them
  std::string reason = protocol::missing(protocol_);
  if (reason.empty() && protocol_.unusable != nullptr) {
    reason = protocol_.unusable(communicator_, messages);
  }
  if (!reason.empty()) {
    mpi::throw_on_all(Skip(reason));
  }
  if (protocol_.require_countable != nullptr) {
    mpi::agreed(communicator_, [&] {
      try {
        protocol_.require_countable(communicator_, messages);
      } catch (const Error& error) {  // all ranks know: another way may do
        throw Skip(error.what());
      }
    });
  }
  transport_ = protocol_.bind(communicator_, messages);
  source_.use_window(transport_->window());
  destination_.use_window(transport_->window());
  if (source_.moved_to() != nullptr) {
    source_bundle_.front().data = source_.moved_to();
  }
  if (destination_.moved_to() != nullptr) {
    destination_bundle_.front().data = destination_.moved_to();
  }
}

void Exchange::start() {
  if (protocol_.peer_receives == protocol::Receives::posted_before) {
    transport_->post();
    notify_posted();
  }
  start_notified();
}

void Exchange::start_notified() {
  if (!source_.in_place()) {
    source_.pack();
  }
  transport_->start();
}

void Exchange::notify_posted() {
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
  local_.run();
}

std::size_t Exchange::sent_bytes() const {
  std::size_t bytes = 0;
  for (const Parcel& parcel : source_.parcels()) {
    bytes += parcel.size_bytes();
  }
  return bytes;
}

std::size_t Exchange::off_node_bytes(std::span<const int> node_of_rank) const {
  const auto node = [node_of_rank](int rank) {
    return node_of_rank[static_cast<std::size_t>(rank)];
  };
  std::size_t bytes = 0;
  for (const Parcel& parcel : source_.parcels()) {
    if (node(parcel.peer) != node(communicator_.rank())) {
      bytes += parcel.size_bytes();
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
    there.start_notified();
    there.finish();
    if (!leads && iteration + 1 < iterations) {
      there.post();
    }
    back.start_notified();
    back.finish();
  }
}

}  // namespace halocline::bundle
