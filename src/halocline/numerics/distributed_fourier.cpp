#include "halocline/numerics/distributed_fourier.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace halocline::numerics {
namespace {

/// Swaps an entire array with a peer. Arrays of a rank without a peer have length 0.
template <class Real>
std::unique_ptr<bundle::Exchange> swap_with(int peer, Array<Real>& outgoing, Array<Real>& incoming,
                                            const protocol::Protocol& protocol,
                                            const mpi::Communicator& communicator) {
  constexpr std::size_t element_bytes = std::size_t{2} * lanes_of<Real> * sizeof(Real);
  const auto field = [](Array<Real>& array) {
    return bundle::Field{.data = array.bytes(),
                         .element_bytes = element_bytes,
                         .extent = layout::Box::line(
                             static_cast<layout::Index>(array.size_bytes() / element_bytes))};
  };
  const bundle::Field from = field(outgoing);
  const bundle::Field to = field(incoming);
  route::Route route;
  if (outgoing.size_bytes() > 0) {
    route.sends.push_back({.peer = peer, .box = from.extent});
  }
  if (incoming.size_bytes() > 0) {
    route.receives.push_back({.peer = peer, .box = to.extent});
  }
  return std::make_unique<bundle::Exchange>(route, bundle::Bundle{from}, bundle::Bundle{to},
                                            protocol, communicator);
}

/// The p whose frequencies mirror those of this one.
int partner_of(const SpherePlace& place) {
  const int ranks = place.way.along_longitude;
  const int wanted = (ranks - place.sharing.frequency_class(place.p)) % ranks;
  int p = 0;
  while (place.sharing.frequency_class(p) != wanted) {
    ++p;
  }
  return p;
}

}  // namespace

template <class Real>
DistributedFourier<Real>::DistributedFourier(const SpherePlace& place, int lines, bool to_grid,
                                             const mpi::Communicator& communicator, Pages pages)
    : plan_(place.sharing.longitudes(place.p).count),
      lines_(lines),
      points_(static_cast<std::size_t>(lines * line_length()), pages),
      others_(static_cast<std::size_t>(lines * line_length()), pages),
      own_mirrors_(mirrors_length(place, place.p), pages),
      guest_mirrors_(mirrors_length(place, partner_of(place)), pages) {
  for (int distance = place.way.along_longitude / 2; distance > 0; distance /= 2) {
    passes_.push_back(pass_of(place, distance, communicator));
  }
  const int partner = partner_of(place);
  find_places(place, partner);
  if (place.way.along_longitude > 2) {
    mirrors_ =
        swap_with(place.sharing.rank(partner, place.q), to_grid ? own_mirrors_ : guest_mirrors_,
                  to_grid ? guest_mirrors_ : own_mirrors_, *place.way.protocol, communicator);
  }
}

/// Length for the orders at p, in all lines; 0 if their mirrors are already here.
template <class Real>
std::size_t DistributedFourier<Real>::mirrors_length(const SpherePlace& place, int p) const {
  return partner_of(place) == place.p
             ? 0
             : place.sharing.fourier_orders(p).size() * static_cast<std::size_t>(lines_ * width);
}

/// A pass between points that are `distance` ranks apart.
template <class Real>
DistributedFourier<Real>::Pass DistributedFourier<Real>::pass_of(
    const SpherePlace& place, int distance, const mpi::Communicator& communicator) {
  const bool upper = place.p / distance % 2 == 1;
  const int other = upper ? place.p - distance : place.p + distance;
  Pass pass{.upper = upper,
            .twiddle = {},
            .exchange = swap_with(place.sharing.rank(other, place.q), points_, others_,
                                  *place.way.protocol, communicator)};
  const int half = plan_.length * distance;
  const int first = plan_.length * (place.p % distance);
  for (int point = 0; upper && point < plan_.length; ++point) {
    const long double angle = -std::numbers::pi_v<long double> * (first + point) / half;
    pass.twiddle.push_back(static_cast<Real>(std::cos(angle)));
    pass.twiddle.push_back(static_cast<Real>(std::sin(angle)));
  }
  return pass;
}

template <class Real>
void DistributedFourier<Real>::find_places(const SpherePlace& place, int partner) {
  const int ranks = place.way.along_longitude;
  const int first = place.sharing.frequency_class(place.p);
  const auto place_of = [&](int frequency) {
    return plan_.place[static_cast<std::size_t>((frequency - first) / ranks)];
  };
  const auto mirror_of = [&](int order) {
    return order == 0 ? -1 : place_of(place.all_longitudes - order);
  };
  for (const int order : place.sharing.fourier_orders(place.p)) {
    own_.mirrors.push_back(partner == place.p ? mirror_of(order)
                                              : static_cast<int>(own_.orders.size()));
    own_.orders.push_back(place_of(order));
  }
  if (partner != place.p) {
    std::ranges::transform(place.sharing.fourier_orders(partner), std::back_inserter(guests_),
                           mirror_of);
  }
}

