#include "halocline/numerics/poisson_bracket.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr int bracket_lanes = lanes_of<double>;
constexpr Index complex_step = Index{2} * bracket_lanes;

/// The next even length that the transforms support, or 1.
int transformable(Index least) {
  const auto is = [](Index length) {
    for (const int factor : std::array{2, 3, 5}) {
      while (length % factor == 0) {
        length /= factor;
      }
    }
    return length == 1;
  };
  Index length = least + least % 2;
  while (!is(length)) {
    length += 2;
  }
  return static_cast<int>(length);
}

int radial_length(const GyroGrid& grid) { return transformable(3 * grid.highest_wave() + 1); }

double transform_operations(Index length) {
  constexpr double for_complex = 5;
  return for_complex * static_cast<double>(length) * std::log2(static_cast<double>(length));
}

}  // namespace

PoissonBracket::PoissonBracket(const GyroGrid& grid)
    : grid_(grid),
      radial_(radial_length(grid)),
      toroidal_(transformable(3 * (grid.modes - 1) + 1)),
      potential_rows_(
          static_cast<std::size_t>((2 * grid.modes - 1) * radial_.length * complex_step)),
      field_rows_(potential_rows_.size()),
      potential_column_(static_cast<std::size_t>(toroidal_.length * complex_step)),
      field_column_(potential_column_.size()),
      product_column_(potential_column_.size()) {}

double PoissonBracket::bytes_of(const GyroGrid& grid) {
  constexpr double arrays = 2;  // the potential's and the field's
  return arrays * sizeof(double) * static_cast<double>(complex_step) *
         static_cast<double>((2 * grid.modes - 1) * radial_length(grid));
}

double* PoissonBracket::number(Numbers& rows, Index mode, Index place) const {
  return rows.data() + ((grid_.modes - 1 + mode) * radial_.length + place) * complex_step;
}

/// Derivative along r as real part, derivative along α as imaginary part: one transform handles two
/// real functions.
void PoissonBracket::to_rows(const Complex* line, int lane, Index mode_step, Numbers& rows) const {
  for (Index mode = 0; mode < grid_.modes; ++mode) {
    const auto n = static_cast<double>(mode);
    const Complex* const values = line + mode * mode_step;
    for (Index index = 0; index < grid_.radii; ++index) {
      if (!grid_.has_wave(index)) {
        continue;
      }
      const Index wave = grid_.wave(index);
      const auto k = static_cast<double>(wave);
      const double re = values[index].real();
      const double im = values[index].imag();
      const auto place = [this](Index frequency) {
        return radial_.place[static_cast<std::size_t>(frequency < 0 ? frequency + radial_.length
                                                                    : frequency)];
      };
      double* const positive = number(rows, mode, place(wave)) + lane;
      positive[0] = -n * re - k * im;
      positive[bracket_lanes] = k * re - n * im;
      if (mode > 0) {  // the conjugate
        double* const negative = number(rows, -mode, place(-wave)) + lane;
        negative[0] = n * re - k * im;
        negative[bracket_lanes] = -n * im - k * re;
      }
    }
  }
}

void PoissonBracket::spread(const Numbers& rows, Index radius, Numbers& column) const {
  std::ranges::fill(column, 0.0);
  for (Index mode = 1 - grid_.modes; mode < grid_.modes; ++mode) {
    const auto frequency = static_cast<std::size_t>(mode < 0 ? mode + toroidal_.length : mode);
    const double* const from =
        rows.data() + ((grid_.modes - 1 + mode) * radial_.length + radius) * complex_step;
    std::copy_n(from, complex_step, column.data() + toroidal_.place[frequency] * complex_step);
  }
}

/// Splits the products at two radii, the real and imaginary part of one transform, into their rows,
/// which overwrite the potential's.
void PoissonBracket::gather(Index radius) {
  for (Index mode = 0; mode < grid_.modes; ++mode) {
    const auto opposite = static_cast<std::size_t>(mode == 0 ? 0 : toroidal_.length - mode);
    const double* const positive =
        product_column_.data() + toroidal_.place[static_cast<std::size_t>(mode)] * complex_step;
    const double* const negative =
        product_column_.data() + toroidal_.place[opposite] * complex_step;
    double* const first = number(potential_rows_, mode, radius);
    double* const second = first + complex_step;
    for (int lane = 0; lane < bracket_lanes; ++lane) {
      const double re = positive[lane];
      const double im = positive[lane + bracket_lanes];
      const double other_re = negative[lane];
      const double other_im = negative[lane + bracket_lanes];
      first[lane] = (re + other_re) / 2;
      first[lane + bracket_lanes] = (im - other_im) / 2;
      second[lane] = (im + other_im) / 2;
      second[lane + bracket_lanes] = (other_re - re) / 2;
    }
  }
}

