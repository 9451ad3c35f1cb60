#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "halocline/mpi/communicator.hpp"

namespace halocline::numerics {

/// Sums over all ranks, of a few numbers at a time, again and again.
class GlobalSum {
 public:
  GlobalSum() = default;
  virtual ~GlobalSum() = default;
  GlobalSum(const GlobalSum&) = delete;
  GlobalSum& operator=(const GlobalSum&) = delete;

  /// Begins to add them up; they must not be touched until finish().
  virtual void start(std::span<double> numbers) = 0;
  /// Returns when each of them is its sum over all ranks, with the same bits on all.
  virtual void finish() = 0;

  /// Collective. The names are:
  /// - flat: MPI_Allreduce;
  /// - two_level: the ranks of a node send to its first, these add up among themselves by
  ///   MPI_Allreduce and send back, as Vetter et al. 2007 did for POP;
  /// - overlapped: MPI_Iallreduce, between start() and finish();
  /// - one_sided: recursive doubling by MPI_Put and flags.
  /// Throws Skip where the library lacks what it takes, Error for another name.
  static std::unique_ptr<GlobalSum> named(std::string_view name,
                                          const mpi::Communicator& communicator,
                                          std::size_t most_numbers);
};

}  // namespace halocline::numerics
