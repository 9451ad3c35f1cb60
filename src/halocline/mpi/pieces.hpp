#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "halocline/mpi/datatype.hpp"

namespace halocline::mpi {

/// Bytes to or from each peer: their number and offset from `base`.
struct Pieces {
  std::byte* base = nullptr;
  std::vector<int> counts;
  std::vector<int> offsets;
};

/// The same with one datatype per peer, which contains the offsets.
class TypedPieces {
 public:
  /// Adds the next peer's.
  void add(Datatype type);
  void add_nothing();

  /// One element per peer, as MPI's calls take them.
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
  std::vector<MPI_Aint> displacements_;  // zeros, for its neighbourhood version
};

}  // namespace halocline::mpi
