#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halocline/bundle/exchange.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/numerics/legendre.hpp"
#include "halocline/numerics/sphere_sharing.hpp"
#include "halocline/numerics/vector_kernels.hpp"
#include "halocline/numerics/vector_sum.hpp"

namespace halocline::numerics {

/// Fields of one level group at a pair of latitudes, each [longitude][north, south][lane], one step
/// apart. `in` is null without synthesis, `out` without analysis.
template <class Real>
struct GridBatch {
  int pair;
  int first_longitude;
  int longitudes;
  int group;
  const Real* in;
  std::ptrdiff_t in_step;
  Real* out;
  std::ptrdiff_t out_step;
};

/// Work of this rank in a phase of one run().
struct SphereWork {
  std::int64_t operations = 0;
  std::size_t memory_bytes = 0;
  std::size_t sent_bytes = 0;
};

/// What is transformed: a number of level groups (lanes_of<Real> levels each), with this many
/// fields to the grid and back.
struct SphereBatch {
  int groups;
  int fields_in;
  int fields_out;
};

/// Spherical harmonic transforms over ranks: synthesis to the grid, computation there, and
/// analysis, in one go, so that a latitude's fields can stay in the cache.
///
/// A rank's coefficients are [row of rows()][level group][field][re, im][lane], for its own level
/// groups only. f(λ, μ) = Σ f(n, m) P(n, m; μ) exp(imλ) over |m| ≤ n, with P normalised as in
/// legendre_functions().
template <class Real>
class SphereTransform {
 public:
  using GridWork = std::function<void(const GridBatch<Real>&)>;

  /// Collective, like run(). Throws Skip like SphereSharing. Grid and communicator must outlive it.
  SphereTransform(const SpectralGrid& grid, const SphereBatch& batch, const SphereWay& way,
                  const mpi::Communicator& communicator, Pages pages);
  ~SphereTransform();
  SphereTransform(const SphereTransform&) = delete;
  SphereTransform& operator=(const SphereTransform&) = delete;

  const SpectralRows& rows() const { return rows_; }
  const SpectralGrid& grid() const { return grid_; }
  const SphereSharing& sharing() const { return sharing_; }
  /// Level groups whose coefficients this rank holds.
  Block groups() const { return groups_; }
  /// Whether other ranks hold the same coefficients and this one is not the first of them.
  bool repeats_coefficients() const;
  const SphereBatch& batch() const { return batch_; }
  Block pairs() const { return pairs_; }
  Block longitudes() const { return longitudes_; }

  /// An empty span skips that direction.
  void run(std::span<const Real> spectral_in, const GridWork& work, std::span<Real> spectral_out);

  /// Collective if the transform is shared: leaves the sums over its ranks on each of them.
  void add_up(std::span<double> numbers) const;

  /// Sets what run() calls at the beginning of each phase.
  void observe(std::function<void(SpherePhase)> observer) { observer_ = std::move(observer); }

  SphereWork work_of(SpherePhase phase) const;
  /// Coefficients and Fourier coefficients, which all batches pass over.
  std::size_t resident_bytes() const { return work_of(SpherePhase::legendre).memory_bytes; }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  /// A field of a level group at a pair of latitudes.
  struct GridLine {
    int pair;
    int group;
    int field;
  };
  struct Direction;  // arrays and exchanges to the grid, or back

  void begin(SpherePhase phase) const {
    if (observer_) {
      observer_(phase);
    }
  }
  void sum_degrees(std::span<const Real> spectral);
  void sum_latitudes(std::span<Real> spectral);
  void work_on_rows(const GridWork& work, bool synthesise, bool analyse);
  void work_on_columns(const GridWork& work, bool synthesise, bool analyse);
  template <class Item>
  FourierRow<Item> row_of(const Direction& direction, Item* rows, const GridLine& line) const;
  void to_points(const GridLine& line, Real* points) const;
  void from_points(const GridLine& line, Real* points);
  template <class Visit>
  void for_each_line(const Direction& direction, Visit visit) const;
  void columns_to_points();
  void columns_from_points();
  std::ptrdiff_t points_length() const;      // own longitudes of a line
  std::ptrdiff_t all_points_length() const;  // all longitudes of a line
  bool shares_longitudes() const { return way_.along_longitude > 1; }
  Real weight_of(int pair) const;
  FrequencyPlaces places_at(int pair) const;

  const SpectralGrid& grid_;
  SphereBatch batch_;
  SphereWay way_;
  SphereSharing sharing_;
  const mpi::Communicator& communicator_;
  int p_;
  int q_;
  Block pairs_;
  Block longitudes_;
  Block groups_;
  SpectralRows rows_;
  FourierPlan<Real> plan_;      // for all longitudes
  OrderPlaces places_;          // in plan_
  std::vector<int> orders_at_;  // how many leading orders matter, per own pair
  LegendreSums<Real> legendre_;
  std::unique_ptr<Direction> in_;
  std::unique_ptr<Direction> out_;
  std::unique_ptr<Array<Real>> packed_;
  std::optional<mpi::Communicator> same_orders_;
  std::optional<VectorSum<Real>> sum_;
  std::function<void(SpherePhase)> observer_;
};

extern template class SphereTransform<float>;
extern template class SphereTransform<double>;

}  // namespace halocline::numerics
