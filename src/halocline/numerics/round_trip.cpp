#include "halocline/numerics/round_trip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "halocline/base/pattern.hpp"

namespace halocline::numerics {
namespace {

/// A number in −1 … 1 for the coefficient with this index, the same on all ranks.
double coefficient_of(std::uint64_t seed, std::size_t index) {
  return static_cast<double>(pattern_word(seed, index) >> 11U) * 0x1.0p-52 - 1;
}

/// Calls visit(place, place back, value) for each coefficient of this rank.
template <class Real, class Visit>
void each_coefficient(const SphereTransform<Real>& transform, std::uint64_t seed, Visit visit) {
  const SpectralRows& rows = transform.rows();
  const Block groups = transform.groups();
  const int fields_in = transform.batch().fields_in;
  const int fields_out = transform.batch().fields_out;
  const int width = 2 * lanes_of<Real>;
  for (std::size_t position = 0; position < rows.orders().size(); ++position) {
    const int order = rows.orders()[position];
    for (int step = 0; step < rows.degrees(position) - 1; ++step) {
      for (int column = 0; column < groups.count * fields_in * width; ++column) {
        const int field = column / width % fields_in;
        const int group = column / width / fields_in;
        const int part = column % width;
        if (order == 0 && part >= lanes_of<Real>) {
          continue;  // coefficients without zonal variation are real
        }
        const int row = rows.first(position) + step;
        const auto name = static_cast<std::size_t>(
            ((std::int64_t{order} * 1024 + order + step) * 1024 + groups.begin + group) * 1024 +
            std::int64_t{field} * width + part);
        visit(static_cast<std::size_t>((row * groups.count + group) * fields_in + field) *
                      static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(part),
              static_cast<std::size_t>((row * groups.count + group) * fields_out + field) *
                      static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(part),
              static_cast<Real>(coefficient_of(seed, name)));
      }
    }
  }
}

}  // namespace

template <class Real>
ChangedCoefficients<Real> changed_by_round_trip(SphereTransform<Real>& transform,
                                                std::uint64_t seed) {
  const int fields_in = transform.batch().fields_in;
  const int fields_out = transform.batch().fields_out;
  const auto length = [&transform](int fields) {
    return static_cast<std::size_t>(transform.rows().count()) *
           static_cast<std::size_t>(transform.groups().count * fields * 2 * lanes_of<Real>);
  };
  std::vector<Real> there(length(fields_in));
  std::vector<Real> back(length(fields_out));
  each_coefficient(transform, seed, [&](std::size_t place, std::size_t /*place_back*/, Real value) {
    there[place] = value;
  });
  transform.run(
      there,
      [fields_in, fields_out](const GridBatch<Real>& batch) {
        const std::ptrdiff_t length_of_field =
            std::ptrdiff_t{2} * batch.longitudes * lanes_of<Real>;
        for (int field = 0; field < fields_out; ++field) {
          std::copy_n(batch.in + (field % fields_in) * batch.in_step, length_of_field,
                      batch.out + field * batch.out_step);
        }
      },
      back);
  // Sums of random numbers of about T² terms.
  const Real allowed =
      static_cast<Real>(transform.rows().truncation()) * 100 * std::numeric_limits<Real>::epsilon();
  ChangedCoefficients<Real> changed;
  each_coefficient(transform, seed, [&](std::size_t /*place*/, std::size_t place_back, Real value) {
    if (std::abs(back[place_back] - value) <= allowed) {
      return;
    }
    if (changed.count++ == 0) {
      changed.returned = back[place_back];
      changed.expected = value;
    }
  });
  return changed;
}

template ChangedCoefficients<float> changed_by_round_trip(SphereTransform<float>&, std::uint64_t);
template ChangedCoefficients<double> changed_by_round_trip(SphereTransform<double>&, std::uint64_t);

}  // namespace halocline::numerics
