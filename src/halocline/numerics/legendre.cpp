#include "halocline/numerics/legendre.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {
namespace {

constexpr double least_that_counts = 1e-16;
constexpr std::size_t bytes_fetched = 64;

template <class Number>
std::size_t as_size(Number number) {
  return static_cast<std::size_t>(number);
}

/// Asks for these numbers, which may lie past the end of their array, in the second cache.
template <class Real>
void fetch(const Real* numbers, std::size_t count) {
  for (std::size_t place = 0; place < count; place += bytes_fetched / sizeof(Real)) {
    __builtin_prefetch(numbers + place, 0, 2);
  }
}

template <class Real>
Real epsilon(Real n, Real m) {
  return std::sqrt((n * n - m * m) / (4 * n * n - 1));
}

}  // namespace

double legendre_epsilon(int degree, int order) { return epsilon<double>(degree, order); }

std::vector<double> legendre_functions(int order, int last_degree, double sine_of_latitude) {
  const long double sine = sine_of_latitude;
  const long double cosine = std::sqrt(1 - sine * sine);
  long double value = std::sqrt(0.5L);
  for (int m = 1; m <= order; ++m) {
    value *= cosine * std::sqrt((2 * m + 1) / (2.0L * m));
  }
  std::vector<double> functions;
  long double before = 0;
  long double here = 0;
  for (int degree = order; degree <= last_degree; ++degree) {
    functions.push_back(static_cast<double>(value));
    const auto ahead = epsilon<long double>(degree + 1, order);
    const long double next = (sine * value - here * before) / ahead;
    before = value;
    value = next;
    here = ahead;
  }
  return functions;
}

