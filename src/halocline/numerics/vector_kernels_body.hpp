#pragma once

#include <cstddef>
#include <type_traits>

#include "halocline/numerics/compat/swapped_halves.hpp"
#include "halocline/numerics/legendre_recurrence_body.hpp"
#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {

// Compiled once per instruction set, which `Set` names. Nothing here may be shared with other
// files, so that none gets instructions that its processor lacks. A set defines the length of its
// vectors, and how many rows and vectors of a product fill its registers.

/// A complex number per lane, in two vectors.
template <class Set, class Real>
struct ComplexPair {
  // Takes any alignment of a Real.
  using Vector [[gnu::vector_size(32), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;

  static constexpr int width = lanes_of<Real>;

  Vector re;
  Vector im;

  [[gnu::always_inline]] static ComplexPair load(const Real* place) {
    return {*reinterpret_cast<const Vector*>(place),
            *reinterpret_cast<const Vector*>(place + width)};
  }
  [[gnu::always_inline]] void store(Real* place) const {
    *reinterpret_cast<Vector*>(place) = re;
    *reinterpret_cast<Vector*>(place + width) = im;
  }
  [[gnu::always_inline]] friend ComplexPair operator+(ComplexPair left, ComplexPair right) {
    return {left.re + right.re, left.im + right.im};
  }
  [[gnu::always_inline]] friend ComplexPair operator-(ComplexPair left, ComplexPair right) {
    return {left.re - right.re, left.im - right.im};
  }
  [[gnu::always_inline]] friend ComplexPair operator*(Real factor, ComplexPair z) {
    return {factor * z.re, factor * z.im};
  }
  [[gnu::always_inline]] ComplexPair conjugate() const { return {re, -im}; }
  /// Multiplied by sign × i.
  template <int sign>
  [[gnu::always_inline]] ComplexPair turned() const {
    return {-sign * im, sign * re};
  }
  [[gnu::always_inline]] ComplexPair times(Real real, Real imaginary) const {
    return {real * re - imaginary * im, real * im + imaginary * re};
  }
};

/// Same in one vector, twice as long.
template <class Set, class Real>
struct ComplexVector {
  using Vector [[gnu::vector_size(64), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;

  static constexpr int width = lanes_of<Real>;

  Vector parts;

  [[gnu::always_inline]] static ComplexVector load(const Real* place) {
    return {*reinterpret_cast<const Vector*>(place)};
  }
  [[gnu::always_inline]] void store(Real* place) const {
    *reinterpret_cast<Vector*>(place) = parts;
  }
  [[gnu::always_inline]] friend ComplexVector operator+(ComplexVector left, ComplexVector right) {
    return {left.parts + right.parts};
  }
  [[gnu::always_inline]] friend ComplexVector operator-(ComplexVector left, ComplexVector right) {
    return {left.parts - right.parts};
  }
  [[gnu::always_inline]] friend ComplexVector operator*(Real factor, ComplexVector z) {
    return {factor * z.parts};
  }
  // Products with 1 and -1 are exact; fused with the sum that follows they cost nothing.
  [[gnu::always_inline]] ComplexVector conjugate() const { return {halves(1, -1) * parts}; }
  template <int sign>
  [[gnu::always_inline]] ComplexVector turned() const {
    return {halves(-sign, sign) * swapped_halves(parts)};
  }
  [[gnu::always_inline]] ComplexVector times(Real real, Real imaginary) const {
    return {real * parts + imaginary * turned<1>().parts};
  }

 private:
  [[gnu::always_inline]] static Vector halves(Real first, Real second) {
    Vector vector{};
    for (int lane = 0; lane < width; ++lane) {
      vector[lane] = first;
      vector[width + lane] = second;
    }
    return vector;
  }
};

template <class Set, class Real>
struct KernelsFor {
  using Pair = ComplexPair<Set, Real>;
  using Complex = std::conditional_t<Set::vector_bytes == 64, ComplexVector<Set, Real>, Pair>;
  using Vector = Pair::Vector;
  // Longest vector of this set.
  using Long [[gnu::vector_size(Set::vector_bytes), gnu::aligned(sizeof(Real)), gnu::may_alias]] =
      Real;

  static Vector& at(Real* place) { return *reinterpret_cast<Vector*>(place); }
  static const Vector& at(const Real* place) { return *reinterpret_cast<const Vector*>(place); }

  static constexpr int width = lanes_of<Real>;
  static constexpr std::ptrdiff_t complex_width = std::ptrdiff_t{2} * width;
  static constexpr int long_width = Set::vector_bytes / static_cast<int>(sizeof(Real));
  static constexpr int orders_ahead = 8;  // whose places are fetched before they are written

  // Results may lie far apart, where no processor fetches ahead.
  template <int Rows, int Vectors>
  [[gnu::always_inline]] static void fetch_results(const MatrixProduct<Real>& product,
                                                   Real* result) {
    for (int row = 0; row < Rows; ++row) {
      for (int vector = 0; vector < Vectors; ++vector) {
        __builtin_prefetch(result + row * product.result_step + vector * long_width, 1);
      }
    }
  }

  template <int Rows, int Vectors>
  [[gnu::always_inline]] static void tile(const MatrixProduct<Real>& product, const Real* left,
                                          const Real* right, Real* result) {
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): an std::array of them would be one for all sets
    Long sums[Rows][Vectors] = {};
    fetch_results<Rows, Vectors>(product, result);
    const std::ptrdiff_t row_step = product.left_row_step;
    const std::ptrdiff_t inner_step = product.left_inner_step;
    const std::ptrdiff_t right_step = product.right_step;
    int panel = product.panel - product.first_in_panel;
    for (int rest = product.inner; rest > 0;) {
      const int count = rest < panel ? rest : panel;
      for (int k = 0; k < count; ++k) {
        // NOLINTNEXTLINE(modernize-avoid-c-arrays)
        Long factors[Vectors];
        for (int vector = 0; vector < Vectors; ++vector) {
          factors[vector] = *reinterpret_cast<const Long*>(right + vector * long_width);
        }
        for (int row = 0; row < Rows; ++row) {
          const Real value = left[row * row_step];
          for (int vector = 0; vector < Vectors; ++vector) {
            sums[row][vector] += value * factors[vector];
          }
        }
        right += right_step;
        left += inner_step;
      }
      rest -= count;
      panel = product.panel;
      if (rest > 0) {  // the array may end within its last panel
        left += product.panel_step - product.panel * inner_step;
      }
    }
    for (int row = 0; row < Rows; ++row) {
      for (int vector = 0; vector < Vectors; ++vector) {
        *reinterpret_cast<Long*>(result + row * product.result_step + vector * long_width) =
            sums[row][vector];
      }
    }
  }

  template <int Rows>
  [[gnu::always_inline]] static void tiles_of_rows(const MatrixProduct<Real>& product,
                                                   const Real* left, Real* result) {
    constexpr int most = Set::tile_vectors;
    const Real* right = product.right;
    int rest = product.columns / long_width;
    while (rest > 0) {
      // Two tiles of two beat one of three and one of one.
      if (rest >= most && !(most == 3 && rest == 4)) {
        tile<Rows, most>(product, left, right, result);
        rest -= most;
        right += most * long_width;
        result += most * long_width;
      } else if (rest >= 2) {
        tile<Rows, 2>(product, left, right, result);
        rest -= 2;
        right += 2 * long_width;
        result += 2 * long_width;
      } else {
        tile<Rows, 1>(product, left, right, result);
        return;
      }
    }
  }

  template <int Rows>
  static void rest_of_rows(const MatrixProduct<Real>& product, int rows, const Real* left,
                           Real* result) {
    if constexpr (Rows > 0) {
      if (rows == Rows) {
        tiles_of_rows<Rows>(product, left, result);
      } else {
        rest_of_rows<Rows - 1>(product, rows, left, result);
      }
    }
  }

  static void multiply(const MatrixProduct<Real>& product) {
    constexpr int tile_rows = Set::tile_rows;
    const Real* left = product.left;
    Real* result = product.result;
    int rest = product.rows;
    for (; rest >= tile_rows; rest -= tile_rows) {
      tiles_of_rows<tile_rows>(product, left, result);
      left += tile_rows * product.left_row_step;
      result += tile_rows * product.result_step;
    }
    rest_of_rows<tile_rows - 1>(product, rest, left, result);
  }

  // Butterflies; sign -1 is the forward transform.
  template <int radix, int sign>
  [[gnu::always_inline]] static void butterfly(Complex* z) {
    if constexpr (radix == 2) {
      const Complex a = z[0];
      z[0] = a + z[1];
      z[1] = a - z[1];
    } else if constexpr (radix == 4) {
      const Complex even_sum = z[0] + z[2];
      const Complex even_difference = z[0] - z[2];
      const Complex odd_sum = z[1] + z[3];
      const Complex odd_difference = (z[1] - z[3]).template turned<sign>();
      z[0] = even_sum + odd_sum;
      z[2] = even_sum - odd_sum;
      z[1] = even_difference + odd_difference;
      z[3] = even_difference - odd_difference;
    } else if constexpr (radix == 8) {
      constexpr Real half_root = Real(0.707106781186547524400844362104849039L);
      // NOLINTBEGIN(modernize-avoid-c-arrays)
      Complex even[4] = {z[0], z[2], z[4], z[6]};
      Complex odd[4] = {z[1], z[3], z[5], z[7]};
      // NOLINTEND(modernize-avoid-c-arrays)
      butterfly<4, sign>(even);
      butterfly<4, sign>(odd);
      odd[1] = half_root * (odd[1] + odd[1].template turned<sign>());
      odd[2] = odd[2].template turned<sign>();
      odd[3] = half_root * (odd[3].template turned<sign>() - odd[3]);
      for (int k = 0; k < 4; ++k) {
        z[k] = even[k] + odd[k];
        z[k + 4] = even[k] - odd[k];
      }
    } else if constexpr (radix == 3) {
      constexpr Real sine = Real(0.866025403784438646763723170752936183L);
      const Complex sum = z[1] + z[2];
      const Complex difference = (sine * (z[1] - z[2])).template turned<sign>();
      const Complex middle = z[0] - Real(0.5) * sum;
      z[0] = z[0] + sum;
      z[1] = middle + difference;
      z[2] = middle - difference;
    } else {
      constexpr Real cosine1 = Real(0.309016994374947424102293417182819059L);
      constexpr Real cosine2 = Real(-0.809016994374947424102293417182819059L);
      constexpr Real sine1 = Real(0.951056516295153572116439333379382143L);
      constexpr Real sine2 = Real(0.587785252292473129168705954639072769L);
      const Complex outer = z[1] + z[4];
      const Complex inner = z[2] + z[3];
      const Complex outer_difference = z[1] - z[4];
      const Complex inner_difference = z[2] - z[3];
      const Complex first = z[0] + cosine1 * outer + cosine2 * inner;
      const Complex second = z[0] + cosine2 * outer + cosine1 * inner;
      const Complex first_turned =
          (sine1 * outer_difference + sine2 * inner_difference).template turned<sign>();
      const Complex second_turned =
          (sine2 * outer_difference - sine1 * inner_difference).template turned<sign>();
      z[0] = z[0] + outer + inner;
      z[1] = first + first_turned;
      z[4] = first - first_turned;
      z[2] = second + second_turned;
      z[3] = second - second_turned;
    }
  }

  // In the pass over neighbours all twiddles are 1.
  template <int radix, int sign, bool twiddled>
  [[gnu::always_inline]] static void pass(const FourierPlan<Real>::Pass& pass, int length,
                                          Real* points) {
    const Real* const twiddles = pass.twiddle.data();
    const int neighbours = twiddled ? pass.step : 1;
    const std::ptrdiff_t step = neighbours * complex_width;
    const int block = radix * neighbours;
    for (int start = 0; start < length; start += block) {
      for (int j = 0; j < neighbours; ++j) {
        Real* const first = points + (start + j) * complex_width;
        const Real* const twiddle = twiddles + std::ptrdiff_t{j} * 2 * (radix - 1);
        // NOLINTNEXTLINE(modernize-avoid-c-arrays)
        Complex z[radix];
        for (int q = 0; q < radix; ++q) {
          z[q] = Complex::load(first + q * step);
        }
        if constexpr (twiddled && sign > 0) {
          for (int q = 1; q < radix; ++q) {
            z[q] = z[q].times(twiddle[2 * q - 2], -twiddle[2 * q - 1]);
          }
        }
        butterfly<radix, sign>(z);
        if constexpr (twiddled && sign < 0) {
          for (int q = 1; q < radix; ++q) {
            z[q] = z[q].times(twiddle[2 * q - 2], twiddle[2 * q - 1]);
          }
        }
        for (int q = 0; q < radix; ++q) {
          z[q].store(first + q * step);
        }
      }
    }
  }

  template <int radix, int sign>
  static void pass_of(const FourierPlan<Real>::Pass& next, int length, Real* points) {
    if (next.step == 1) {
      pass<radix, sign, false>(next, length, points);
    } else {
      pass<radix, sign, true>(next, length, points);
    }
  }

  template <int sign>
  static void any_pass(const FourierPlan<Real>::Pass& next, int length, Real* points) {
    switch (next.radix) {
      case 2:
        return pass_of<2, sign>(next, length, points);
      case 3:
        return pass_of<3, sign>(next, length, points);
      case 4:
        return pass_of<4, sign>(next, length, points);
      case 8:
        return pass_of<8, sign>(next, length, points);
      default:
        return pass_of<5, sign>(next, length, points);
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
    const Complex zero{};
    for (int index = 0; index < places.no_order_count; ++index) {
      zero.store(points + places.no_order[index] * complex_width);
    }
    for (int index = places.count; index < places.all_count; ++index) {
      zero.store(points + places.orders[index] * complex_width);
      if (places.mirrors[index] >= 0) {
        zero.store(mirrors + places.mirrors[index] * complex_width);
      }
    }
    for (int index = 0; index < places.count; ++index) {
      const Real* const from = row.coefficients + index * row.order_step;
      const Complex even = Complex::load(from);
      const Complex odd = Complex::load(from + row.parity_step);
      Real* const positive = points + places.orders[index] * complex_width;
      if (places.mirrors[index] < 0) {
        at(positive) = at(from) + at(from + row.parity_step);
        at(positive + width) = at(from) - at(from + row.parity_step);
        continue;
      }
      const Complex north = even + odd;
      const Complex south = (even - odd).template turned<1>();
      (north + south).store(positive);
      (north - south).conjugate().store(mirrors + places.mirrors[index] * complex_width);
    }
  }

  static void gather(const FrequencyPlaces& places, Real factor, const Real* points,
                     const Real* mirrors, FourierRow<Real> row) {
    const Real half = factor / 2;
    for (int index = 0; index < places.count; ++index) {
      const Real* const positive = points + places.orders[index] * complex_width;
      const Complex here = Complex::load(positive);
      const Complex mirror =
          Complex::load(places.mirrors[index] < 0 ? positive
                                                  : mirrors + places.mirrors[index] * complex_width)
              .conjugate();
      const Complex north = here + mirror;
      const Complex south = (here - mirror).template turned<-1>();
      Real* const to = row.coefficients + index * row.order_step;
      __builtin_prefetch(to + orders_ahead * row.order_step, 1);
      __builtin_prefetch(to + orders_ahead * row.order_step + row.parity_step, 1);
      (half * (north + south)).store(to);
      (half * (north - south)).store(to + row.parity_step);
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
                                             .legendre = RecurrenceFor<Set, Real>::legendre,
                                             .forward = forward,
                                             .inverse = inverse,
                                             .spread = spread,
                                             .gather = gather,
                                             .products = products};
};

}  // namespace halocline::numerics