template <class Real>
Real* DistributedFourier<Real>::mirrors_of(int index) {
  return own_mirrors_.size_bytes() == 0
             ? line(index)
             : own_mirrors_.data() +
                   index * static_cast<std::ptrdiff_t>(own_.orders.size()) * width;
}

template <class Real>
void DistributedFourier<Real>::spread(int index, FourierRow<const Real> row) {
  std::fill_n(line(index), line_length(), Real{0});  // own_ does not list the points of no order
  vector_kernels<Real>().spread(own_.places(), row, line(index), mirrors_of(index));
}

template <class Real>
void DistributedFourier<Real>::gather(int index, Real factor, FourierRow<Real> row) {
  vector_kernels<Real>().gather(own_.places(), factor, line(index), mirrors_of(index), row);
}

/// Copies between the array that travels and the places among the points.
template <class Real>
void DistributedFourier<Real>::copy_guests(bool to_points) {
  Real* guest = guest_mirrors_.data();
  for (int index = 0; index < lines_; ++index) {
    for (const int place : guests_) {
      Real* const here = line(index) + place * width;
      std::copy_n(to_points ? guest : here, width, to_points ? here : guest);
      guest += width;
    }
  }
}

template <class Real>
void DistributedFourier<Real>::to_points(const OnPhase& begin) {
  if (mirrors_) {
    begin(SpherePhase::transpose);
    carry(*mirrors_);
    begin(SpherePhase::fft);
    copy_guests(true);
  }
  for (int index = 0; index < lines_; ++index) {
    vector_kernels<Real>().inverse(plan_, line(index));
  }
  for (std::size_t left = passes_.size(); left-- > 0;) {
    const Pass& pass = passes_[left];
    turn(pass, 1);
    begin(SpherePhase::transpose);
    carry(*pass.exchange);
    begin(SpherePhase::fft);
    add(pass);
  }
}

template <class Real>
void DistributedFourier<Real>::from_points(const OnPhase& begin) {
  for (const Pass& pass : passes_) {
    begin(SpherePhase::transpose);
    carry(*pass.exchange);
    begin(SpherePhase::fft);
    add(pass);
    turn(pass, -1);
  }
  for (int index = 0; index < lines_; ++index) {
    vector_kernels<Real>().forward(plan_, line(index));
  }
  if (mirrors_) {
    copy_guests(false);
    begin(SpherePhase::transpose);
    carry(*mirrors_);
    begin(SpherePhase::fft);
  }
}

/// Lower half: sum of both halves. Upper half: their difference.
template <class Real>
void DistributedFourier<Real>::add(const Pass& pass) {
  const std::span<Real> here = points_.numbers();
  const std::span<const Real> there = others_.numbers();
  const Real sign = pass.upper ? Real{-1} : Real{1};
  for (std::size_t index = 0; index < here.size(); ++index) {
    here[index] = there[index] + sign * here[index];
  }
}

/// Multiplies by the twiddles or, for a positive sign, by their conjugates.
template <class Real>
void DistributedFourier<Real>::turn(const Pass& pass, int sign) {
  if (!pass.upper) {
    return;
  }
  constexpr int lanes = lanes_of<Real>;
  for (int index = 0; index < lines_; ++index) {
    Real* point = line(index);
    for (std::size_t part = 0; part < pass.twiddle.size(); part += 2) {
      const Real re = pass.twiddle[part];
      const Real im = sign < 0 ? pass.twiddle[part + 1] : -pass.twiddle[part + 1];
      for (int lane = 0; lane < lanes; ++lane) {
        const Real old = point[lane];
        point[lane] = re * old - im * point[lanes + lane];
        point[lanes + lane] = re * point[lanes + lane] + im * old;
      }
      point += width;
    }
  }
}

template <class Real>
template <class Visit>
void DistributedFourier<Real>::visit_exchanges(Visit visit) const {
  for (const Pass& pass : passes_) {
    visit(*pass.exchange);
  }
  if (mirrors_) {
    visit(*mirrors_);
  }
}

template <class Real>
std::size_t DistributedFourier<Real>::sent_bytes() const {
  std::size_t bytes = 0;
  visit_exchanges([&](const bundle::Exchange& exchange) { bytes += exchange.sent_bytes(); });
  return bytes;
}

template <class Real>
std::size_t DistributedFourier<Real>::off_node_bytes(std::span<const int> node_of_rank) const {
  std::size_t bytes = 0;
  visit_exchanges(
      [&](const bundle::Exchange& exchange) { bytes += exchange.off_node_bytes(node_of_rank); });
  return bytes;
}

template class DistributedFourier<float>;
template class DistributedFourier<double>;

}  // namespace halocline::numerics
