#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "halocline/base/pattern.hpp"
#include "halocline/base/words.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/numerics/gyro_model.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;
using Complex = GyroModel::Complex;

constexpr double allowed_of_bracket = 1e-12;
constexpr double allowed_of_particles = 1e-13;
constexpr double allowed_growth = 1e-14;  // of the sum of squares, by rounding

/// A number derived from seed and position.
Complex code(const GyroGrid& grid, const GyroPoint& point, std::uint64_t seed) {
  const Index place =
      ((point.pair * grid.orbit_points + point.orbit_point) * grid.modes + point.mode) *
          grid.radii +
      point.wave;
  const auto word = static_cast<std::uint64_t>(place);
  constexpr unsigned unused_bits = 12;  // the rest is exact
  return {static_cast<double>(place + 1),
          static_cast<double>(pattern_word(seed, word) >> unused_bits)};
}

bool same_bits(Complex one, Complex other) {
  return std::bit_cast<std::uint64_t>(one.real()) == std::bit_cast<std::uint64_t>(other.real()) &&
         std::bit_cast<std::uint64_t>(one.imag()) == std::bit_cast<std::uint64_t>(other.imag());
}

void poison(GyroArray array) {
  std::ranges::fill(array, Complex{std::numeric_limits<double>::quiet_NaN(), -1});
}

std::string place_text(const GyroPoint& point) {
  return "mode " + std::to_string(point.mode) + ", pair " + std::to_string(point.pair) +
         ", orbit point " + std::to_string(point.orbit_point) + ", wave " +
         std::to_string(point.wave);
}

}  // namespace

void GyroModel::carry_to_modes(Species& species) {
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    start_piece(species, piece);
    finish_piece(species, piece);
  }
}

void GyroModel::carry_from_modes() {
  for (bundle::Redistribution& piece : from_modes_) {
    piece.start();
    piece.finish();
  }
}

