#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "halocline/numerics/sphere_transposes.hpp"
#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {

/// Fourier transforms of lines of longitudes that P ranks share, P a power of two: log₂P passes of
/// radix 2, in each of which a rank exchanges all its points with one other, then a transform of
/// the points of each rank by itself. One more exchange brings the mirrors N − m of a rank's orders
/// m, which distinguish north from south: all of them are with one other rank.
///
/// In one direction, to the grid or from it. Collective over the communicator, except where only
/// one line is named.
template <class Real>
class DistributedFourier {
 public:
  using OnPhase = std::function<void(SpherePhase)>;

  /// Throws Skip where the protocol cannot carry the passes.
  DistributedFourier(const SpherePlace& place, int lines, bool to_grid,
                     const mpi::Communicator& communicator, Pages pages);

  /// The points of a line that are here: [longitude][re, im][lane], as vector_kernels() has them.
  Real* line(int index) { return points_.data() + index * line_length(); }

  /// To the grid: the coefficients of each line, then all lines.
  void spread(int index, FourierRow<const Real> row);
  void to_points(const OnPhase& begin);

  /// And back: all lines, then the coefficients of each, times `factor`.
  void from_points(const OnPhase& begin);
  void gather(int index, Real factor, FourierRow<Real> row);

  std::size_t sent_bytes() const;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  struct Pass {
    bool upper;                 // this rank has points of the upper half of what is split
    std::vector<Real> twiddle;  // of these points: re, im
    std::unique_ptr<bundle::Exchange> exchange;
  };

  static constexpr std::ptrdiff_t width = std::ptrdiff_t{2} * lanes_of<Real>;

  std::ptrdiff_t line_length() const { return plan_.length * width; }
  Pass pass_of(const SpherePlace& place, int distance, const mpi::Communicator& communicator);
  std::size_t mirrors_length(const SpherePlace& place, int p) const;
  void find_places(const SpherePlace& place, int partner);
  void add(const Pass& pass);
  void turn(const Pass& pass, int sign);
  /// Where the mirrors of a line's own orders are.
  Real* mirrors_of(int index);
  void copy_guests(bool to_points);
  template <class Visit>
  void visit_exchanges(Visit visit) const;

  FourierPlan<Real> plan_;  // of a rank's own points
  int lines_;
  Array<Real> points_;
  Array<Real> others_;  // those of the other rank of a pass
  std::vector<Pass> passes_;
  OrderPlaces own_;
  std::vector<int> guests_;    // places of frequencies here that mirror orders of the partner
  Array<Real> own_mirrors_;    // [line][own order], where they come from the partner
  Array<Real> guest_mirrors_;  // [line][the partner's order]
  std::unique_ptr<bundle::Exchange> mirrors_;  // none where every rank has its own
};

extern template class DistributedFourier<float>;
extern template class DistributedFourier<double>;

}  // namespace halocline::numerics
