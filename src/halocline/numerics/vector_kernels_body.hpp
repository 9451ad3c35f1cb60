#pragma once

#include <array>
#include <cstddef>

#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {

// Compiled once for each set of instructions, which `Set` names: nothing here may be shared with
// other files, so that none gets instructions that its processor lacks.
template <class Set, class Real>
struct KernelsFor {
  // Takes any alignment of a Real.
  using Vector [[gnu::vector_size(32), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;

  static Vector& at(Real* place) { return *reinterpret_cast<Vector*>(place); }
  static const Vector& at(const Real* place) { return *reinterpret_cast<const Vector*>(place); }

  static constexpr int width = lanes_of<Real>;
  static constexpr std::ptrdiff_t complex_width = std::ptrdiff_t{2} * width;

  struct Complex {
    Vector re;
    Vector im;
  };

  template <int Rows>
  [[gnu::always_inline]] static void tile(const MatrixProduct<Real>& product, const Real* left,
                                          Real* result) {
    for (int column = 0; column < product.columns; column += 2 * width) {
      // NOLINTBEGIN(modernize-avoid-c-arrays): an std::array of them would be one for all sets
      Vector low[Rows] = {};
      Vector high[Rows] = {};
      // NOLINTEND(modernize-avoid-c-arrays)
      const Real* right = product.right + column;
      const Real* factor = left;
      for (int k = 0; k < product.inner; ++k) {
        const Vector right_low = at(right);
        const Vector right_high = at(right + width);
        for (int row = 0; row < Rows; ++row) {
          const Real value = factor[row * product.left_row_step];
          low[row] += value * right_low;
          high[row] += value * right_high;
        }
        right += product.right_step;
        factor += product.left_inner_step;
      }
      for (int row = 0; row < Rows; ++row) {
        at(result + row * product.result_step + column) = low[row];
        at(result + row * product.result_step + column + width) = high[row];
      }
    }
  }

  static void multiply(const MatrixProduct<Real>& product) {
    constexpr int tile_rows = 6;  // two vectors of each fill the registers
    const Real* left = product.left;
    Real* result = product.result;
    int rest = product.rows;
    for (; rest >= tile_rows; rest -= tile_rows) {
      tile<tile_rows>(product, left, result);
      left += tile_rows * product.left_row_step;
      result += tile_rows * product.result_step;
    }
    switch (rest) {
      case 1:
        return tile<1>(product, left, result);
      case 2:
        return tile<2>(product, left, result);
      case 3:
        return tile<3>(product, left, result);
      case 4:
        return tile<4>(product, left, result);
      case 5:
        return tile<5>(product, left, result);
      default:
        return;
    }
  }

  // Butterflies; sign -1 is the forward transform.
  template <int sign>
  [[gnu::always_inline]] static void turn(Complex& z) {  // times sign i
    const Vector re = z.re;
    z.re = -sign * z.im;
    z.im = sign * re;
  }

  template <int radix, int sign>
  [[gnu::always_inline]] static void butterfly(Complex* z) {
    if constexpr (radix == 2) {
      const Complex a = z[0];
      z[0] = {a.re + z[1].re, a.im + z[1].im};
      z[1] = {a.re - z[1].re, a.im - z[1].im};
    } else if constexpr (radix == 4) {
      const Complex even_sum{z[0].re + z[2].re, z[0].im + z[2].im};
      const Complex even_difference{z[0].re - z[2].re, z[0].im - z[2].im};
      const Complex odd_sum{z[1].re + z[3].re, z[1].im + z[3].im};
      Complex odd_difference{z[1].re - z[3].re, z[1].im - z[3].im};
      turn<sign>(odd_difference);
      z[0] = {even_sum.re + odd_sum.re, even_sum.im + odd_sum.im};
      z[2] = {even_sum.re - odd_sum.re, even_sum.im - odd_sum.im};
      z[1] = {even_difference.re + odd_difference.re, even_difference.im + odd_difference.im};
      z[3] = {even_difference.re - odd_difference.re, even_difference.im - odd_difference.im};
    } else if constexpr (radix == 3) {
      constexpr Real sine = Real(0.866025403784438646763723170752936183L);
      const Complex sum{z[1].re + z[2].re, z[1].im + z[2].im};
      Complex difference{sine * (z[1].re - z[2].re), sine * (z[1].im - z[2].im)};
      turn<sign>(difference);
      const Complex middle{z[0].re - Real(0.5) * sum.re, z[0].im - Real(0.5) * sum.im};
      z[0] = {z[0].re + sum.re, z[0].im + sum.im};
      z[1] = {middle.re + difference.re, middle.im + difference.im};
      z[2] = {middle.re - difference.re, middle.im - difference.im};
    } else {
      constexpr Real cosine1 = Real(0.309016994374947424102293417182819059L);
      constexpr Real cosine2 = Real(-0.809016994374947424102293417182819059L);
      constexpr Real sine1 = Real(0.951056516295153572116439333379382143L);
      constexpr Real sine2 = Real(0.587785252292473129168705954639072769L);
      const Complex outer{z[1].re + z[4].re, z[1].im + z[4].im};
      const Complex inner{z[2].re + z[3].re, z[2].im + z[3].im};
      const Complex outer_difference{z[1].re - z[4].re, z[1].im - z[4].im};
      const Complex inner_difference{z[2].re - z[3].re, z[2].im - z[3].im};
      const Complex first{z[0].re + cosine1 * outer.re + cosine2 * inner.re,
                          z[0].im + cosine1 * outer.im + cosine2 * inner.im};
      const Complex second{z[0].re + cosine2 * outer.re + cosine1 * inner.re,
                           z[0].im + cosine2 * outer.im + cosine1 * inner.im};
      Complex first_turned{sine1 * outer_difference.re + sine2 * inner_difference.re,
                           sine1 * outer_difference.im + sine2 * inner_difference.im};
      Complex second_turned{sine2 * outer_difference.re - sine1 * inner_difference.re,
                            sine2 * outer_difference.im - sine1 * inner_difference.im};
      turn<sign>(first_turned);
      turn<sign>(second_turned);
      z[0] = {z[0].re + outer.re + inner.re, z[0].im + outer.im + inner.im};
      z[1] = {first.re + first_turned.re, first.im + first_turned.im};
      z[4] = {first.re - first_turned.re, first.im - first_turned.im};
      z[2] = {second.re + second_turned.re, second.im + second_turned.im};
      z[3] = {second.re - second_turned.re, second.im - second_turned.im};
    }
  }

  template <int radix, int sign>
  static void pass(const FourierPlan<Real>::Pass& pass, int length, Real* points) {
    const Real* const twiddles = pass.twiddle.data();
    const std::ptrdiff_t step = pass.step * complex_width;
    const int block = radix * pass.step;
    for (int start = 0; start < length; start += block) {
      for (int j = 0; j < pass.step; ++j) {
        Real* const first = points + (start + j) * complex_width;
        const Real* const twiddle = twiddles + std::ptrdiff_t{j} * 2 * (radix - 1);
        std::array<Complex, radix> z;
        for (int q = 0; q < radix; ++q) {
          z[q] = {at(first + q * step), at(first + q * step + width)};
        }
        if constexpr (sign > 0) {
          for (int q = 1; q < radix; ++q) {
            const Real re = twiddle[2 * q - 2];
            const Real im = -twiddle[2 * q - 1];
            z[q] = {re * z[q].re - im * z[q].im, re * z[q].im + im * z[q].re};
          }
        }
        butterfly<radix, sign>(z.data());
        if constexpr (sign < 0) {
          for (int q = 1; q < radix; ++q) {
            const Real re = twiddle[2 * q - 2];
            const Real im = twiddle[2 * q - 1];
            z[q] = {re * z[q].re - im * z[q].im, re * z[q].im + im * z[q].re};
          }
        }
        for (int q = 0; q < radix; ++q) {
          at(first + q * step) = z[q].re;
          at(first + q * step + width) = z[q].im;
        }
      }
    }
  }

  template <int sign>
  static void any_pass(const FourierPlan<Real>::Pass& next, int length, Real* points) {
    switch (next.radix) {
      case 2:
        return pass<2, sign>(next, length, points);
      case 3:
        return pass<3, sign>(next, length, points);
      case 4:
        return pass<4, sign>(next, length, points);
      default:
        return pass<5, sign>(next, length, points);
    }
  }

  static void forward(const FourierPlan<Real>& plan, Real* points) {
    const auto* const passes = plan.passes.data();
    const auto count = static_cast<std::ptrdiff_t>(plan.passes.size());
    for (std::ptrdiff_t index = 0; index < count; ++index) {
      any_pass<-1>(passes[index], plan.length, points);
    }
  }

  static void inverse(const FourierPlan<Real>& plan, Real* points) {
    const auto* const passes = plan.passes.data();
    for (auto index = static_cast<std::ptrdiff_t>(plan.passes.size()); index-- > 0;) {
      any_pass<1>(passes[index], plan.length, points);
    }
  }

  static void spread(const FrequencyPlaces& places, FourierRow<const Real> row, Real* points,
                     Real* mirrors) {
    for (int index = 0; index < places.count; ++index) {
      const Real* const even = row.coefficients + index * row.order_step;
      const Real* const odd = even + row.parity_step;
      const Vector north_re = at(even) + at(odd);
      const Vector south_re = at(even) - at(odd);
      Real* const positive = points + places.orders[index] * complex_width;
      if (places.mirrors[index] < 0) {
        at(positive) = north_re;
        at(positive + width) = south_re;
        continue;
      }
      const Vector north_im = at(even + width) + at(odd + width);
      const Vector south_im = at(even + width) - at(odd + width);
      Real* const negative = mirrors + places.mirrors[index] * complex_width;
      at(positive) = north_re - south_im;
      at(positive + width) = north_im + south_re;
      at(negative) = north_re + south_im;
      at(negative + width) = south_re - north_im;
    }
  }

  static void gather(const FrequencyPlaces& places, Real factor, const Real* points,
                     const Real* mirrors, FourierRow<Real> row) {
    const Real half = factor / 2;
    for (int index = 0; index < places.count; ++index) {
      const Real* const positive = points + places.orders[index] * complex_width;
      const Real* const negative =
          places.mirrors[index] < 0 ? positive : mirrors + places.mirrors[index] * complex_width;
      const Vector north_re = at(positive) + at(negative);
      const Vector north_im = at(positive + width) - at(negative + width);
      const Vector south_re = at(positive + width) + at(negative + width);
      const Vector south_im = at(negative) - at(positive);
      Real* const even = row.coefficients + index * row.order_step;
      Real* const odd = even + row.parity_step;
      at(even) = half * (north_re + south_re);
      at(even + width) = half * (north_im + south_im);
      at(odd) = half * (north_re - south_re);
      at(odd + width) = half * (north_im - south_im);
    }
  }

  static void products(const ShallowWaterRow<Real>& row, const Real* in, std::ptrdiff_t in_step,
                       Real* out, std::ptrdiff_t out_step) {
    const Real scale = row.inverse_square_cosine;
    for (std::ptrdiff_t point = 0; point < std::ptrdiff_t{2} * row.longitudes; ++point) {
      const std::ptrdiff_t place = point * width;
      const Vector u = at(in + place);
      const Vector v = at(in + in_step + place);
      const Vector vorticity = at(in + 2 * in_step + place) + row.coriolis[point];
      const Vector phi = at(in + 3 * in_step + place);
      const Vector scaled_u = scale * u;
      const Vector scaled_v = scale * v;
      Vector flux_u = scaled_u * vorticity;
      Vector flux_v = scaled_v * vorticity;
      if (row.force_u != nullptr) {
        flux_u -= scale * row.force_v[point];
        flux_v += scale * row.force_u[point];
        at(out + 5 * out_step + place) = Vector{} + row.force_phi[point];
      }
      at(out + place) = flux_u;
      at(out + out_step + place) = flux_v;
      at(out + 2 * out_step + place) = scaled_u * phi;
      at(out + 3 * out_step + place) = scaled_v * phi;
      at(out + 4 * out_step + place) = Real(0.5) * (u * scaled_u + v * scaled_v);
    }
  }

  static constexpr VectorKernels<Real> table{.multiply = multiply,
                                             .forward = forward,
                                             .inverse = inverse,
                                             .spread = spread,
                                             .gather = gather,
                                             .products = products};
};

}  // namespace halocline::numerics