std::optional<std::string> GyroModel::wrong_modes(std::span<const Complex> array,
                                                  std::uint64_t seed) const {
  const GyroGrid& grid = sharing_.grid();
  const Complex* next = array.data();
  for (Index mode = 0; mode < grid.modes; ++mode) {
    for (Index each = 0; each < sharing_.lines_each(); ++each) {
      const Index line = sharing_.mode() * sharing_.lines_each() + each;
      for (Index index = 0; index < grid.radii; ++index) {
        GyroPoint point = point_of(line, index);
        point.mode = mode;
        const Complex expected = sharing_.is_padding(line) ? Complex{} : code(grid, point, seed);
        if (!same_bits(*next++, expected)) {
          return "a transpose on columns has not brought " + place_text(point);
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> GyroModel::wrong_own(std::span<const Complex> array,
                                                std::uint64_t seed) const {
  const Complex* next = array.data();
  for (Index line = 0; line < sharing_.lines(); ++line) {
    for (Index index = 0; index < sharing_.grid().radii; ++index) {
      const GyroPoint point = point_of(line, index);
      const Complex expected =
          sharing_.is_padding(line) ? Complex{} : code(sharing_.grid(), point, seed);
      if (!same_bits(*next++, expected)) {
        return "a transpose has not brought back " + place_text(point);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> GyroModel::wrong_columns(std::uint64_t seed, Species& species) {
  const auto of_potential = [&](const GyroPoint& point) {
    return code(sharing_.grid(), point, seed + 1);
  };
  fill(species.potential, of_potential);
  fill(stage_, [&](const GyroPoint& point) { return code(sharing_.grid(), point, seed); });
  poison(potential_modes_);
  poison(field_modes_);
  poison(rate_);
  carry_to_modes(species);
  const auto wrong_potential = wrong_modes(potential_modes_, seed + 1);
  const auto wrong_field = wrong_modes(field_modes_, seed);
  carry_from_modes();
  const auto wrong_back = wrong_own(rate_, seed);
  return wrong_potential ? wrong_potential : wrong_field ? wrong_field : wrong_back;
}

std::optional<std::string> GyroModel::wrong_rows(std::uint64_t seed) {
  const GyroGrid& grid = sharing_.grid();
  const GyroArray own = species_.back().distribution;
  fill(own, [&](const GyroPoint& point) { return code(grid, point, seed); });
  poison(all_pairs_);
  to_pairs_->start();
  to_pairs_->finish();
  std::optional<std::string> wrong;
  const Complex* next = all_pairs_.data();
  const layout::Interval points = sharing_.points(sharing_.place());
  for (Index pair = 0; pair < sharing_.all_pairs(); ++pair) {
    for (Index at = points.lower; at < points.upper; ++at) {
      const GyroPoint point{.mode = sharing_.mode(),
                            .wave = at % grid.radii,
                            .pair = pair,
                            .orbit_point = at / grid.radii};
      const Complex expected = pair < grid.pairs() ? code(grid, point, seed) : Complex{};
      if (!same_bits(*next++, expected) && !wrong) {
        wrong = "a transpose on rows has not brought " + place_text(point);
      }
    }
  }
  const auto pairs = static_cast<std::size_t>(sharing_.pairs() * grid.points());
  std::ranges::fill(own.first(pairs), Complex{-1, -1});
  from_pairs_->start();
  from_pairs_->finish();
  const auto wrong_back = wrong_own(own, seed);
  return wrong ? wrong : wrong_back;
}

std::optional<std::string> GyroModel::wrong_transpose(std::uint64_t seed) {
  std::optional<std::string> wrong;
  for (Species& species : species_) {
    const auto of_columns = wrong_columns(seed, species);
    wrong = wrong ? wrong : of_columns;
  }
  if (to_pairs_) {
    const auto of_rows = wrong_rows(seed);
    wrong = wrong ? wrong : of_rows;
  }
  return wrong;
}

/// For the first lines: the bracket's mean, and its product with the field, must be 0.
std::optional<std::string> GyroModel::wrong_integrals() {
  const GyroGrid& grid = sharing_.grid();
  const Index lines = std::min(checked_lines, sharing_.lines_each());
  const Index mode_step = lines * grid.radii;
  std::vector<Complex> bracket(static_cast<std::size_t>(grid.modes * mode_step));
  const Index from_step = sharing_.lines_each() * grid.radii;
  std::vector<Complex> potential(bracket.size());
  std::vector<Complex> field(bracket.size());
  for (Index mode = 0; mode < grid.modes; ++mode) {
    std::copy_n(potential_modes_.data() + mode * from_step, mode_step,
                potential.data() + mode * mode_step);
    std::copy_n(field_modes_.data() + mode * from_step, mode_step, field.data() + mode * mode_step);
  }
  bracket_.compute(potential.data(), field.data(), bracket.data(), lines, mode_step);
  for (Index line = 0; line < lines; ++line) {
    double product = 0;
    double field_squares = 0;
    double gradient_squares = 0;
    double steepest = 0;
    for (Index mode = 0; mode < grid.modes; ++mode) {
      const double copies = mode == 0 ? 1 : 2;  // with conjugates
      for (Index index = 0; index < grid.radii; ++index) {
        const auto at = static_cast<std::size_t>(mode * mode_step + line * grid.radii + index);
        const auto wave = static_cast<double>(grid.wave(index));
        const double waves = wave * wave + static_cast<double>(mode * mode);
        product += copies * (std::conj(field[at]) * bracket[at]).real();
        field_squares += copies * std::norm(field[at]);
        gradient_squares += copies * waves * std::norm(field[at]);
        steepest += copies * std::sqrt(waves) * std::abs(potential[at]);
      }
    }
    // Upper bound of any bracket.
    const double largest = steepest * std::sqrt(gradient_squares);
    const double mean = std::abs(bracket[static_cast<std::size_t>(line * grid.radii)]);
    if (!(mean <= allowed_of_bracket * largest) ||
        !(std::abs(product) <= allowed_of_bracket * largest * std::sqrt(field_squares))) {
      return "the bracket changes the integral of f by " + number_text(mean) + ", that of f² by " +
             number_text(2 * product) + ", of " + number_text(largest);
    }
  }
  return std::nullopt;
}

/// Compares a few coefficients of the rate with the sums over all pairs of waves that form them.
std::optional<std::string> GyroModel::wrong_sum(std::uint64_t seed, int species) const {
  const GyroGrid& grid = sharing_.grid();
  const GyroStart start(grid, seed, species);
  const Index highest = grid.highest_wave();
  constexpr std::uint64_t samples = 3;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    const std::uint64_t drawn = pattern_word(seed, sample) >> 1U;
    const auto line = static_cast<Index>(drawn % static_cast<std::uint64_t>(sharing_.lines()));
    if (sharing_.is_padding(line)) {
      continue;
    }
    const Index wave =
        static_cast<Index>(drawn / 7 % static_cast<std::uint64_t>(2 * highest + 1)) - highest;
    GyroPoint one = point_of(line, 0);
    GyroPoint other = one;
    Complex sum = 0;
    double scale = 0;
    for (one.mode = 1 - grid.modes; one.mode < grid.modes; ++one.mode) {
      other.mode = sharing_.mode() - one.mode;
      if (std::abs(other.mode) >= grid.modes) {
        continue;
      }
      for (one.wave = std::max(-highest, wave - highest);
           one.wave <= std::min(highest, wave + highest); ++one.wave) {
        other.wave = wave - one.wave;
        const auto area = static_cast<double>(one.mode * other.wave - one.wave * other.mode);
        const Complex term = start.potential(one) * start.distribution(other);
        sum += area * term;
        scale +=
            (std::hypot(one.mode, one.wave) * std::hypot(other.mode, other.wave)) * std::abs(term);
      }
    }
    const Complex rate = rate_.data()[line * grid.radii + grid.index_of(wave)];
    if (!(std::abs(rate - sum) <= allowed_of_bracket * scale)) {
      const GyroPoint point = point_of(line, wave);
      return "the bracket at " + place_text(point) + " is off the sum of products by " +
             number_text(std::abs(rate - sum)) +
             ", allowed: " + number_text(allowed_of_bracket * scale);
    }
  }
  return std::nullopt;
}

std::optional<std::string> GyroModel::wrong_bracket(std::uint64_t seed) {
  std::optional<std::string> wrong;
  for (std::size_t index = 0; index < species_.size(); ++index) {
    std::ranges::copy(species_[index].distribution, stage_.data());
    carry_to_modes(species_[index]);
    const auto of_integrals = wrong_integrals();
    right_hand_side(species_[index]);
    const auto of_sum = wrong_sum(seed, static_cast<int>(index));
    wrong = wrong ? wrong : of_integrals ? of_integrals : of_sum;
  }
  return wrong;
}

std::optional<std::string> GyroModel::wrong_collisions() {
  if (!to_pairs_) {
    return std::nullopt;
  }
  const GyroGrid& grid = sharing_.grid();
  const Index points = sharing_.points(sharing_.place()).length();
  struct Account {
    std::vector<Complex> particles;  // [energy][point]
    std::vector<double> sizes;
    double squares = 0;
  };
  const auto account = [&] {
    Account sums{
        .particles = std::vector<Complex>(static_cast<std::size_t>(grid.energies * points)),
        .sizes = {}};
    sums.sizes.resize(sums.particles.size());
    for (Index pair = 0; pair < grid.pairs(); ++pair) {
      for (Index point = 0; point < points; ++point) {
        const Complex value = all_pairs_.data()[pair * points + point];
        const auto at = static_cast<std::size_t>(pair / grid.pitch_angles * points + point);
        sums.particles[at] += value;
        sums.sizes[at] += std::abs(value);
        sums.squares += std::norm(value);
      }
    }
    return sums;
  };
  to_pairs_->start();
  to_pairs_->finish();
  const Account before = account();
  collide();
  const Account after = account();
  from_pairs_->start();
  from_pairs_->finish();
  for (std::size_t at = 0; at < before.particles.size(); ++at) {
    const double lost = std::abs(after.particles[at] - before.particles[at]);
    if (!(lost <= allowed_of_particles * before.sizes[at])) {
      return "collisions change the particles at a point by " + number_text(lost) + " of " +
             number_text(before.sizes[at]);
    }
  }
  if (!(after.squares <= before.squares * (1 + allowed_growth))) {
    return "collisions raise the sum of f² from " + number_text(before.squares) + " to " +
           number_text(after.squares);
  }
  return std::nullopt;
}

std::uint64_t GyroModel::not_zero_in_padding() const {
  std::uint64_t count = 0;
  const Index radii = sharing_.grid().radii;
  for (const Species& species : species_) {
    for (Index line = 0; line < sharing_.lines(); ++line) {
      for (Index index = 0; index < radii; ++index) {
        if (sharing_.is_padding(line) || !sharing_.grid().has_wave(index)) {
          count += species.distribution.data()[line * radii + index] == 0.0 ? 0 : 1;
        }
      }
    }
  }
  return ranks_.sum(count);
}

double GyroModel::squares() const {
  double own = 0;
  for (const Species& species : species_) {
    for (const Complex value : species.distribution) {
      own += (sharing_.mode() == 0 ? 1 : 2) * std::norm(value);  // with conjugates
    }
  }
  double all = 0;
  mpi::Collectives(ranks_).all_reduce(std::span<const double>(&own, 1), std::span(&all, 1));
  return all;
}

}  // namespace halocline::numerics
