#pragma once

#include "halocline/coupling/coupled_model.hpp"

namespace halocline::coupling {

/// What a coupling transfers: to and from the coupler's pieces, between ice and sea by cells, and
/// from the land's rivers to the sea.
struct CoupledModel::Links {
  /// Points of this rank at either end.
  struct Ends {
    std::span<const layout::Index> coupler;
    std::span<const layout::Index> coupler_sea;
    std::span<const layout::Index> coupler_land;
    std::span<const layout::Index> air;
    std::span<const layout::Index> sea;
    std::span<const layout::Index> ice;
    std::span<const layout::Index> land;
    std::span<const layout::Index> sea_cells;
    std::span<const layout::Index> ice_cells;
    std::vector<layout::Index> rivers;      // pieces of land whose outlets are in this rank's sea
    std::vector<std::size_t> river_mouths;  // and the indices of these outlets among its cells
  };

  Links(const Ends& ends, const bundle::Way& way, const mpi::Communicator& ranks)
      : from_air(ends.air, ends.coupler, seen::count, way, ranks),
        from_sea(ends.sea, ends.coupler_sea, 1, way, ranks),
        from_ice(ends.ice, ends.coupler_sea, 2, way, ranks),
        from_land(ends.land, ends.coupler_land, 2, way, ranks),
        to_air(ends.coupler, ends.air, 2, way, ranks),
        to_sea(ends.coupler_sea, ends.sea, 4, way, ranks),
        to_ice(ends.coupler_sea, ends.ice, 2, way, ranks),
        to_land(ends.coupler_land, ends.land, 2, way, ranks),
        sea_to_ice(ends.sea_cells, ends.ice_cells, 2, way, ranks),
        ice_to_sea(ends.ice_cells, ends.sea_cells, 2, way, ranks),
        rivers(ends.land, ends.rivers, 1, way, ranks),
        river_mouths(ends.river_mouths) {}

  std::array<const Link*, 11> all() const {
    return {&from_air, &from_sea, &from_ice,   &from_land,  &to_air, &to_sea,
            &to_ice,   &to_land,  &sea_to_ice, &ice_to_sea, &rivers};
  }

  Link from_air;    // as `seen` names them
  Link from_sea;    // temperature
  Link from_ice;    // cover, surface temperature
  Link from_land;   // temperature, wetness
  Link to_air;      // heat that leaves it, water that enters it
  Link to_sea;      // heat, water, stress eastward and northward
  Link to_ice;      // heat, water
  Link to_land;     // heat, water
  Link sea_to_ice;  // temperature, heat of freezing
  Link ice_to_sea;  // heat, water
  Link rivers;      // kg/s
  std::vector<std::size_t> river_mouths;
};

}  // namespace halocline::coupling
