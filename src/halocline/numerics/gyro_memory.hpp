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

/// Arrays of a rank, zero at first. If the ranks of a node exchange through shared memory, all
/// arrays lie in it: a transpose then copies each number once, straight from its peer's array.
class GyroMemory {
 public:
  /// Collective. Makes room for this many arrays with this many numbers in total. Pages other than
  /// the system's are private to the rank.
  GyroMemory(int arrays, std::size_t numbers, bundle::Near near, Pages pages,
             const mpi::Communicator& ranks);

  /// Takes the next array; each begins at a cache line. Throws Error if too little is left.
  GyroArray take(std::size_t numbers);

  /// Null if the arrays are packed for others. In simulation nobody else reads them either.
  const bundle::NodeMemory* shared() const { return shared_ ? &*shared_ : nullptr; }

 private:
  std::optional<bundle::NodeMemory> shared_;
  std::optional<Memory> own_;
  std::span<std::byte> rest_;
};

}  // namespace halocline::numerics
