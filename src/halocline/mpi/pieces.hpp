#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "halocline/mpi/datatype.hpp"

namespace halocline::mpi {

/// Bytes for each peer, or from it: how many, and where they lie, counted from `base`.
struct Pieces {
  std::byte* base = nullptr;
  std::vector<int> counts;
  std::vector<int> offsets;
};

/// The same by a datatype for each peer, which knows where its bytes lie.
class TypedPieces {
 public:
  /// The next peer's.
  void add(Datatype type);
  void add_nothing();

 private:
  friend class Communicator;
  friend class Requests;
  void add(MPI_Datatype type, int count);

  std::vector<Datatype> owned_;
  std::vector<MPI_Datatype> types_;
  std::vector<int> counts_;
  std::vector<int> offsets_;             // zeros, as MPI_Alltoallw takes them
  std::vector<MPI_Aint> displacements_;  // zeros, as its neighbourhood version does
};

}  // namespace halocline::mpi