void PoissonBracket::from_rows(Complex* line, int lane, Index mode_step) const {
  const double scale =
      1 / (static_cast<double>(radial_.length) * static_cast<double>(toroidal_.length));
  for (Index mode = 0; mode < grid_.modes; ++mode) {
    const double* const row =
        potential_rows_.data() + (grid_.modes - 1 + mode) * radial_.length * complex_step + lane;
    Complex* const values = line + mode * mode_step;
    for (Index index = 0; index < grid_.radii; ++index) {
      const Index wave = grid_.wave(index);
      if (!grid_.has_wave(index)) {
        values[index] = 0;
      } else if (mode == 0 && wave < 0) {  // a real function's conjugate
        values[index] = std::conj(values[-wave]);
      } else {
        const auto frequency = static_cast<std::size_t>(wave < 0 ? wave + radial_.length : wave);
        const double* const from = row + radial_.place[frequency] * complex_step;
        const bool mean = mode == 0 && wave == 0;
        values[index] = {scale * from[0], mean ? 0 : scale * from[bracket_lanes]};
      }
    }
  }
}

void PoissonBracket::compute(const Complex* potential, const Complex* field, Complex* result,
                             Index lines, Index mode_step) {
  const auto& kernels = vector_kernels<double>();
  const auto transform_rows = [&](auto transform, Numbers& rows, Index first_mode) {
    for (Index mode = first_mode; mode < grid_.modes; ++mode) {
      transform(radial_, number(rows, mode, 0));
    }
  };
  for (Index first = 0; first < lines; first += bracket_lanes) {
    const auto count = static_cast<int>(std::min<Index>(bracket_lanes, lines - first));
    for (auto [from, rows] :
         {std::pair{potential, &potential_rows_}, std::pair{field, &field_rows_}}) {
      std::ranges::fill(*rows, 0.0);
      for (int lane = 0; lane < count; ++lane) {
        to_rows(from + (first + lane) * grid_.radii, lane, mode_step, *rows);
      }
      transform_rows(kernels.inverse, *rows, 1 - grid_.modes);
    }
    for (Index radius = 0; radius < radial_.length; radius += 2) {
      for (int part = 0; part < 2; ++part) {
        spread(potential_rows_, radius + part, potential_column_);
        spread(field_rows_, radius + part, field_column_);
        kernels.inverse(toroidal_, potential_column_.data());
        kernels.inverse(toroidal_, field_column_.data());
        double* const products = product_column_.data() + Index{part} * bracket_lanes;
        for (Index at = 0; at < toroidal_.length * complex_step; at += complex_step) {
          const double* const phi = potential_column_.data() + at;
          const double* const f = field_column_.data() + at;
          for (int lane = 0; lane < bracket_lanes; ++lane) {
            products[at + lane] =
                phi[lane] * f[lane + bracket_lanes] - phi[lane + bracket_lanes] * f[lane];
          }
        }
      }
      kernels.forward(toroidal_, product_column_.data());
      gather(radius);
    }
    transform_rows(kernels.forward, potential_rows_, 0);
    for (int lane = 0; lane < count; ++lane) {
      from_rows(result + (first + lane) * grid_.radii, lane, mode_step);
    }
  }
}

std::int64_t PoissonBracket::operations() const {
  const auto modes = static_cast<double>(grid_.modes);
  const auto radii = static_cast<double>(radial_.length);
  const double radial = transform_operations(radial_.length) * (2 * (2 * modes - 1) + modes);
  const double toroidal = transform_operations(toroidal_.length) * (2 * radii + radii / 2);
  constexpr double of_product = 3;
  return static_cast<std::int64_t>(radial + toroidal + of_product * radii * toroidal_.length);
}

}  // namespace halocline::numerics
