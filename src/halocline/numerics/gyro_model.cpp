#include "halocline/numerics/gyro_model.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "halocline/base/pattern.hpp"
#include "halocline/mpi/agreement.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double collision_step = 0.1;  // collision frequency at thermal energy, times the step

std::vector<GyroLines> gyro_pieces(const GyroSharing& sharing, int count) {
  const auto cuts = layout::Cuts::even({.lower = 0, .upper = sharing.lines_each()}, count);
  std::vector<GyroLines> pieces;
  for (int piece = 0; piece < count; ++piece) {
    const Index first = cuts.first(piece);
    pieces.push_back({.lower = first, .upper = first + cuts.owned(piece)});
  }
  return pieces;
}

/// Arrays of a rank's own size: five that all species work in, two per species.
constexpr int own_arrays(bool kinetic_electrons) { return kinetic_electrons ? 9 : 7; }

std::size_t own_size(const GyroSharing& sharing) {
  return static_cast<std::size_t>(sharing.size());
}

std::size_t all_pairs_size(const GyroSharing& sharing, bool kinetic_electrons) {
  return kinetic_electrons ? static_cast<std::size_t>(sharing.all_pairs() *
                                                      sharing.points(sharing.place()).length())
                           : 0;
}

GyroMemory gyro_memory(const GyroSharing& sharing, const GyroParts& parts) {
  const int own = own_arrays(parts.kinetic_electrons);
  return {own + 1,
          static_cast<std::size_t>(own) * own_size(sharing) +
              all_pairs_size(sharing, parts.kinetic_electrons),
          parts.way.near, parts.pages, parts.ranks};
}

}  // namespace

GyroModel::GyroModel(const GyroParts& parts)
    : sharing_(parts.grid, parts.ranks.size(), parts.ranks.rank()),
      ranks_(parts.ranks),
      on_phase_(parts.on_phase),
      row_(parts.ranks.part(sharing_.mode())),
      column_(parts.ranks.part(sharing_.place())),
      pieces_(gyro_pieces(sharing_, parts.pieces)),
      time_step_(GyroStart(parts.grid, 0, 0).time_step()),
      bracket_(parts.grid),
      collisions_(parts.grid, collision_step),
      memory_(gyro_memory(sharing_, parts)),
      stage_(memory_.take(own_size(sharing_))),
      sum_(memory_.take(own_size(sharing_))),
      rate_(memory_.take(own_size(sharing_))),
      potential_modes_(memory_.take(own_size(sharing_))),
      field_modes_(memory_.take(own_size(sharing_))),
      all_pairs_(memory_.take(all_pairs_size(sharing_, parts.kinetic_electrons))) {
  const GyroPlace place{.sharing = sharing_,
                        .row = row_,
                        .column = column_,
                        .way = parts.way,
                        .memory = memory_.shared()};
  for (int index = 0; index < (parts.kinetic_electrons ? 2 : 1); ++index) {
    species_.push_back({.distribution = memory_.take(own_size(sharing_)),
                        .potential = memory_.take(own_size(sharing_)),
                        .to_modes = {}});
  }
  // Some columns or rows may be unable to use a protocol that others can.
  mpi::agree_on_skip(parts.ranks, [&] { connect_columns(place); });
  if (parts.kinetic_electrons) {
    mpi::agree_on_skip(parts.ranks, [&] { connect_rows(place); });
  }
}

void GyroModel::connect_columns(const GyroPlace& place) {
  for (Species& species : species_) {
    for (const GyroLines& lines : pieces_) {
      species.to_modes.push_back(between_modes(place, lines, species.potential, potential_modes_));
    }
  }
  for (const GyroLines& lines : pieces_) {
    to_modes_.push_back(between_modes(place, lines, stage_, field_modes_));
    from_modes_.push_back(between_modes(place, lines, field_modes_, rate_));
  }
}

void GyroModel::connect_rows(const GyroPlace& place) {
  to_pairs_ = std::make_unique<bundle::Redistribution>(
      to_all_pairs(place, species_.back().distribution, all_pairs_));
  from_pairs_ = std::make_unique<bundle::Redistribution>(
      to_own_pairs(place, all_pairs_, species_.back().distribution));
}

