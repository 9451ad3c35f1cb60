#include "halocline/numerics/gaussian.hpp"

#include <cmath>
#include <numbers>

namespace halocline::numerics {

GaussianRows gaussian_rows(int rows) {
  constexpr int newton_steps = 8;
  GaussianRows northern;
  for (int row = 0; row < rows / 2; ++row) {
    long double sine = std::cos(std::numbers::pi_v<long double> *
                                (static_cast<long double>(row) + 0.75L) / (rows + 0.5L));
    long double slope = 0;
    for (int step = 0; step < newton_steps; ++step) {
      long double before = 1;
      long double value = sine;
      for (int degree = 2; degree <= rows; ++degree) {
        const long double next = ((2 * degree - 1) * sine * value - (degree - 1) * before) / degree;
        before = value;
        value = next;
      }
      slope = rows * (before - sine * value) / (1 - sine * sine);
      sine -= value / slope;
    }
    northern.sine.push_back(static_cast<double>(sine));
    northern.weight.push_back(static_cast<double>(2 / ((1 - sine * sine) * slope * slope)));
  }
  return northern;
}

}  // namespace halocline::numerics
