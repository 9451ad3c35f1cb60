#include "halocline/numerics/vector_sum.hpp"

#include <algorithm>

#include "halocline/mpi/collectives.hpp"

namespace halocline::numerics {
namespace {

template <class Real>
void add(std::span<Real> to, std::span<const Real> numbers) {
  for (std::size_t index = 0; index < to.size(); ++index) {
    to[index] += numbers[index];
  }
}

/// Whether this rank is the lower of the two that exchange at this distance.
bool is_lower(int rank, int distance) { return rank / distance % 2 == 0; }

int partner_of(int rank, int distance) {
  return is_lower(rank, distance) ? rank + distance : rank - distance;
}

}  // namespace

template <class Real>
VectorSum<Real>::VectorSum(LegendreWay way, const mpi::Communicator& communicator,
                           std::size_t length)
    : way_(way), communicator_(communicator), arrived_(length) {}

template <class Real>
void VectorSum<Real>::sum(std::span<Real> numbers) {
  if (communicator_.size() == 1) {
    return;
  }
  if (way_ == LegendreWay::halving) {
    by_halving(numbers);
  } else if (way_ == LegendreWay::ring) {
    by_ring(numbers);
  } else {
    mpi::Collectives(communicator_).all_reduce(std::span<const Real>(numbers), arrived_);
    std::ranges::copy(arrived_, numbers.begin());
  }
}

/// Recursive halving. Neighbours add first, so that the order is that of a binary tree over the
/// ranks; each round sends half of what a rank still has to a partner twice as far away.
template <class Real>
void VectorSum<Real>::by_halving(std::span<Real> numbers) {
  const int rank = communicator_.rank();
  std::vector<std::span<Real>> kept{numbers};
  std::vector<std::span<Real>> given;
  for (int distance = 1; distance < communicator_.size(); distance *= 2) {
    const std::span<Real> whole = kept.back();
    const std::span<Real> low = whole.first(whole.size() / 2);
    const std::span<Real> high = whole.subspan(whole.size() / 2);
    const bool keeps_low = is_lower(rank, distance);
    kept.push_back(keeps_low ? low : high);
    given.push_back(keeps_low ? high : low);
    const int partner = partner_of(rank, distance);
    const std::span<Real> arrived = std::span(arrived_).first(kept.back().size());
    exchange(given.back(), partner, arrived, partner);
    add<Real>(kept.back(), arrived);
  }
  for (int distance = communicator_.size() / 2; distance > 0; distance /= 2) {
    const int partner = partner_of(rank, distance);
    exchange(kept.back(), partner, given.back(), partner);
    kept.pop_back();
    given.pop_back();
  }
}

template <class Real>
void VectorSum<Real>::by_ring(std::span<Real> numbers) {
  const int ranks = communicator_.size();
  const int rank = communicator_.rank();
  const int next = (rank + 1) % ranks;
  const int before = (rank + ranks - 1) % ranks;
  for (int step = 0; step < ranks - 1; ++step) {
    const std::span<Real> to = part(numbers, (rank + 2 * ranks - step - 1) % ranks);
    const std::span<Real> arrived = std::span(arrived_).first(to.size());
    exchange(part(numbers, (rank + ranks - step) % ranks), next, arrived, before);
    add<Real>(to, arrived);
  }
  for (int step = 0; step < ranks - 1; ++step) {
    exchange(part(numbers, (rank + 1 + ranks - step) % ranks), next,
             part(numbers, (rank + ranks - step) % ranks), before);
  }
}

template <class Real>
std::span<Real> VectorSum<Real>::part(std::span<Real> numbers, int index) const {
  const Block block = block_of(static_cast<int>(numbers.size()), communicator_.size(), index);
  return numbers.subspan(static_cast<std::size_t>(block.begin),
                         static_cast<std::size_t>(block.count));
}

template <class Real>
void VectorSum<Real>::exchange(std::span<const Real> out, int to, std::span<Real> in,
                               int from) const {
  communicator_.send_receive(std::as_bytes(out), to, std::as_writable_bytes(in), from);
}

template <class Real>
std::size_t VectorSum<Real>::sent_bytes() const {
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  return 2 * arrived_.size() * sizeof(Real) * (ranks - 1) / ranks;
}

template class VectorSum<float>;
template class VectorSum<double>;

}  // namespace halocline::numerics
