#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "halocline/mpi/communicator.hpp"

namespace halocline::numerics {

/// Sums a few numbers at a time over all ranks, repeatedly.
class GlobalSum {
 public:
  GlobalSum() = default;
  virtual ~GlobalSum() = default;
  GlobalSum(const GlobalSum&) = delete;
  GlobalSum& operator=(const GlobalSum&) = delete;

  /// Starts a sum. The numbers must not be touched until finish().
  virtual void start(std::span<double> numbers) = 0;
  /// Returns when each number is its sum over all ranks, with the same bits on all.
  virtual void finish() = 0;

  /// Collective. The names are:
  /// - flat: MPI_Allreduce;
  /// - two_level: the ranks of a node send to its first rank; the first ranks sum by MPI_Allreduce
  ///   and send the result back, as Vetter et al. 2007 did for POP;
  /// - overlapped: MPI_Iallreduce, between start() and finish();
  /// - one_sided: recursive doubling by MPI_Put and flags.
  /// Throws Skip if the library lacks what it needs, Error for any other name.
  static std::unique_ptr<GlobalSum> named(std::string_view name,
                                          const mpi::Communicator& communicator,
                                          std::size_t most_numbers);
};

}  // namespace halocline::numerics
