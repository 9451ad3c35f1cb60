#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/coupling/coupled_model.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

std::vector<Axis> coupled_axes();

inline constexpr std::string_view no_restart = "none";

/// The options of a coupled model.
struct CoupledCase {
  coupling::Arrangement arrangement;
  std::array<int, coupling::component_count> ranks;  // 0: by the arrangement
  int truncation;
  int air_levels;
  std::string_view grid;
  layout::Index ocean_levels;
  numerics::Stop until;  // of the barotropic solver
  std::int64_t intervals;
  std::int64_t couplings_per_day;
  bool writes;                   // files
  std::filesystem::path folder;  // of these
  std::string restart;
  bundle::Way way;
};

CoupledCase coupled_case_of(const AxisValues& values, const mpi::Communicator& world);

/// The grids of a coupled model and their distribution to ranks.
class CoupledEarth {
 public:
  /// Throws Skip on all ranks if the ranks do not fit, or the model does not fit their memory.
  CoupledEarth(const CoupledCase& asked, const mpi::Communicator& world);
  ~CoupledEarth() = default;
  CoupledEarth(const CoupledEarth&) = delete;
  CoupledEarth& operator=(const CoupledEarth&) = delete;

  /// Refers to this.
  coupling::CoupledShape shape(Pages pages) const;

 private:
  coupling::SeaShape sea() const;

  CoupledCase case_;
  numerics::DisplacedPoleGrid grid_;
  numerics::OceanMask mask_;
  layout::Blocks blocks_;
  coupling::Sharing sharing_;
};

}  // namespace halocline::workload
