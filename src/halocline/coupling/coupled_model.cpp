#include "halocline/coupling/coupled_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "halocline/base/pattern.hpp"
#include "halocline/coupling/coupled_links.hpp"
#include "halocline/coupling/fluxes.hpp"
#include "halocline/mpi/agreement.hpp"

namespace halocline::coupling {
namespace {

using layout::Index;

constexpr double degree = std::numbers::pi / 180;

/// This rank's part of consecutive points, starting at `first`.
std::vector<Index> even_part(Index first, Index count, const mpi::Communicator& ranks) {
  std::vector<Index> numbers;
  const Index end = count * (ranks.rank() + 1) / ranks.size();
  for (Index number = count * ranks.rank() / ranks.size(); number < end; ++number) {
    numbers.push_back(first + number);
  }
  return numbers;
}

std::vector<double> areas_of(std::span<const Index> columns, std::span<const double> all) {
  std::vector<double> areas;
  for (const Index column : columns) {
    areas.push_back(all[static_cast<std::size_t>(column)]);
  }
  return areas;
}

/// The area not covered by sea in the columns of air of these pieces.
std::vector<double> land_areas(const ExchangeGrid& grid, std::span<const Index> pieces) {
  std::vector<double> left_m2 = grid.column_areas_m2();
  const auto all = std::span(grid.pieces());
  for (const Piece& sea : all.first(static_cast<std::size_t>(grid.sea_pieces()))) {
    left_m2[static_cast<std::size_t>(sea.column)] -= sea.area_m2;
  }
  std::vector<double> areas;
  for (const Index piece : pieces) {
    const Index column = all[static_cast<std::size_t>(piece)].column;
    areas.push_back(left_m2[static_cast<std::size_t>(column)]);
  }
  return areas;
}

}  // namespace

CoupledModel::CoupledModel(const CoupledShape& shape, const mpi::Communicator& ranks,
                           std::function<void(std::size_t)> on_phase)
    : shape_(shape),
      ranks_(ranks),
      on_phase_(std::move(on_phase)),
      air_grid_(numerics::SpectralGrid::of(shape.truncation)),
      grid_(air_grid_, shape.sea.grid, shape.sea.mask) {
  for (std::size_t component = 0; component < component_count; ++component) {
    const bool is_member = shape.sharing[component].contains(ranks.rank());
    members_[component] = ranks.split(is_member ? 0 : -1);
    waits_ = is_member ? phase::wait + component : waits_;  // after the last of its own
  }
  const auto& member = [this](Component component) -> const std::optional<mpi::Communicator>& {
    return members_[index_of(component)];
  };
  coupler_pieces_ = even_part(0, grid_.count(), ranks);
  const Index sea_pieces = grid_.sea_pieces();
  if (const auto& own = member(Component::land)) {
    land_pieces_ = even_part(sea_pieces, grid_.count() - sea_pieces, *own);
  }
  const auto all_cells = static_cast<Index>(grid_.sea_cells().size());
  if (const auto& own = member(Component::ice)) {
    ice_cells_ = even_part(0, all_cells, *own);
  }
  std::vector<Index> columns;
  mpi::agree_on_skip(ranks, [&] {
    if (const auto& own = member(Component::atmosphere)) {
      air_ = std::make_unique<Air>(Air::shape_of(shape.truncation, shape.air_levels,
                                                 shape.sea.interval, own->size(), shape.way),
                                   shape.sea.interval, *own, shape.pages);
      columns = air_->columns();
    }
  });
  mpi::agree_on_skip(ranks, [&] {  // by itself: its ranks may be others than the atmosphere's
    if (const auto& own = member(Component::ocean)) {
      sea_ = std::make_unique<Sea>(shape_.sea, *own);
      for (const Index cell : sea_->cells()) {
        sea_cells_.push_back(grid_.sea_numbers()[static_cast<std::size_t>(cell)]);
      }
    }
  });
  const auto sea_areas = [this](std::span<const Index> cells) {
    std::vector<double> areas;
    for (const Index cell : cells) {
      const numerics::Spacing spacing =
          shape_.sea.grid.spacing(grid_.sea_cells()[static_cast<std::size_t>(cell)]);
      areas.push_back(spacing.x_m * spacing.y_m);
    }
    return areas;
  };
  land_ = std::make_unique<Land>(land_areas(grid_, land_pieces_));
  ice_ = std::make_unique<SeaIce>(sea_areas(ice_cells_));
  const auto column_of = [](const Piece& piece) { return piece.column; };
  const auto cell_of = [](const Piece& piece) { return piece.cell; };
  air_pieces_ = std::make_unique<CellPieces>(grid_.pieces(), columns,
                                             areas_of(columns, grid_.column_areas_m2()), column_of);
  sea_pieces_ =
      std::make_unique<CellPieces>(grid_.pieces(), sea_cells_, sea_areas(sea_cells_), cell_of);
  ice_pieces_ =
      std::make_unique<CellPieces>(grid_.pieces(), ice_cells_, sea_areas(ice_cells_), cell_of);

  const auto first_land = static_cast<std::size_t>(
      std::ranges::lower_bound(coupler_pieces_, sea_pieces) - coupler_pieces_.begin());
  Links::Ends ends{.coupler = coupler_pieces_,
                   .coupler_sea = std::span(coupler_pieces_).first(first_land),
                   .coupler_land = std::span(coupler_pieces_).subspan(first_land),
                   .air = air_pieces_->numbers(),
                   .sea = sea_pieces_->numbers(),
                   .ice = ice_pieces_->numbers(),
                   .land = land_pieces_,
                   .sea_cells = sea_cells_,
                   .ice_cells = ice_cells_,
                   .rivers = {},
                   .river_mouths = {}};
  std::unordered_map<Index, std::size_t> places;
  for (std::size_t place = 0; place < sea_cells_.size(); ++place) {
    places.emplace(sea_cells_[place], place);
  }
  for (std::size_t river = 0; river < grid_.outlets().size(); ++river) {
    if (const auto mouth = places.find(grid_.outlets()[river]); mouth != places.end()) {
      ends.rivers.push_back(sea_pieces + static_cast<Index>(river));
      ends.river_mouths.push_back(mouth->second);
    }
  }
  links_ = std::make_unique<Links>(ends, shape.way, ranks);
  begin();
}

CoupledModel::~CoupledModel() = default;

void CoupledModel::begin() {
  if (air_) {
    air_->begin();
  }
  if (sea_) {
    sea_->begin();
  }
  std::vector<double> temperatures;
  for (const Index piece : land_pieces_) {
    const Index column = grid_.pieces()[static_cast<std::size_t>(piece)].column;
    const double latitude = numerics::place_of(air_grid_, column).latitude;
    temperatures.push_back(5 + 20 * std::pow(std::cos(latitude), 2));
  }
  land_->begin(temperatures);
  std::vector<double> thickness_m;
  for (const Index cell : ice_cells_) {
    const Index at = grid_.sea_cells()[static_cast<std::size_t>(cell)];
    const double latitude = shape_.sea.grid.position(at).latitude;
    // From the polar circles polewards, up to 2 m.
    thickness_m.push_back(2 *
                          std::clamp((std::abs(latitude) - 65 * degree) / (15 * degree), 0.0, 1.0));
  }
  ice_->begin(thickness_m);
  intervals_ = 0;
}

template <class Run>
void CoupledModel::run(Component component, Run run_steps) {
  if (members_[index_of(component)]) {
    on_phase_(phase::run + index_of(component));
    run_steps();
  }
}

void CoupledModel::advance() {
  on_phase_(phase::coupling);
  exchange();
  run(Component::land, [this] { run_land(); });
  run(Component::ice, [this] { run_ice(); });
  run(Component::atmosphere, [this] { run_atmosphere(); });
  run(Component::ocean, [this] { run_ocean(); });
  on_phase_(waits_);
  ranks_.barrier();  // so that waiting for others does not count as coupling
  ++intervals_;
}

void CoupledModel::run_land() {
  land_->take_runoff();
  const Seconds step = shape_.sea.interval / land_steps;
  for (int count = 0; count < land_steps; ++count) {
    land_->step(links_->to_land.incoming(0), links_->to_land.incoming(1), step);
  }
}

void CoupledModel::run_ice() {
  ice_->take();
  const Seconds step = shape_.sea.interval / ice_steps;
  const std::vector<double> heat_w_m2 = ice_pieces_->mean(links_->to_ice.incoming(0));
  const std::vector<double> water_kg_m2_s = ice_pieces_->mean(links_->to_ice.incoming(1));
  for (int count = 0; count < ice_steps; ++count) {
    ice_->step({.heat_w_m2 = heat_w_m2,
                .water_kg_m2_s = water_kg_m2_s,
                .sea_temperatures = links_->sea_to_ice.incoming(0),
                .frozen_w_m2 = links_->sea_to_ice.incoming(1)},
               step);
  }
}

void CoupledModel::run_atmosphere() {
  constexpr double seconds_of_hour = 3600;
  air_->run(air_pieces_->mean(links_->to_air.incoming(0)),
            air_pieces_->mean(links_->to_air.incoming(1)),
            static_cast<double>(intervals_) * (shape_.sea.interval.count() / seconds_of_hour));
}

void CoupledModel::run_ocean() {
  Sea::Input input{.heat_w_m2 = sea_pieces_->mean(links_->to_sea.incoming(0)),
                   .water_kg_m2_s = sea_pieces_->mean(links_->to_sea.incoming(1)),
                   .eastward_n_m2 = sea_pieces_->mean(links_->to_sea.incoming(2)),
                   .northward_n_m2 = sea_pieces_->mean(links_->to_sea.incoming(3))};
  for (std::size_t cell = 0; cell < sea_cells_.size(); ++cell) {
    input.heat_w_m2[cell] += links_->ice_to_sea.incoming(0)[cell];
    input.water_kg_m2_s[cell] += links_->ice_to_sea.incoming(1)[cell];
  }
  for (std::size_t river = 0; river < links_->river_mouths.size(); ++river) {
    const std::size_t cell = links_->river_mouths[river];
    input.water_kg_m2_s[cell] += links_->rivers.incoming(0)[river] / sea_pieces_->area_m2(cell);
  }
  sea_->run(input);
}

std::vector<Stored> CoupledModel::stored() {
  const auto columns = static_cast<Index>(grid_.column_areas_m2().size());
  const auto cells = static_cast<Index>(grid_.sea_cells().size());
  const auto of_air = [this](auto get) { return air_ ? get() : decltype(get()){}; };
  std::vector<Index> land_numbers;
  for (const Index piece : land_pieces_) {
    land_numbers.push_back(piece - grid_.sea_pieces());
  }
  return {{.name = "atmosphere_columns",
           .count = columns,
           .numbers = of_air([this] { return air_->columns(); }),
           .fields = Air::numbers_of_column(shape_.air_levels),
           .save = [this, of_air] { return of_air([this] { return air_->saved_columns(); }); },
           .load =
               [this](std::span<const double> numbers) {
                 if (air_) {
                   air_->load_columns(numbers);
                 }
               }},
          {.name = "atmosphere_spectrum",
           .count = numerics::AtmosphereDynamics::all_rows(shape_.truncation),
           .numbers = of_air([this] { return air_->rows(); }),
           .fields = numerics::AtmosphereDynamics::numbers_of_row(shape_.air_levels),
           .save = [this, of_air] { return of_air([this] { return air_->saved_rows(); }); },
           .load =
               [this](std::span<const double> numbers) {
                 if (air_) {
                   air_->load_rows(numbers);
                 }
               }},
          {.name = "ocean",
           .count = cells,
           .numbers = sea_cells_,
           .fields = Sea::numbers_of_cell(shape_.sea.levels),
           .save = [this] { return sea_ ? sea_->saved() : std::vector<double>{}; },
           .load =
               [this](std::span<const double> numbers) {
                 if (sea_) {
                   sea_->load(numbers);
                 }
               }},
          {.name = "land",
           .count = static_cast<Index>(grid_.outlets().size()),
           .numbers = land_numbers,
           .fields = Land::numbers_of_column,
           .save = [this] { return land_->saved(); },
           .load = [this](std::span<const double> numbers) { land_->load(numbers); }},
          {.name = "ice",
           .count = cells,
           .numbers = ice_cells_,
           .fields = SeaIce::numbers_of_cell,
           .save = [this] { return ice_->saved(); },
           .load = [this](std::span<const double> numbers) { ice_->load(numbers); }}};
}

void CoupledModel::resume(std::int64_t intervals) {
  intervals_ = intervals;
  if (air_) {
    air_->resume(intervals);
  }
}

std::uint64_t CoupledModel::checksum() {
  std::uint64_t sum = 0;
  std::uint64_t component = 0;
  for (const Stored& stored : this->stored()) {
    const std::vector<double> numbers = stored.save();
    const std::size_t points = stored.numbers.size();
    ++component;
    for (std::size_t index = 0; index < numbers.size(); ++index) {
      const std::uint64_t name = (component << 56U) +
                                 (static_cast<std::uint64_t>(index / points) << 32U) +
                                 static_cast<std::uint64_t>(stored.numbers[index % points]);
      sum += pattern_word(std::bit_cast<std::uint64_t>(numbers[index]), name);
    }
  }
  return ranks_.sum(sum);
}

std::size_t CoupledModel::coupling_bytes() const {
  std::size_t bytes = 0;
  for (const Link* const link : links_->all()) {
    bytes += link->sent_bytes();
  }
  return bytes;
}

std::int64_t CoupledModel::coupling_operations() const {
  const auto sea = std::ranges::lower_bound(coupler_pieces_, grid_.sea_pieces());
  const auto both = sea - coupler_pieces_.begin();  // these have water and ice
  return flux_operations * (both + static_cast<std::int64_t>(coupler_pieces_.size()));
}

std::size_t CoupledModel::sent_bytes(Component component) const {
  if (component == Component::atmosphere) {
    return air_ ? air_->sent_bytes() : 0;
  }
  return component == Component::ocean && sea_ ? sea_->sent_bytes() : 0;
}

std::size_t CoupledModel::off_node_bytes(std::span<const int> node_of_rank) const {
  std::size_t bytes = 0;
  for (const Link* const link : links_->all()) {
    bytes += link->off_node_bytes(node_of_rank);
  }
  const auto nodes_of = [&](Component component) {
    const auto [first, count] = shape_.sharing[index_of(component)];
    return node_of_rank.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  };
  if (air_) {
    bytes += air_->off_node_bytes(nodes_of(Component::atmosphere));
  }
  if (sea_) {
    bytes += sea_->off_node_bytes(nodes_of(Component::ocean));
  }
  return bytes;
}

std::int64_t CoupledModel::operations(Component component) const {
  switch (component) {
    case Component::land:
      return land_steps * Land::operations_per_column *
             static_cast<std::int64_t>(land_pieces_.size());
    case Component::ice:
      return ice_steps * SeaIce::operations_per_cell * static_cast<std::int64_t>(ice_cells_.size());
    case Component::atmosphere:
      return air_ ? air_->operations() : 0;
    case Component::ocean:
      return sea_ ? sea_->operations() : 0;
  }
  return 0;
}

}  // namespace halocline::coupling
