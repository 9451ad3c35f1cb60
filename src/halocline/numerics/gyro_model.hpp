#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/numerics/gyro_start.hpp"
#include "halocline/numerics/gyro_transposes.hpp"
#include "halocline/numerics/pitch_collisions.hpp"
#include "halocline/numerics/poisson_bracket.hpp"

namespace halocline::numerics {

enum class GyroPhase { bracket, collisions, stepping, column_transpose, row_transpose };

struct GyroParts {
  GyroGrid grid;
  bool kinetic_electrons;  // a second species, with collisions
  int pieces;              // per transpose, each in flight while the one before is computed
  bundle::Way way;
  const mpi::Communicator& ranks;
  Pages pages = Pages::as_system;
  std::function<void(GyroPhase)> on_phase = [](GyroPhase) {};
};

/// Nonlinear part of a gyrokinetic model, as in GYRO: a given potential advects distribution
/// functions, and electrons collide.
///
/// Each right-hand side takes three transposes per species: potential and distribution to all
/// modes, and the result back. Collisions take a pair of transposes to all pairs of velocities.
class GyroModel {
 public:
  using Complex = std::complex<double>;

  explicit GyroModel(const GyroParts& parts);

  /// Memory of a rank in bytes, for this many ranks in total.
  static double bytes_of(const GyroGrid& grid, bool kinetic_electrons, bundle::Near near,
                         int ranks);

  /// Sets the functions that the seed defines.
  void begin(std::uint64_t seed);

  /// Four right-hand sides (Runge-Kutta), then collisions.
  void step();

  /// Collective. Sends numbers derived from the seed and their positions through every transpose
  /// and back. Returns what is wrong on this rank, if anything. begin() must follow.
  std::optional<std::string> wrong_transpose(std::uint64_t seed);

  /// Collective. Computes a right-hand side of what begin(seed) left, and compares a few
  /// coefficients with sums of products. Returns what is wrong on this rank, if anything.
  std::optional<std::string> wrong_bracket(std::uint64_t seed);

  /// Collective if species collide. Checks that a step of collisions conserves particles.
  std::optional<std::string> wrong_collisions();

  /// Collective. Count of numbers in the padding that are not 0, over all ranks.
  std::uint64_t not_zero_in_padding() const;

  /// Collective. Sum of the squares of all coefficients; no step raises it.
  double squares() const;

  /// Collective. Depends on the functions, not on how they are shared.
  std::uint64_t checksum() const;

  int species() const { return static_cast<int>(species_.size()); }
  const GyroSharing& sharing() const { return sharing_; }
  /// Work and traffic of this rank per step.
  std::int64_t bracket_operations() const;
  std::int64_t collision_operations() const;
  std::size_t column_bytes() const;
  std::size_t row_bytes() const;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  static constexpr int stages = 4;
  static constexpr layout::Index checked_lines = 4;  // whose integrals are compared

  struct Species {
    GyroArray distribution;
    GyroArray potential;
    std::vector<bundle::Redistribution> to_modes;  // of the potential, in pieces
  };

  void connect_columns(const GyroPlace& place);
  void connect_rows(const GyroPlace& place);
  void begin_phase(GyroPhase phase) { on_phase_(phase); }
  void right_hand_side(Species& species);
  void start_piece(Species& species, std::size_t piece);
  void finish_piece(Species& species, std::size_t piece);
  void compute_piece(std::size_t piece);
  void collide();
  /// Fills a rank's own lines with value(GyroPoint), whose wave is an index; padding is 0.
  template <class Value>
  void fill(GyroArray array, Value value) const {
    auto next = array.begin();
    for (layout::Index line = 0; line < sharing_.lines(); ++line) {
      for (layout::Index index = 0; index < sharing_.grid().radii; ++index) {
        *next++ = sharing_.is_padding(line) ? Complex{} : value(point_of(line, index));
      }
    }
  }
  GyroPoint point_of(layout::Index line, layout::Index index) const {
    return {.mode = sharing_.mode(),
            .wave = index,
            .pair = sharing_.pair_of(line),
            .orbit_point = sharing_.orbit_point_of(line)};
  }
  void carry_to_modes(Species& species);
  void carry_from_modes();
  std::optional<std::string> wrong_columns(std::uint64_t seed, Species& species);
  std::optional<std::string> wrong_rows(std::uint64_t seed);
  std::optional<std::string> wrong_modes(std::span<const Complex> array, std::uint64_t seed) const;
  std::optional<std::string> wrong_own(std::span<const Complex> array, std::uint64_t seed) const;
  std::optional<std::string> wrong_integrals();
  std::optional<std::string> wrong_sum(std::uint64_t seed, int species) const;

  GyroSharing sharing_;
  const mpi::Communicator& ranks_;
  std::function<void(GyroPhase)> on_phase_;
  mpi::Communicator row_;
  mpi::Communicator column_;
  std::vector<GyroLines> pieces_;
  double time_step_;
  PoissonBracket bracket_;
  PitchCollisions collisions_;
  GyroMemory memory_;
  std::vector<Species> species_;  // ions, electrons
  GyroArray stage_;               // argument of a right-hand side
  GyroArray sum_;
  GyroArray rate_;
  GyroArray potential_modes_;  // all modes of some lines
  GyroArray field_modes_;      // same, then the bracket
  GyroArray all_pairs_;
  std::vector<bundle::Redistribution> to_modes_;
  std::vector<bundle::Redistribution> from_modes_;
  std::unique_ptr<bundle::Redistribution> to_pairs_;  // null without collisions
  std::unique_ptr<bundle::Redistribution> from_pairs_;
};

}  // namespace halocline::numerics
