#pragma once

#include <cstddef>

#include "halocline/numerics/fourier_plan.hpp"

namespace halocline::numerics {

/// Numbers per vector instruction. A batch of independent transforms is padded to a multiple of
/// this, and lies side by side in memory.
template <class Real>
inline constexpr int lanes_of = 32 / static_cast<int>(sizeof(Real));

/// result[r][c] = Σ_k left[r][k] right[k][c], summed in the order of k for any shape: bits do not
/// depend on how rows and columns are distributed. The left factor lies in panels of `panel` values
/// of k.
template <class Real>
struct MatrixProduct {
  int rows;
  int inner;
  int columns;  // a multiple of 2 lanes
  const Real* left;
  std::ptrdiff_t left_row_step;
  std::ptrdiff_t left_inner_step;
  int panel;
  std::ptrdiff_t panel_step;  // from one panel to the next
  int first_in_panel;         // place of the first k in its panel
  const Real* right;
  std::ptrdiff_t right_step;  // from one row to the next
  Real* result;
  std::ptrdiff_t result_step;
};

/// Pairs of latitudes side by side in an array of Legendre functions.
inline constexpr int pairs_in_panel = 8;

/// P(n+1) = sine_factor × sine of latitude × P(n) − before_factor × P(n−1).
struct RecurrenceStep {
  double sine_factor;
  double before_factor;
};

/// Legendre functions of an order at some panels of latitudes.
template <class Real>
struct LegendreRecurrence {
  int panels;
  int degrees;                  // from the order on
  const RecurrenceStep* steps;  // one for each degree
  const double* sines;          // of latitude, [panel][pair]
  const double* seeds;          // of the lowest degree, [panel][pair]
  Real* even;                   // those with even degree − order, [panel][degree][pair]
  std::ptrdiff_t even_step;     // from one panel to the next
  Real* odd;
  std::ptrdiff_t odd_step;
};

/// Layout of the Fourier coefficients of a pair of latitudes. Each order has the part that is even
/// about the equator, then the odd one, each with the real parts of all lanes, then the imaginary.
template <class Item>
struct FourierRow {
  Item* coefficients;
  std::ptrdiff_t order_step;
  std::ptrdiff_t parity_step;
};

/// What the equations need for a pair of latitudes; arrays are [longitude][north, south].
template <class Real>
struct ShallowWaterRow {
  int longitudes;
  Real inverse_square_cosine;
  const Real* coriolis;
  const Real* force_u;    // times the cosine of latitude; null if nothing is forced
  const Real* force_v;    // same
  const Real* force_phi;  // of the geopotential
};

/// Inner loops, for the best instructions that this processor has. Complex numbers of a transform
/// are [point][re, im][lane]: the real part is the northern latitude, the imaginary part the
/// southern.
template <class Real>
struct VectorKernels {
  void (*multiply)(const MatrixProduct<Real>& product);
  /// Computes Legendre functions. Their bits do not depend on which panels one call covers.
  void (*legendre)(const LegendreRecurrence<Real>& recurrence);
  void (*forward)(const FourierPlan<Real>& plan, Real* points);
  void (*inverse)(const FourierPlan<Real>& plan, Real* points);
  /// Writes coefficients to the places of their frequencies, and 0 to those of orders that do not
  /// matter and of no order. `mirrors` may be the same as `points`.
  void (*spread)(const FrequencyPlaces& places, FourierRow<const Real> row, Real* points,
                 Real* mirrors);
  /// The reverse, times `factor`.
  void (*gather)(const FrequencyPlaces& places, Real factor, const Real* points,
                 const Real* mirrors, FourierRow<Real> row);
  /// From U, V, ζ and Φ at the points of one batch to U(ζ+f), V(ζ+f), UΦ, VΦ over cos²φ, the
  /// kinetic energy and, if forced, the forcing of Φ. Fields are `step` numbers apart.
  void (*products)(const ShallowWaterRow<Real>& row, const Real* in, std::ptrdiff_t in_step,
                   Real* out, std::ptrdiff_t out_step);
};

template <class Real>
const VectorKernels<Real>& vector_kernels();
template <>
const VectorKernels<float>& vector_kernels<float>();
template <>
const VectorKernels<double>& vector_kernels<double>();

}  // namespace halocline::numerics