double GyroModel::bytes_of(const GyroGrid& grid, bool kinetic_electrons, bundle::Near near,
                           int ranks) {
  const GyroSharing sharing(grid, ranks, 0);
  const auto size = static_cast<double>(sharing.lines()) * static_cast<double>(grid.radii);
  const double pairs =
      static_cast<double>(sharing.all_pairs()) * static_cast<double>(sharing.points(0).length());
  // What two transposes pack and receive.
  const int packed = near == bundle::Near::messages ? 4 : 0;
  const double checked =
      static_cast<double>(std::min(checked_lines, sharing.lines_each()) * grid.modes * grid.radii);
  constexpr int checked_arrays = 3;
  return sizeof(Complex) * ((own_arrays(kinetic_electrons) + packed) * size +
                            (kinetic_electrons ? pairs : 0) + checked_arrays * checked) +
         PoissonBracket::bytes_of(grid);
}

void GyroModel::begin(std::uint64_t seed) {
  const GyroGrid& grid = sharing_.grid();
  for (std::size_t index = 0; index < species_.size(); ++index) {
    const GyroStart start(grid, seed, static_cast<int>(index));
    const auto of_wave = [&grid](GyroPoint point, auto value) {
      if (!grid.has_wave(point.wave)) {
        return Complex{};
      }
      point.wave = grid.wave(point.wave);
      return value(point);
    };
    fill(species_[index].distribution, [&](const GyroPoint& point) {
      return of_wave(point, [&](const GyroPoint& at) { return start.distribution(at); });
    });
    fill(species_[index].potential, [&](const GyroPoint& point) {
      return of_wave(point, [&](const GyroPoint& at) { return start.potential(at); });
    });
  }
}

void GyroModel::start_piece(Species& species, std::size_t piece) {
  begin_phase(GyroPhase::column_transpose);
  species.to_modes[piece].start();
  if (pieces_.size() == 1) {  // nothing to overlap with: one after the other
    species.to_modes[piece].finish();
  }
  to_modes_[piece].start();
}

void GyroModel::finish_piece(Species& species, std::size_t piece) {
  begin_phase(GyroPhase::column_transpose);
  if (pieces_.size() > 1) {
    species.to_modes[piece].finish();
  }
  to_modes_[piece].finish();
}

void GyroModel::compute_piece(std::size_t piece) {
  begin_phase(GyroPhase::bracket);
  const GyroLines lines = pieces_[piece];
  const Index radii = sharing_.grid().radii;
  const Index first = lines.lower * radii;
  bracket_.compute(potential_modes_.data() + first, field_modes_.data() + first,
                   field_modes_.data() + first, lines.length(), sharing_.lines_each() * radii);
}

/// Computes the rate of the stage, while pieces of it are in flight in both directions.
void GyroModel::right_hand_side(Species& species) {
  start_piece(species, 0);
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    finish_piece(species, piece);
    if (piece + 1 < pieces_.size()) {
      start_piece(species, piece + 1);
    }
    compute_piece(piece);
    begin_phase(GyroPhase::column_transpose);
    if (piece > 0) {
      from_modes_[piece - 1].finish();
    }
    from_modes_[piece].start();
  }
  from_modes_.back().finish();
}

