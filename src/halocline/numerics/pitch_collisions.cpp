#include "halocline/numerics/pitch_collisions.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double highest_energy = 6;  // in units of temperature
constexpr Index strip = 64;           // numbers whose systems are solved together in the cache

}  // namespace

PitchCollisions::PitchCollisions(const GyroGrid& grid, double time_step)
    : pitch_angles_(grid.pitch_angles), energies_(grid.energies) {
  const auto angles = static_cast<double>(pitch_angles_);
  const double width = 2 / angles;  // of a volume in ξ
  for (Index energy = 0; energy < energies_; ++energy) {
    const double at_energy =
        highest_energy * (static_cast<double>(energy) + 0.5) / static_cast<double>(energies_);
    const double frequency = 1 / std::pow(at_energy, 1.5);
    double below = 0;  // exchanged with the previous pitch angle
    double factor = 0;
    for (Index angle = 0; angle < pitch_angles_; ++angle) {
      const double face = -1 + static_cast<double>(angle + 1) * width;
      const bool last = angle + 1 == pitch_angles_;
      const double exchanged =
          last ? 0 : time_step * frequency / 2 * (1 - face * face) / (width * width);
      const double pivot = 1 / (1 + (exchanged + below) / 2 - below / 2 * factor);
      factor = exchanged / 2 * pivot;
      rows_.push_back({.exchanged = exchanged, .pivot = pivot, .factor = factor});
      below = exchanged;
    }
  }
}

/// Solves for the mean of old and new values, which gives the exchange between pitch angles. What
/// one loses the next gains, however large the step.
void PitchCollisions::step_energy(const Row* rows, double* values, Index width) const {
  std::vector<double> means(static_cast<std::size_t>(pitch_angles_ * strip));
  for (Index first = 0; first < width; first += strip) {
    const Index length = std::min(strip, width - first);
    for (Index angle = 0; angle < pitch_angles_; ++angle) {
      const double half_before = angle == 0 ? 0 : rows[angle - 1].exchanged / 2;
      const double* const own = values + angle * width + first;
      double* const mean = means.data() + angle * strip;
      const double* const before = mean - (angle == 0 ? 0 : strip);
      for (Index at = 0; at < length; ++at) {
        mean[at] = (own[at] + half_before * before[at]) * rows[angle].pivot;
      }
    }
    for (Index angle = pitch_angles_ - 1; angle-- > 0;) {
      double* const own = values + angle * width + first;
      double* const next = own + width;
      double* const mean = means.data() + angle * strip;
      const double* const next_mean = mean + strip;
      const Row& row = rows[angle];
      for (Index at = 0; at < length; ++at) {
        mean[at] += row.factor * next_mean[at];
        const double exchanged = row.exchanged * (next_mean[at] - mean[at]);
        own[at] += exchanged;
        next[at] -= exchanged;
      }
    }
  }
}

void PitchCollisions::step(std::complex<double>* values, Index points) const {
  const Index width = 2 * points;
  for (Index energy = 0; energy < energies_; ++energy) {
    step_energy(rows_.data() + energy * pitch_angles_,
                reinterpret_cast<double*>(values) + energy * pitch_angles_ * width, width);
  }
}

std::int64_t PitchCollisions::operations(Index points) const {
  constexpr std::int64_t of_number = 9;
  return of_number * 2 * points * pitch_angles_ * energies_;
}

}  // namespace halocline::numerics
