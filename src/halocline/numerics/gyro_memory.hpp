#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>

#include "halocline/base/memory.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/way.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::numerics {

using GyroArray = std::span<std::complex<double>>;

/// The arrays of a rank, zero at first. Where ranks of a node exchange through memory that they
/// share, all lie in it: a transpose then copies each number once, out of its peer's array.
class GyroMemory {
 public:
  /// Collective. Room for so many arrays, of so many numbers in total. Pages of another kind than
  /// the system's are a rank's own.
  GyroMemory(int arrays, std::size_t numbers, bundle::Near near, Pages pages,
             const mpi::Communicator& ranks);

  /// The next array; each begins with a cache line.
  GyroArray take(std::size_t numbers);

  /// None where the arrays are a rank's own.
  const bundle::NodeMemory* shared() const { return shared_ ? &*shared_ : nullptr; }

 private:
  std::optional<bundle::NodeMemory> shared_;
  std::optional<Memory> own_;
  std::span<std::byte> rest_;
};

}  // namespace halocline::numerics