void GyroModel::step() {
  constexpr std::array weights{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  constexpr std::array next_stages{0.5, 0.5, 1.0};
  const auto size = static_cast<std::size_t>(sharing_.size());
  for (Species& species : species_) {
    begin_phase(GyroPhase::stepping);
    Complex* const distribution = species.distribution.data();
    std::ranges::copy(species.distribution, stage_.data());
    std::ranges::copy(species.distribution, sum_.data());
    for (std::size_t stage = 0; stage < stages; ++stage) {
      right_hand_side(species);
      begin_phase(GyroPhase::stepping);
      const double weight = time_step_ * weights[stage];
      Complex* const sum = sum_.data();
      const Complex* const rate = rate_.data();
      if (stage + 1 == stages) {
        for (std::size_t at = 0; at < size; ++at) {
          distribution[at] = sum[at] + weight * rate[at];
        }
        continue;
      }
      const double ahead = time_step_ * next_stages[stage];
      Complex* const next = stage_.data();
      for (std::size_t at = 0; at < size; ++at) {
        sum[at] += weight * rate[at];
        next[at] = distribution[at] + ahead * rate[at];
      }
    }
  }
  if (to_pairs_) {
    begin_phase(GyroPhase::row_transpose);
    to_pairs_->start();
    to_pairs_->finish();
    collide();
    begin_phase(GyroPhase::row_transpose);
    from_pairs_->start();
    from_pairs_->finish();
  }
}

void GyroModel::collide() {
  begin_phase(GyroPhase::collisions);
  collisions_.step(all_pairs_.data(), sharing_.points(sharing_.place()).length());
}

/// An order-independent sum over values derived from each number and its position.
std::uint64_t GyroModel::checksum() const {
  std::uint64_t sum = 0;
  const GyroGrid& grid = sharing_.grid();
  for (std::size_t index = 0; index < species_.size(); ++index) {
    const Complex* next = species_[index].distribution.data();
    const Index of_species =
        static_cast<Index>(index) * grid.pairs() * grid.orbit_points * grid.modes;
    for (Index line = 0; line < sharing_.lines(); ++line) {
      if (sharing_.is_padding(line)) {
        break;
      }
      const Index place =
          (sharing_.pair_of(line) * grid.orbit_points + sharing_.orbit_point_of(line)) *
              grid.modes +
          sharing_.mode();
      for (Index wave = 0; wave < grid.radii; ++wave, ++next) {
        auto name = 2 * static_cast<std::uint64_t>((of_species + place) * grid.radii + wave);
        for (const double part : {next->real(), next->imag()}) {
          // Zeros get the same bits whatever their sign.
          const auto bits = std::bit_cast<std::uint64_t>(part + 0.0);
          sum += pattern_word(0, bits ^ pattern_word(0, name++));
        }
      }
    }
  }
  return ranks_.sum(sum);
}

std::int64_t GyroModel::bracket_operations() const {
  return std::int64_t{stages} * species() * sharing_.lines_each() * bracket_.operations();
}

std::int64_t GyroModel::collision_operations() const {
  return to_pairs_ ? collisions_.operations(sharing_.points(sharing_.place()).length()) : 0;
}

std::size_t GyroModel::column_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    for (const Species& species : species_) {
      bytes += species.to_modes[piece].sent_bytes() + to_modes_[piece].sent_bytes() +
               from_modes_[piece].sent_bytes();
    }
  }
  return stages * bytes;
}

std::size_t GyroModel::row_bytes() const {
  return to_pairs_ ? to_pairs_->sent_bytes() + from_pairs_->sent_bytes() : 0;
}

std::size_t GyroModel::off_node_bytes(std::span<const int> node_of_rank) const {
  const auto row_ranks = static_cast<std::size_t>(sharing_.row_ranks());
  std::vector<int> of_column;
  for (Index mode = 0; mode < sharing_.grid().modes; ++mode) {
    of_column.push_back(
        node_of_rank[static_cast<std::size_t>(mode * sharing_.row_ranks() + sharing_.place())]);
  }
  const auto row =
      node_of_rank.subspan(static_cast<std::size_t>(sharing_.mode()) * row_ranks, row_ranks);
  std::size_t bytes = 0;
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    for (const Species& species : species_) {
      bytes += species.to_modes[piece].off_node_bytes(of_column) +
               to_modes_[piece].off_node_bytes(of_column) +
               from_modes_[piece].off_node_bytes(of_column);
    }
  }
  bytes *= stages;
  return to_pairs_ ? bytes + to_pairs_->off_node_bytes(row) + from_pairs_->off_node_bytes(row)
                   : bytes;
}

}  // namespace halocline::numerics
