#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "halocline/numerics/sphere_transposes.hpp"
#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {

/// Fourier transforms of lines of longitudes shared by P ranks, P a power of two. In each of log₂P
/// radix-2 passes a rank exchanges all its points with one other rank; then each rank transforms
/// its own points. One more exchange brings the mirrors N − m of a rank's orders m, which separate
/// north from south: one other rank holds all of them.
///
/// Works in one direction, to the grid or from it. Collective over the communicator, except for
/// calls on a single line.
template <class Real>
class DistributedFourier {
 public:
  using OnPhase = std::function<void(SpherePhase)>;

  /// Throws Skip if the protocol cannot carry the passes.
  DistributedFourier(const SpherePlace& place, int lines, bool to_grid,
                     const mpi::Communicator& communicator, Pages pages);

  /// This rank's points of a line: [longitude][re, im][lane], as in vector_kernels().
  Real* line(int index) { return points_.data() + index * line_length(); }

  /// To the grid: spread() for each line, then to_points() for all.
  void spread(int index, FourierRow<const Real> row);
  void to_points(const OnPhase& begin);

  /// From the grid: from_points() for all lines, then gather() for each, times `factor`.
  void from_points(const OnPhase& begin);
  void gather(int index, Real factor, FourierRow<Real> row);

  std::size_t sent_bytes() const;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  struct Pass {
    bool upper;                 // this rank holds the upper half of the split points
    std::vector<Real> twiddle;  // for these points: re, im
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

  FourierPlan<Real> plan_;  // for this rank's points
  int lines_;
  Array<Real> points_;
  Array<Real> others_;  // from the other rank of a pass
  std::vector<Pass> passes_;
  OrderPlaces own_;
  std::vector<int> guests_;    // places here of frequencies that mirror the partner's orders
  Array<Real> own_mirrors_;    // [line][own order], if the partner holds them
  Array<Real> guest_mirrors_;  // [line][the partner's order]
  std::unique_ptr<bundle::Exchange> mirrors_;  // null if every rank holds its own
};

extern template class DistributedFourier<float>;
extern template class DistributedFourier<double>;

}  // namespace halocline::numerics
