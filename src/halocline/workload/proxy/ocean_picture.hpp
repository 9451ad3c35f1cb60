#pragma once

#include <vector>

#include "halocline/layout/blocks.hpp"
#include "halocline/measure/picture.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/ocean_mask.hpp"
#include "halocline/numerics/ocean_model.hpp"
#include "halocline/numerics/sphere_map.hpp"

namespace halocline::workload {

/// The height of the sea and the barotropic streamfunction, on rank 0. Collective.
std::vector<measure::PictureMap> ocean_maps(const numerics::OceanModel& model,
                                            const numerics::DisplacedPoleGrid& grid,
                                            const numerics::OceanMask& mask,
                                            const mpi::Communicator& world);

/// The owner of each block over the land mask, and its number of ocean cells.
measure::PictureOwners owners_of(const layout::Blocks& blocks, const numerics::OceanMask& mask);

}  // namespace halocline::workload
