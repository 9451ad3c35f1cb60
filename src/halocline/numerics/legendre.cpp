#include "halocline/numerics/legendre.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {
namespace {

template <class Number>
std::size_t as_size(Number number) {
  return static_cast<std::size_t>(number);
}

}  // namespace

double legendre_epsilon(int degree, int order) {
  const double n = degree;
  const double m = order;
  return std::sqrt((n * n - m * m) / (4 * n * n - 1));
}

std::vector<double> legendre_functions(int order, int last_degree, double sine_of_latitude) {
  const long double sine = sine_of_latitude;
  const long double cosine = std::sqrt(1 - sine * sine);
  long double value = std::sqrt(0.5L);
  for (int m = 1; m <= order; ++m) {
    value *= cosine * std::sqrt((2 * m + 1) / (2.0L * m));
  }
  const auto epsilon = [order](int degree) {
    const long double n = degree;
    const long double m = order;
    return std::sqrt((n * n - m * m) / (4 * n * n - 1));
  };
  std::vector<double> functions;
  long double before = 0;
  long double epsilon_here = 0;
  for (int degree = order; degree <= last_degree; ++degree) {
    functions.push_back(static_cast<double>(value));
    const long double epsilon_next = epsilon(degree + 1);
    const long double next = (sine * value - epsilon_here * before) / epsilon_next;
    before = value;
    value = next;
    epsilon_here = epsilon_next;
  }
  return functions;
}

SpectralRows::SpectralRows(int truncation, std::vector<int> orders)
    : truncation_(truncation), orders_(std::move(orders)), first_{0} {
  for (std::size_t position = 0; position < orders_.size(); ++position) {
    first_.push_back(first_.back() + degrees(position));
  }
}

template <class Real>
LegendreSums<Real>::LegendreSums(const SpectralGrid& grid, const SpectralRows& rows, int first_pair,
                                 int pairs, Pages pages)
    : rows_(rows), pairs_(pairs), table_(as_size(rows.count()) * as_size(pairs), pages) {
  const std::span<Real> table = table_.numbers();
  for (std::size_t position = 0; position < rows.orders().size(); ++position) {
    const int order = rows.orders()[position];
    for (int pair = 0; pair < pairs; ++pair) {
      const std::vector<double> functions = legendre_functions(
          order, rows.truncation() + 1, grid.rows.sine[as_size(first_pair + pair)]);
      for (std::size_t degree = 0; degree < functions.size(); ++degree) {
        const Block to = block(position, static_cast<int>(degree % 2));
        table[to.offset + degree / 2 * as_size(pairs) + as_size(pair)] =
            static_cast<Real>(functions[degree]);
      }
    }
  }
}

template <class Real>
LegendreSums<Real>::Block LegendreSums<Real>::block(std::size_t position, int parity) const {
  const int degrees = rows_.degrees(position);
  const int even = (degrees + 1) / 2;
  return {.offset = as_size(rows_.first(position) + (parity == 0 ? 0 : even)) * as_size(pairs_),
          .degrees = parity == 0 ? even : degrees - even};
}

template <class Real>
void LegendreSums<Real>::synthesise(std::span<const Real> spectral, std::span<Real> fourier,
                                    int columns) const {
  const auto& kernels = vector_kernels<Real>();
  const std::size_t orders = rows_.orders().size();
  const auto width = as_size(columns);
  for (std::size_t position = 0; position < orders; ++position) {
    for (const int parity : {0, 1}) {
      const Block from = block(position, parity);
      kernels.multiply({.rows = pairs_,
                        .inner = from.degrees,
                        .columns = columns,
                        .left = table_.data() + from.offset,
                        .left_row_step = 1,
                        .left_inner_step = pairs_,
                        .right = spectral.data() + as_size(rows_.first(position) + parity) * width,
                        .right_step = 2 * std::ptrdiff_t{columns},
                        .result = fourier.data() + (2 * position + as_size(parity)) * width,
                        .result_step = static_cast<std::ptrdiff_t>(2 * orders * width)});
    }
  }
}

template <class Real>
void LegendreSums<Real>::analyse(std::span<const Real> fourier, std::span<Real> spectral,
                                 int columns, int begin, int pairs, std::span<Real> packed) const {
  const auto& kernels = vector_kernels<Real>();
  const std::size_t orders = rows_.orders().size();
  const auto width = as_size(columns);
  for (std::size_t position = 0; position < orders; ++position) {
    for (const int parity : {0, 1}) {
      // Rows lie so far apart that they would push each other out of the cache.
      const Real* from_row = fourier.data() + (as_size(begin) * orders + position) * 2 * width +
                             as_size(parity) * width;
      for (int pair = 0; pair < pairs; ++pair) {
        std::copy_n(from_row, width, packed.data() + as_size(pair) * width);
        from_row += 2 * orders * width;
      }
      const Block from = block(position, parity);
      kernels.multiply({.rows = from.degrees,
                        .inner = pairs,
                        .columns = columns,
                        .left = table_.data() + from.offset + begin,
                        .left_row_step = pairs_,
                        .left_inner_step = 1,
                        .right = packed.data(),
                        .right_step = columns,
                        .result = spectral.data() + as_size(rows_.first(position) + parity) * width,
                        .result_step = 2 * std::ptrdiff_t{columns}});
    }
  }
}

template <class Real>
std::size_t LegendreSums<Real>::packed_length(int columns) const {
  return as_size(pairs_) * as_size(columns);
}

template <class Real>
std::int64_t LegendreSums<Real>::operations() const {
  return 2 * std::int64_t{rows_.count()} * pairs_;
}

template class LegendreSums<float>;
template class LegendreSums<double>;

}  // namespace halocline::numerics
