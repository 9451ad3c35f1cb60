#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "halocline/mpi/check.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// The bytes sent to or received from each rank, and their place in the buffer.
struct Blocks {
  std::vector<int> counts;
  std::vector<int> offsets;

  /// Blocks stored contiguously.
  static Blocks of(std::vector<int> counts);
  std::size_t total() const;
};

/// The collective operations of a communicator: one MPI call each, on the caller's buffers. All
/// members are collective.
class Collectives {
 public:
  explicit Collectives(const Communicator& communicator) : handle_(communicator.handle()) {}

  void barrier() const { HALOCLINE_MPI(MPI_Barrier(handle_)); }

  void broadcast(std::span<std::byte> payload, int root) const {
    HALOCLINE_MPI(MPI_Bcast(payload.data(), count_of(payload), MPI_BYTE, root, handle_));
  }

  /// The element-wise sum on the root; `sum` is ignored elsewhere.
  void reduce(std::span<const double> own, std::span<double> sum, int root) const {
    HALOCLINE_MPI(
        MPI_Reduce(own.data(), sum.data(), number_of(own), MPI_DOUBLE, MPI_SUM, root, handle_));
  }

  void all_reduce(std::span<const double> own, std::span<double> sum) const {
    HALOCLINE_MPI(
        MPI_Allreduce(own.data(), sum.data(), number_of(own), MPI_DOUBLE, MPI_SUM, handle_));
  }
  void all_reduce(std::span<const float> own, std::span<float> sum) const {
    HALOCLINE_MPI(
        MPI_Allreduce(own.data(), sum.data(), number_of(own), MPI_FLOAT, MPI_SUM, handle_));
  }

  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) const {
    const int count = count_of(own);
    HALOCLINE_MPI(MPI_Allgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, handle_));
  }

  void all_gather(std::span<const std::byte> own, std::span<std::byte> all,
                  const Blocks& blocks) const {
    HALOCLINE_MPI(MPI_Allgatherv(own.data(), count_of(own), MPI_BYTE, all.data(),
                                 blocks.counts.data(), blocks.offsets.data(), MPI_BYTE, handle_));
  }

  /// All ranks' blocks on the root, in order of rank.
  void gather(std::span<const std::byte> own, std::span<std::byte> all, int root) const {
    const int count = count_of(own);
    HALOCLINE_MPI(
        MPI_Gather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, root, handle_));
  }

  /// The same with one block from each rank; `blocks` is used only on the root.
  void gather(std::span<const std::byte> own, std::span<std::byte> all, const Blocks& blocks,
              int root) const {
    HALOCLINE_MPI(MPI_Gatherv(own.data(), count_of(own), MPI_BYTE, all.data(), blocks.counts.data(),
                              blocks.offsets.data(), MPI_BYTE, root, handle_));
  }

  /// The root's blocks, one to each in order of rank.
  void scatter(std::span<const std::byte> all, std::span<std::byte> own, int root) const {
    const int count = count_of(own);
    HALOCLINE_MPI(
        MPI_Scatter(all.data(), count, MPI_BYTE, own.data(), count, MPI_BYTE, root, handle_));
  }

  /// The same with one block to each rank; `blocks` is used only on the root.
  void scatter(std::span<const std::byte> all, const Blocks& blocks, std::span<std::byte> own,
               int root) const {
    HALOCLINE_MPI(MPI_Scatterv(all.data(), blocks.counts.data(), blocks.offsets.data(), MPI_BYTE,
                               own.data(), count_of(own), MPI_BYTE, root, handle_));
  }

  /// `block_bytes` to each rank and from each.
  void all_to_all(std::span<const std::byte> outgoing, std::span<std::byte> incoming,
                  std::size_t block_bytes) const {
    const int count = count_of(outgoing.first(block_bytes));
    HALOCLINE_MPI(
        MPI_Alltoall(outgoing.data(), count, MPI_BYTE, incoming.data(), count, MPI_BYTE, handle_));
  }

  void all_to_all(std::span<const std::byte> outgoing, const Blocks& to,
                  std::span<std::byte> incoming, const Blocks& from) const {
    HALOCLINE_MPI(MPI_Alltoallv(outgoing.data(), to.counts.data(), to.offsets.data(), MPI_BYTE,
                                incoming.data(), from.counts.data(), from.offsets.data(), MPI_BYTE,
                                handle_));
  }

 private:
  template <class Number>
  static int number_of(std::span<const Number> numbers) {
    return count_of(std::as_bytes(numbers)) / static_cast<int>(sizeof(Number));
  }

  MPI_Comm handle_;  // the communicator's, which must outlive this
};

}  // namespace halocline::mpi
