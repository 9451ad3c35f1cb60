#include "halocline/bundle/exchange.hpp"

#include <string>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/mpi/requests.hpp"

namespace halocline::bundle {
namespace {

using protocol::Messages;

void require_inside(const Bundle& bundle, const route::Leg& leg, const char* side) {
  for (const Field& field : bundle) {
    if (!field.extent.contains(leg.box)) {
      throw Error(std::string{"the route's box for rank "} + std::to_string(leg.peer) +
                  " is not inside the " + side + "; build route and bundle from the same layout");
    }
  }
}

}  // namespace

Exchange::Exchange(const route::Route& route, Bundle source, Bundle destination,
                   const protocol::Protocol& protocol, const mpi::Communicator& communicator)
    : source_(std::move(source)),
      destination_(std::move(destination)),
      communicator_(communicator),
      protocol_(protocol) {
  Messages messages;
  std::vector<layout::Box> from_self;
  for (const route::Leg& leg : route.sends) {
    require_inside(source_, leg, "source");
    if (leg.peer == communicator.rank()) {
      from_self.push_back(leg.box);
    } else {
      receivers_.insert(leg.peer);
      messages.sends.push_back({.peer = leg.peer, .payload = place(source_, leg.box, outgoing_)});
    }
  }
  for (const route::Leg& leg : route.receives) {
    require_inside(destination_, leg, "destination");
    if (leg.peer == communicator.rank()) {
      local_.push_back({.from = from_self.at(local_.size()), .to = leg.box});
    } else {
      senders_.insert(leg.peer);
      messages.receives.push_back(
          {.peer = leg.peer, .payload = place(destination_, leg.box, incoming_)});
    }
  }
  transport_ = protocol.bind(communicator, messages);
}

std::span<std::byte> Exchange::place(const Bundle& bundle, const layout::Box& box,
                                     std::vector<Staged>& staged) const {
  const std::span<std::byte> in_place = contiguous(bundle, box);
  if (!in_place.empty() || box.empty()) {
    return in_place;
  }
  staged.push_back({.box = box, .buffer = std::vector<std::byte>(packed_bytes(bundle, box))});
  return staged.back().buffer;
}

void Exchange::start() {
  if (protocol_.peer_receives == protocol::Receives::posted_before) {
    transport_->post();
    tell_posted();
  }
  start_told();
}

void Exchange::start_told() {
  if (!outgoing_.empty()) {
    pack_outgoing();
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
  if (!incoming_.empty()) {
    unpack_incoming();
  }
  if (!local_.empty()) {
    copy_local();
  }
}

void Exchange::pack_outgoing() {
  for (Staged& staged : outgoing_) {
    pack(source_, staged.box, staged.buffer);
  }
}

void Exchange::unpack_incoming() {
  for (const Staged& staged : incoming_) {
    unpack(staged.buffer, destination_, staged.box);
  }
}

void Exchange::copy_local() {
  for (const Local& local : local_) {
    std::vector<std::byte> packed(packed_bytes(source_, local.from));
    pack(source_, local.from, packed);
    unpack(packed, destination_, local.to);
  }
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
