#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "halocline/numerics/fourier_plan.hpp"
#include "halocline/numerics/gyro_sharing.hpp"

namespace halocline::numerics {

/// Poisson bracket ∂φ/∂r ∂f/∂α - ∂φ/∂α ∂f/∂r of real functions in a periodic plane, from and to
/// their coefficients. Products are taken at enough points that none of their frequencies aliases
/// to one that is kept (the 3/2 rule), so the integrals of f and of f² are conserved.
///
/// A line's bits do not depend on the lines computed with it.
class PoissonBracket {
 public:
  using Complex = std::complex<double>;

  explicit PoissonBracket(const GyroGrid& grid);

  /// Memory of the rows that it works on.
  static double bytes_of(const GyroGrid& grid);

  /// Computes this many lines. Arrays are [mode][line][wave], with `mode_step` coefficients from
  /// one mode to the next. The result may overwrite the field.
  void compute(const Complex* potential, const Complex* field, Complex* result, layout::Index lines,
               layout::Index mode_step);

  /// Per line; transforms count as in FFTW.
  std::int64_t operations() const;

 private:
  using Numbers = std::vector<double>;

  void to_rows(const Complex* line, int lane, layout::Index mode_step, Numbers& rows) const;
  void spread(const Numbers& rows, layout::Index radius, Numbers& column) const;
  void gather(layout::Index radius);
  void from_rows(Complex* line, int lane, layout::Index mode_step) const;
  double* number(Numbers& rows, layout::Index mode, layout::Index place) const;

  GyroGrid grid_;
  FourierPlan<double> radial_;
  FourierPlan<double> toroidal_;
  Numbers potential_rows_;  // [mode, also negative][radius][re, im][lane]
  Numbers field_rows_;
  Numbers potential_column_;  // [angle][re, im][lane]
  Numbers field_column_;
  Numbers product_column_;
};

}  // namespace halocline::numerics
