#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halocline/coupling/air.hpp"
#include "halocline/coupling/cell_pieces.hpp"
#include "halocline/coupling/exchange_grid.hpp"
#include "halocline/coupling/land.hpp"
#include "halocline/coupling/link.hpp"
#include "halocline/coupling/sea.hpp"
#include "halocline/coupling/sea_ice.hpp"
#include "halocline/coupling/sharing.hpp"

namespace halocline::coupling {

/// What is modelled, and where. All of it must outlive the model.
struct CoupledShape {
  int truncation;
  int air_levels;
  SeaShape sea;
  Sharing sharing;
  bundle::Way way;
  Pages pages;
};

/// What a rank does at any time: each component's steps, waiting for other components after its
/// own, and coupling. A rank without any component waits in none.
namespace phase {
inline constexpr std::size_t run = 0;                 // and the component
inline constexpr std::size_t wait = component_count;  // and the component
inline constexpr std::size_t coupling = 2 * component_count;
inline constexpr std::size_t files = coupling + 1;
inline constexpr std::size_t count = files + 1;
inline constexpr std::size_t none = count;
}  // namespace phase

/// What the coupler passed in the last exchange, summed over a side and all ranks: on the pieces,
/// and on the cells of the component that received it.
struct PassedFlux {
  std::string name;
  double sent;
  double received;
  double absolute;  // of the pieces' absolute values
};

/// The numbers of a component that the future depends on, by point.
struct Stored {
  std::string name;
  layout::Index count;                 // of points, over all ranks
  std::vector<layout::Index> numbers;  // of this rank's
  std::size_t fields;                  // numbers of a point
  std::function<std::vector<double>()> save;
  std::function<void(std::span<const double>)> load;
};

/// A map of one component's surface, for files.
struct SurfaceField {
  std::string name;
  std::string unit;
  std::string long_name;
  bool on_sea_grid;
  std::function<std::vector<layout::Index>()> all;  // indices with a value on any rank
  std::vector<layout::Index> places;                // of this rank's values
  std::vector<double> values;
};

/// Atmosphere, ocean, land and sea ice, each on its own grid, time step and ranks. At regular times
/// they stop and a coupler, on all ranks, computes the fluxes between them, on pieces where the
/// cells of both sides meet: the same flux leaves one side and enters the other.
///
/// Bitwise identical in any arrangement and on any number of ranks.
class CoupledModel {
 public:
  /// Collective, as all below.
  CoupledModel(const CoupledShape& shape, const mpi::Communicator& ranks,
               std::function<void(std::size_t)> on_phase);
  ~CoupledModel();
  CoupledModel(const CoupledModel&) = delete;
  CoupledModel& operator=(const CoupledModel&) = delete;

  void begin();
  /// One interval: couples, then all components run.
  void advance();
  std::int64_t intervals() const { return intervals_; }

  /// Over every bit that the future depends on.
  std::uint64_t checksum();
  /// Of the last coupling.
  std::vector<PassedFlux> passed();

  std::vector<Stored> stored();
  /// After load() of all stored data.
  void resume(std::int64_t intervals);
  std::vector<SurfaceField> surface();

  // Of this rank in an interval: in its coupling, and in a component's steps, for these the last
  // one. Off the node at least.
  std::size_t coupling_bytes() const;
  std::int64_t coupling_operations() const;
  std::size_t sent_bytes(Component component) const;
  std::int64_t operations(Component component) const;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;
  const ExchangeGrid& pieces() const { return grid_; }
  const numerics::SpectralGrid& air_grid() const { return air_grid_; }
  const CoupledShape& shape() const { return shape_; }
  const mpi::Communicator& ranks() const { return ranks_; }

  /// Approximate costs of the components over all ranks, from which their shares are chosen.
  static std::array<double, component_count> costs(const CoupledShape& shape);
  /// Approximate memory of a rank.
  static double bytes(const CoupledShape& shape, int ranks, int rank);

 private:
  struct Links;

  static constexpr int land_steps = 2;  // per interval
  static constexpr int ice_steps = 4;

  void exchange();
  void export_all();
  void compute_fluxes();
  void run_land();
  void run_ice();
  void run_atmosphere();
  void run_ocean();
  template <class Run>
  void run(Component component, Run run_steps);

  CoupledShape shape_;
  const mpi::Communicator& ranks_;
  std::function<void(std::size_t)> on_phase_;
  numerics::SpectralGrid air_grid_;
  ExchangeGrid grid_;
  std::array<std::optional<mpi::Communicator>, component_count> members_;
  std::vector<layout::Index> coupler_pieces_;
  std::vector<layout::Index> land_pieces_;
  std::vector<layout::Index> ice_cells_;
  std::vector<layout::Index> sea_cells_;
  std::unique_ptr<Air> air_;
  std::unique_ptr<Sea> sea_;
  std::unique_ptr<Land> land_;
  std::unique_ptr<SeaIce> ice_;
  std::unique_ptr<CellPieces> air_pieces_;
  std::unique_ptr<CellPieces> sea_pieces_;
  std::unique_ptr<CellPieces> ice_pieces_;
  std::unique_ptr<Links> links_;
  std::int64_t intervals_ = 0;
  std::size_t waits_ = phase::none;  // the phase in which this rank waits
};

}  // namespace halocline::coupling