std::vector<RecurrenceStep> recurrence_steps(int order, int last_degree) {
  std::vector<RecurrenceStep> steps;
  for (int degree = order; degree <= last_degree; ++degree) {
    const auto ahead = epsilon<long double>(degree + 1, order);
    steps.push_back(
        {.sine_factor = static_cast<double>(1 / ahead),
         .before_factor = static_cast<double>(epsilon<long double>(degree, order) / ahead)});
  }
  return steps;
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
    : rows_(rows),
      pairs_(pairs),
      sines_(as_size(padded_pairs())),
      seeds_(rows.orders().size() * as_size(padded_pairs())),
      functions_(as_size(rows.truncation() + 2) * as_size(padded_pairs()), pages) {
  std::copy_n(grid.rows.sine.begin() + first_pair, pairs, sines_.data());
  const auto counts = [](double value) { return std::abs(value) > least_that_counts; };
  for (std::size_t position = 0; position < rows.orders().size(); ++position) {
    const int order = rows.orders()[position];
    first_pair_.push_back(pairs);
    for (int pair = pairs - 1; pair >= 0; --pair) {  // from equator to pole
      const std::vector<double> functions =
          legendre_functions(order, rows.truncation() + 1, sines_.numbers()[as_size(pair)]);
      if (std::ranges::none_of(functions, counts)) {
        break;
      }
      first_pair_.back() = pair;
      seeds_.numbers()[position * as_size(padded_pairs()) + as_size(pair)] = functions.front();
    }
    const std::vector<RecurrenceStep> steps = recurrence_steps(order, rows.truncation() + 1);
    steps_.insert(steps_.end(), steps.begin(), steps.end());
  }
}

template <class Real>
LegendreSums<Real>::Block LegendreSums<Real>::block(std::size_t position, int parity) const {
  const int degrees = rows_.degrees(position);
  const int even = (degrees + 1) / 2;
  return {.offset = as_size(parity == 0 ? 0 : even) * as_size(padded_pairs()),
          .degrees = parity == 0 ? even : degrees - even};
}

/// Computes the functions of one order, in all panels where it matters.
template <class Real>
void LegendreSums<Real>::compute_functions(std::size_t position) {
  const int first_panel = first_pair_[position] / pairs_in_panel;
  const std::ptrdiff_t skipped = std::ptrdiff_t{first_panel} * pairs_in_panel;
  const Block even = block(position, 0);
  const Block odd = block(position, 1);
  vector_kernels<Real>().legendre(
      {.panels = padded_pairs() / pairs_in_panel - first_panel,
       .degrees = rows_.degrees(position),
       .steps = steps_.data() + rows_.first(position),
       .sines = sines_.data() + skipped,
       .seeds = seeds_.data() + position * as_size(padded_pairs()) + skipped,
       .even = functions_.data() + even.offset + first_panel * even.panel_step(),
       .even_step = even.panel_step(),
       .odd = functions_.data() + odd.offset + first_panel * odd.panel_step(),
       .odd_step = odd.panel_step()});
}

template <class Real>
void LegendreSums<Real>::synthesise(std::span<const Real> spectral, std::span<Real> fourier,
                                    int columns) {
  const auto& kernels = vector_kernels<Real>();
  const std::size_t orders = rows_.orders().size();
  const auto width = as_size(columns);
  for (std::size_t position = 0; position < orders; ++position) {
    if (first_pair_[position] == pairs_) {
      continue;
    }
    compute_functions(position);
    for (const int parity : {0, 1}) {
      const Block from = block(position, parity);
      Real* const to = fourier.data() + (2 * position + as_size(parity)) * width;
      for (int pair = first_pair_[position]; pair < pairs_;) {
        const int in_panel = pair % pairs_in_panel;
        const int count = std::min(pairs_in_panel - in_panel, pairs_ - pair);
        kernels.multiply(
            {.rows = count,
             .inner = from.degrees,
             .columns = columns,
             .left = functions_.data() + from.offset + pair / pairs_in_panel * from.panel_step() +
                     in_panel,
             .left_row_step = 1,
             .left_inner_step = pairs_in_panel,
             .panel = from.degrees,
             .panel_step = from.panel_step(),
             .first_in_panel = 0,
             .right = spectral.data() + as_size(rows_.first(position) + parity) * width,
             .right_step = 2 * std::ptrdiff_t{columns},
             .result = to + as_size(pair) * 2 * orders * width,
             .result_step = static_cast<std::ptrdiff_t>(2 * orders * width)});
        pair += count;
      }
    }
  }
}

template <class Real>
void LegendreSums<Real>::analyse(std::span<const Real> fourier, std::span<Real> spectral,
                                 int columns, int pairs_in_block, std::span<Real> packed) {
  if (pairs_ % pairs_in_block != 0 || !std::has_single_bit(as_size(pairs_ / pairs_in_block))) {
    throw Error("a sum over " + std::to_string(pairs_) + " pairs of latitudes in blocks of " +
                std::to_string(pairs_in_block) + "; allowed: a power of two of blocks");
  }
  for (std::size_t position = 0; position < rows_.orders().size(); ++position) {
    if (first_pair_[position] < pairs_) {
      compute_functions(position);
    }
    const std::span<Real> sums =
        spectral.subspan(as_size(rows_.first(position)) * as_size(columns),
                         as_size(rows_.degrees(position)) * as_size(columns));
    if (pairs_in_block == pairs_) {
      sum_pairs(position, 0, pairs_, fourier, sums, columns, packed);
    } else {
      sum_in_order(position, pairs_in_block, fourier, sums, columns, packed);
    }
  }
}

/// Sums blocks of latitudes, then adds neighbours in a binary tree.
template <class Real>
void LegendreSums<Real>::sum_in_order(std::size_t position, int pairs_in_block,
                                      std::span<const Real> fourier, std::span<Real> sums,
                                      int columns, std::span<Real> packed) {
  std::size_t held = 0;
  for (int block = 0; block < pairs_ / pairs_in_block; ++block) {
    if (partial_sums_.size() <= held) {
      partial_sums_.emplace_back();
    }
    partial_sums_[held].resize(std::max(partial_sums_[held].size(), sums.size()));
    sum_pairs(position, block * pairs_in_block, pairs_in_block, fourier,
              std::span(partial_sums_[held]).first(sums.size()), columns, packed);
    ++held;
    for (int complete = block + 1; complete % 2 == 0; complete /= 2) {
      const std::vector<Real>& upper = partial_sums_[held - 1];
      std::vector<Real>& lower = partial_sums_[held - 2];
      std::transform(lower.begin(), lower.begin() + static_cast<std::ptrdiff_t>(sums.size()),
                     upper.begin(), lower.begin(), std::plus<>{});
      --held;
    }
  }
  std::copy_n(partial_sums_.front().begin(), sums.size(), sums.begin());
}

/// Sums over `pairs` pairs from `begin` on, for the order at this position.
template <class Real>
void LegendreSums<Real>::sum_pairs(std::size_t position, int begin, int pairs,
                                   std::span<const Real> fourier, std::span<Real> sums, int columns,
                                   std::span<Real> packed) {
  const std::size_t orders = rows_.orders().size();
  const auto width = as_size(columns);
  // Pack rows: they are so far apart that they would evict each other from the cache.
  const int first = std::max(begin, first_pair_[position]);
  const int count = std::max(begin + pairs - first, 0);
  const Real* from_row = fourier.data() + (as_size(first) * orders + position) * 2 * width;
  for (int pair = 0; pair < count; ++pair) {
    std::copy_n(from_row, 2 * width, packed.data() + as_size(pair) * 2 * width);
    fetch(from_row + 2 * width, 2 * width);  // the next order's, for after these sums
    from_row += 2 * orders * width;
  }
  for (const int parity : {0, 1}) {
    const Block from = block(position, parity);
    vector_kernels<Real>().multiply({.rows = from.degrees,
                                     .inner = count,
                                     .columns = columns,
                                     .left = functions_.data() + from.offset +
                                             first / pairs_in_panel * from.panel_step() +
                                             first % pairs_in_panel,
                                     .left_row_step = pairs_in_panel,
                                     .left_inner_step = 1,
                                     .panel = pairs_in_panel,
                                     .panel_step = from.panel_step(),
                                     .first_in_panel = first % pairs_in_panel,
                                     .right = packed.data() + as_size(parity) * width,
                                     .right_step = 2 * std::ptrdiff_t{columns},
                                     .result = sums.data() + as_size(parity) * width,
                                     .result_step = 2 * std::ptrdiff_t{columns}});
  }
}

template <class Real>
std::size_t LegendreSums<Real>::packed_length(int columns) const {
  return 2 * as_size(pairs_) * as_size(columns);
}

template <class Real>
int LegendreSums<Real>::orders_that_count(int pair) const {
  const auto last = std::find_if(first_pair_.rbegin(), first_pair_.rend(),
                                 [pair](int first) { return first <= pair; });
  return static_cast<int>(first_pair_.rend() - last);
}

template <class Real>
std::int64_t LegendreSums<Real>::operations() const {
  std::int64_t operations = 0;
  for (std::size_t position = 0; position < first_pair_.size(); ++position) {
    operations += std::int64_t{2} * rows_.degrees(position) * (pairs_ - first_pair_[position]);
  }
  return operations;
}

template class LegendreSums<float>;
template class LegendreSums<double>;

}  // namespace halocline::numerics
