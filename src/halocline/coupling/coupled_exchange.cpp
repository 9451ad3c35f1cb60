#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "halocline/coupling/coupled_links.hpp"
#include "halocline/coupling/fluxes.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/numerics/sea_water.hpp"

namespace halocline::coupling {
namespace {

using layout::Index;
using numerics::heat_of_evaporation;
using numerics::heat_of_fusion;

/// One by one: a buffered send may wait until earlier ones have arrived.
void carry(std::initializer_list<Link*> links) {
  for (Link* const link : links) {
    link->carry();
  }
}

}  // namespace

void CoupledModel::exchange() {
  export_all();
  carry({&links_->from_air, &links_->from_sea, &links_->from_ice, &links_->from_land,
         &links_->sea_to_ice, &links_->ice_to_sea, &links_->rivers});
  compute_fluxes();
  carry({&links_->to_air, &links_->to_sea, &links_->to_ice, &links_->to_land});
}

void CoupledModel::export_all() {
  const double per_interval = 1 / shape_.sea.interval.count();
  for (std::size_t field = 0; field < seen::count && air_; ++field) {
    air_pieces_->spread(air_->seen(field), links_->from_air.outgoing(field));
  }
  if (sea_) {
    sea_pieces_->spread(sea_->temperatures(), links_->from_sea.outgoing(0));
    std::ranges::copy(sea_->temperatures(), links_->sea_to_ice.outgoing(0).begin());
    std::ranges::copy(sea_->frozen_w_m2(), links_->sea_to_ice.outgoing(1).begin());
  }
  std::vector<double> covers;
  for (std::size_t cell = 0; cell < ice_cells_.size(); ++cell) {
    covers.push_back(ice_->cover(cell));
    links_->ice_to_sea.outgoing(0)[cell] = ice_->heat_j_m2()[cell] * per_interval;
    links_->ice_to_sea.outgoing(1)[cell] = ice_->water_kg_m2()[cell] * per_interval;
  }
  ice_pieces_->spread(covers, links_->from_ice.outgoing(0));
  ice_pieces_->spread(ice_->surface_temperatures(), links_->from_ice.outgoing(1));
  for (std::size_t column = 0; column < land_pieces_.size(); ++column) {
    const auto piece = static_cast<std::size_t>(land_pieces_[column]);
    links_->from_land.outgoing(0)[column] = land_->surface_temperatures()[column];
    links_->from_land.outgoing(1)[column] = land_->water_kg_m2()[column] / Land::full_kg_m2;
    links_->rivers.outgoing(0)[column] =
        land_->runoff_kg_m2()[column] * per_interval * grid_.pieces()[piece].area_m2;
  }
}

/// Computes each flux once: what one side loses the other gains.
void CoupledModel::compute_fluxes() {
  Links& links = *links_;
  const std::size_t sea_pieces = links.from_sea.incoming(0).size();
  const auto incoming = [&links](std::size_t field, std::size_t piece) {
    return links.from_air.incoming(field)[piece];
  };
  for (std::size_t piece = 0; piece < coupler_pieces_.size(); ++piece) {
    const Skin skin{.temperature = incoming(seen::temperature, piece),
                    .vapour = incoming(seen::vapour, piece)};
    const double rain = incoming(seen::rain, piece);
    if (piece >= sea_pieces) {
      const std::size_t own = piece - sea_pieces;
      const SurfaceFlux flux = surface_flux(skin,
                                            {.temperature = links.from_land.incoming(0)[own],
                                             .wetness = links.from_land.incoming(1)[own],
                                             .latent_heat = heat_of_evaporation,
                                             .heat_j_m2 = Land::surface_j_m2},
                                            shape_.sea.interval);
      links.to_air.outgoing(0)[piece] = flux.sensible_w_m2;
      links.to_air.outgoing(1)[piece] = flux.evaporation_kg_m2_s;
      links.to_land.outgoing(0)[own] = flux.heat_w_m2;
      links.to_land.outgoing(1)[own] = rain - flux.evaporation_kg_m2_s;
      continue;
    }
    const double cover = links.from_ice.incoming(0)[piece];
    const double open = 1 - cover;
    const SurfaceFlux water = surface_flux(skin,
                                           {.temperature = links.from_sea.incoming(0)[piece],
                                            .wetness = 1,
                                            .latent_heat = heat_of_evaporation,
                                            .heat_j_m2 = warms_little},
                                           shape_.sea.interval);
    const SurfaceFlux ice = surface_flux(skin,
                                         {.temperature = links.from_ice.incoming(1)[piece],
                                          .wetness = 1,
                                          .latent_heat = heat_of_evaporation + heat_of_fusion,
                                          .heat_j_m2 = SeaIce::skin_j_m2},
                                         shape_.sea.interval);
    const double from_water = open * water.evaporation_kg_m2_s;
    const double from_ice = cover * ice.evaporation_kg_m2_s;
    links.to_air.outgoing(0)[piece] = open * water.sensible_w_m2 + cover * ice.sensible_w_m2;
    links.to_air.outgoing(1)[piece] = from_water + from_ice;
    links.to_sea.outgoing(0)[piece] = open * water.heat_w_m2;
    links.to_sea.outgoing(1)[piece] = rain - from_water;  // what falls on ice runs off
    links.to_sea.outgoing(2)[piece] = incoming(seen::eastward, piece);
    links.to_sea.outgoing(3)[piece] = incoming(seen::northward, piece);
    links.to_ice.outgoing(0)[piece] = cover * ice.heat_w_m2;
    links.to_ice.outgoing(1)[piece] = -from_ice;
  }
}

/// Uses each component's own areas for what it receives: the coupler's may be wrong.
std::vector<PassedFlux> CoupledModel::passed() {
  Links& links = *links_;
  std::vector<PassedFlux> all;   // of this rank
  std::vector<double> areas_m2;  // of the coupler's pieces
  for (const Index piece : coupler_pieces_) {
    areas_m2.push_back(grid_.pieces()[static_cast<std::size_t>(piece)].area_m2);
  }
  const auto pass = [&all](std::string name, std::span<const double> from_m2,
                           std::span<const double> sent, std::span<const double> to_m2,
                           std::span<const double> received) {
    all.push_back({.name = std::move(name),
                   .sent = integral(from_m2, sent),
                   .received = integral(to_m2, received),
                   .absolute = absolute_integral(from_m2, sent)});
  };
  const auto pass_fields = [&](std::span<const std::string_view> names, Link& link,
                               const CellPieces& cells, std::span<const double> cells_m2) {
    for (std::size_t field = 0; field < names.size(); ++field) {
      pass(std::string{names[field]}, areas_m2, link.outgoing(field), cells_m2,
           cells.mean(link.incoming(field)));
    }
  };
  const std::vector<double> none;
  const std::vector<double> sea_m2 = sea_ ? sea_->areas_m2() : none;
  pass_fields(std::array<std::string_view, 2>{"heat of the air", "water of the air"}, links.to_air,
              *air_pieces_, air_ ? air_->areas_m2() : none);
  pass_fields(std::array<std::string_view, 4>{"heat of the sea", "water of the sea",
                                              "eastward stress", "northward stress"},
              links.to_sea, *sea_pieces_, sea_m2);
  pass_fields(std::array<std::string_view, 2>{"heat of the ice", "water of the ice"}, links.to_ice,
              *ice_pieces_, ice_->areas_m2());
  const auto land_m2 = std::span(areas_m2).subspan(links.from_sea.incoming(0).size());
  pass("heat of the land", land_m2, links.to_land.outgoing(0), land_->areas_m2(),
       links.to_land.incoming(0));
  pass("water of the land", land_m2, links.to_land.outgoing(1), land_->areas_m2(),
       links.to_land.incoming(1));
  // In kg/s at both ends: no area involved.
  const std::vector<double> ones(
      std::max(links.rivers.outgoing(0).size(), links.rivers.incoming(0).size()), 1.0);
  pass("water of rivers", ones, links.rivers.outgoing(0), ones, links.rivers.incoming(0));
  pass("heat from ice to sea", ice_->areas_m2(), links.ice_to_sea.outgoing(0), sea_m2,
       links.ice_to_sea.incoming(0));
  pass("water from ice to sea", ice_->areas_m2(), links.ice_to_sea.outgoing(1), sea_m2,
       links.ice_to_sea.incoming(1));
  std::vector<double> own;
  for (const PassedFlux& flux : all) {
    own.insert(own.end(), {flux.sent, flux.received, flux.absolute});
  }
  std::vector<double> total(own.size());
  mpi::Collectives(ranks_).all_reduce(own, total);
  for (std::size_t flux = 0; flux < all.size(); ++flux) {
    all[flux].sent = total[3 * flux];
    all[flux].received = total[3 * flux + 1];
    all[flux].absolute = total[3 * flux + 2];
  }
  return all;
}

}  // namespace halocline::coupling
