#pragma once

#include <optional>
#include <span>
#include <vector>

#include "halocline/mpi/communicator.hpp"
#include "halocline/numerics/sphere_sharing.hpp"

namespace halocline::numerics {

/// Sums long vectors over the ranks of a communicator; each rank gets the result.
template <class Real>
class VectorSum {
 public:
  /// `way` must not be LegendreWay::transpose. The communicator must outlive it.
  VectorSum(LegendreWay way, const mpi::Communicator& communicator, std::size_t length);

  /// Collective, in place.
  void sum(std::span<Real> numbers);
  /// Payload that this rank sends, in bytes.
  std::size_t sent_bytes() const;

 private:
  void by_halving(std::span<Real> numbers);
  void by_ring(std::span<Real> numbers);
  std::span<Real> part(std::span<Real> numbers, int index) const;
  void exchange(std::span<const Real> out, int to, std::span<Real> in, int from) const;

  LegendreWay way_;
  const mpi::Communicator& communicator_;
  std::vector<Real> arrived_;
};

extern template class VectorSum<float>;
extern template class VectorSum<double>;

}  // namespace halocline::numerics
