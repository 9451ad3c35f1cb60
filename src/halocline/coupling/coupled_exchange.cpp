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

/// One after the other: a buffered send may wait until what was sent before has arrived.
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

/// Each flux once: what one side loses the other gains.
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
      const SurfaceFlux flux = surface_flux(skin, links.from_land.incoming(0)[own],
                                            links.from_land.incoming(1)[own], heat_of_evaporation);
      links.to_air.outgoing(0)[piece] = flux.sensible_w_m2;
      links.to_air.outgoing(1)[piece] = flux.evaporation_kg_m2_s;
      links.to_land.outgoing(0)[own] = flux.heat_w_m2;
      links.to_land.outgoing(1)[own] = rain - flux.evaporation_kg_m2_s;
      continue;
    }
    const double cover = links.from_ice.incoming(0)[piece];
    const double open = 1 - cover;
    const SurfaceFlux water =
        surface_flux(skin, links.from_sea.incoming(0)[piece], 1, heat_of_evaporation);
    const SurfaceFlux ice = surface_flux(skin, links.from_ice.incoming(1)[piece], 1,
                                         heat_of_evaporation + heat_of_fusion);
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

std::vector<PassedFlux> CoupledModel::passed() {
  struct Own {
    std::string name;
    double sent = 0;
    double received = 0;
    double absolute = 0;
  };
  std::vector<Own> all;
  // By the ocean's own areas, so that wrong ones here would be seen.
  const std::vector<double> sea_areas = sea_ ? sea_->areas_m2() : std::vector<double>{};
  const auto sum = [](std::span<const double> numbers, auto term) {
    double total = 0;
    for (std::size_t index = 0; index < numbers.size(); ++index) {
      total += term(index) * numbers[index];
    }
    return total;
  };
  const auto over_sea = [&](std::span<const double> cells) {
    return sum(cells, [&](std::size_t cell) { return sea_areas[cell]; });
  };
  const auto pass = [&](std::string name, std::span<const double> pieces, std::size_t first,
                        const CellPieces& cells, std::span<const double> received) {
    Own own{.name = std::move(name)};
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      const auto number = static_cast<std::size_t>(coupler_pieces_[first + piece]);
      const double flux = grid_.pieces()[number].area_m2 * pieces[piece];
      own.sent += flux;
      own.absolute += std::abs(flux);
    }
    const std::vector<double> means = cells.mean(received);
    own.received = &cells == sea_pieces_.get() ? over_sea(means) : cells.integral(means);
    all.push_back(own);
  };
  Links& links = *links_;
  pass("heat of the air", links.to_air.outgoing(0), 0, *air_pieces_, links.to_air.incoming(0));
  pass("water of the air", links.to_air.outgoing(1), 0, *air_pieces_, links.to_air.incoming(1));
  constexpr std::array to_sea{"heat of the sea", "water of the sea", "eastward stress",
                              "northward stress"};
  for (std::size_t field = 0; field < to_sea.size(); ++field) {
    pass(to_sea[field], links.to_sea.outgoing(field), 0, *sea_pieces_,
         links.to_sea.incoming(field));
  }
  pass("heat of the ice", links.to_ice.outgoing(0), 0, *ice_pieces_, links.to_ice.incoming(0));
  pass("water of the ice", links.to_ice.outgoing(1), 0, *ice_pieces_, links.to_ice.incoming(1));
  const auto land_area = [this](std::size_t column) {
    return grid_.pieces()[static_cast<std::size_t>(land_pieces_[column])].area_m2;
  };
  const std::size_t first_land = links.from_sea.incoming(0).size();
  const auto coupler_area = [&](std::size_t piece) {
    return grid_.pieces()[static_cast<std::size_t>(coupler_pieces_[first_land + piece])].area_m2;
  };
  constexpr std::array to_land{"heat of the land", "water of the land"};
  for (std::size_t field = 0; field < to_land.size(); ++field) {
    std::vector<double> absolute;
    std::ranges::transform(links.to_land.outgoing(field), std::back_inserter(absolute),
                           [](double flux) { return std::abs(flux); });
    all.push_back({.name = to_land[field],
                   .sent = sum(links.to_land.outgoing(field), coupler_area),
                   .received = sum(links.to_land.incoming(field), land_area),
                   .absolute = sum(absolute, coupler_area)});
  }
  const auto one = [](std::size_t /*index*/) { return 1.0; };
  const double rivers = sum(links.rivers.outgoing(0), one);
  all.push_back({.name = "water of rivers",
                 .sent = rivers,
                 .received = sum(links.rivers.incoming(0), one),
                 .absolute = std::abs(rivers)});
  for (std::size_t field = 0; field < 2; ++field) {
    all.push_back({.name = field == 0 ? "heat from ice to sea" : "water from ice to sea",
                   .sent = ice_pieces_->integral(links.ice_to_sea.outgoing(field)),
                   .received = over_sea(links.ice_to_sea.incoming(field)),
                   .absolute = ice_pieces_->absolute_integral(links.ice_to_sea.outgoing(field))});
  }
  std::vector<double> own;
  for (const Own& flux : all) {
    own.insert(own.end(), {flux.sent, flux.received, flux.absolute});
  }
  std::vector<double> total(own.size());
  mpi::Collectives(ranks_).all_reduce(own, total);
  std::vector<PassedFlux> passed;
  for (std::size_t flux = 0; flux < all.size(); ++flux) {
    passed.push_back({.name = all[flux].name,
                      .sent = total[3 * flux],
                      .received = total[3 * flux + 1],
                      .absolute = total[3 * flux + 2]});
  }
  return passed;
}

}  // namespace halocline::coupling
