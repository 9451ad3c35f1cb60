#include <algorithm>
#include <limits>
#include <numeric>

#include "halocline/base/pattern.hpp"
#include "halocline/numerics/openblas.hpp"
#include "halocline/workload/kernel/loop.hpp"

namespace halocline::workload {

extern const Workload dgemm;

namespace {

/// A whole number from 0 to 2^bits - 1, for element `index` of the array that the seed selects.
double number_of(std::uint64_t seed, std::size_t index, unsigned bits) {
  return static_cast<double>(pattern_word(seed, index) >> (64U - bits));
}

// So few that all sums below are exact, at any allowed n.
constexpr unsigned matrix_bits = 4;
constexpr unsigned probe_bits = 10;

class Product final {
 public:
  Product(int n, const std::string& openblas, Pages pages)
      : n_(n),
        blas_(openblas),
        left_(elements(), pages),
        right_(elements(), pages),
        product_(elements(), pages) {}

  void run() { blas_.multiply(left_.numbers(), right_.numbers(), product_.numbers(), n_); }

  void write(std::uint64_t seed) {
    for (std::size_t index = 0; index < elements(); ++index) {
      left_.numbers()[index] = number_of(3 * seed, index, matrix_bits);
      right_.numbers()[index] = number_of(3 * seed + 1, index, matrix_bits);
    }
    std::ranges::fill(product_.numbers(), std::numeric_limits<double>::quiet_NaN());
  }

  /// Compares C x with A (B x) for a vector x from the seed: exact, as all numbers are whole, and n
  /// times cheaper than the product. A wrong row passes at most once in a thousand times.
  std::optional<std::string> difference(std::uint64_t seed) const {
    std::vector<double> probe(rows());
    for (std::size_t index = 0; index < rows(); ++index) {
      probe[index] = number_of(3 * seed + 2, index, probe_bits);
    }
    const std::vector<double> expected = times(left_, times(right_, probe));
    const std::vector<double> found = times(product_, probe);
    for (std::size_t row = 0; row < rows(); ++row) {
      if (!(found[row] == expected[row])) {
        return "row " + std::to_string(row) + " of the product wrongly";
      }
    }
    return std::nullopt;
  }

  std::size_t moved_bytes() const { return 0; }
  std::int64_t operations() const { return 2 * static_cast<std::int64_t>(elements()) * n_; }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(n_); }
  std::size_t elements() const { return rows() * rows(); }

  std::vector<double> times(const NumberArray& matrix, const std::vector<double>& vector) const {
    std::vector<double> result(rows());
    for (std::size_t row = 0; row < rows(); ++row) {
      const std::span<const double> numbers = matrix.numbers().subspan(row * rows(), rows());
      result[row] = std::inner_product(numbers.begin(), numbers.end(), vector.begin(), 0.0);
    }
    return result;
  }

  int n_;
  numerics::OpenBlas blas_;
  NumberArray left_;
  NumberArray right_;
  NumberArray product_;
};

const IntegerAxis& n_axis() {
  static const IntegerAxis axis{.name = "n",
                                .unit = "",
                                .low = 1,
                                .high = 16'384,
                                .defaults = {128, 512, 1024},
                                .verified = {1, 129}};
  return axis;
}

/// Throws Skip on all ranks where any of them has no OpenBLAS.
void require_openblas(const std::string& file, const mpi::Communicator& world) {
  std::string missing;
  try {
    numerics::OpenBlas{file};
  } catch (const Error& error) {
    missing = error.what();
  }
  for (const std::string& reason : world.gather(missing)) {
    missing = missing.empty() ? reason : missing;
  }
  missing = world.broadcast(missing);
  if (!missing.empty()) {
    throw Skip(missing);
  }
}

}  // namespace

const Workload dgemm{
    .name = "dgemm",
    .summary =
        "the product of two n × n matrices of doubles by OpenBLAS, by one rank or by each "
        "of all at once",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .over_protocols = false,
    .axes = {n_axis(), active_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      require_real_machine();
      const std::string& openblas = values.setting().openblas;
      require_openblas(openblas, world);
      const bool all = values.choice(active_axis()) == "all";
      const auto n = static_cast<std::size_t>(values.integer(n_axis()));
      require_arrays(3, n * n * sizeof(double), all, world);
      const int own = computes(all, world) ? static_cast<int>(n) : 1;
      return std::make_unique<KernelLoop<Product>>(world, all, own, openblas, values.pages());
    },
};

}  // namespace halocline::workload
