#include "profiler/neighbours.hpp"

#include <cstdint>

#include "profiler/library.hpp"

namespace halocline::profiler {
namespace {

/// The neighbours beyond the ends of a grid's dimensions that are not periodic: they have a place
/// among the counts, but nothing moves.
std::uint64_t absent_of(const Communicator& communicator, int dimensions) {
  constexpr int most = 32;  // two bits each
  int lengths[most];
  int periodic[most];
  int place[most];
  std::uint64_t absent = 0;
  if (dimensions > most || library.cart_get == nullptr) {
    return absent;
  }
  library.cart_get(communicator.handle, dimensions, lengths, periodic, place);
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    const bool first = periodic[dimension] == 0 && place[dimension] == 0;
    const bool last = periodic[dimension] == 0 && place[dimension] == lengths[dimension] - 1;
    absent |= (std::uint64_t{first} | std::uint64_t{last} << 1U)
              << (2U * static_cast<unsigned>(dimension));
  }
  return absent;
}

}  // namespace

void ask_neighbours(Communicator& communicator) {
  int topology = 0;
  library.topo_test(communicator.handle, &topology);
  if (topology == library.topology_cartesian) {
    int dimensions = 0;
    library.cartdim_get(communicator.handle, &dimensions);
    communicator.in_degree = communicator.out_degree = 2 * dimensions;
    communicator.absent = absent_of(communicator, dimensions);
  } else if (topology == library.topology_graph) {
    int neighbours = 0;
    library.graph_neighbors_count(communicator.handle, communicator.rank, &neighbours);
    communicator.in_degree = communicator.out_degree = neighbours;
  } else if (topology == library.topology_distributed) {
    int weighted = 0;
    library.dist_graph_neighbors_count(communicator.handle, &communicator.in_degree,
                                       &communicator.out_degree, &weighted);
  }
}

}  // namespace halocline::profiler
