#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "halocline/mpi/datatype.hpp"

namespace halocline::mpi {

/// Bytes for each peer, or from it: their number and offset from `base`.
struct Pieces {
  std::byte* base = nullptr;
  std::vector<int> counts;
  std::vector<int> offsets;
};

/// The same with a datatype for each peer, which contains the offsets.
class TypedPieces {
 public:
  /// The next peer's.
  void add(Datatype type);
  void add_nothing();

  /// One element a peer, as MPI's calls take them.
  const std::vector<MPI_Datatype>& types() const { return types_; }
  const std::vector<int>& counts() const { return counts_; }
  const std::vector<int>& offsets() const { return offsets_; }
  const std::vector<MPI_Aint>& displacements() const { return displacements_; }

 private:
  void add(MPI_Datatype type, int count);

  std::vector<Datatype> owned_;
  std::vector<MPI_Datatype> types_;
  std::vector<int> counts_;
  std::vector<int> offsets_;             // zeros, as MPI_Alltoallw takes them
  std::vector<MPI_Aint> displacements_;  // zeros, as its neighbourhood version does
};

}  // namespace halocline::mpi
