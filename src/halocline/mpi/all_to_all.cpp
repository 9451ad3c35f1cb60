#include <utility>
#include <vector>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/compat/persistent_collectives.hpp"
#include "halocline/mpi/pieces.hpp"
#include "halocline/mpi/requests.hpp"

namespace halocline::mpi {
namespace {

/// Where a list begins. Never null: without neighbours Open MPI 4 refuses that, and MPICH 4 reads
/// from there.
template <class Element>
const Element* begin_of(const std::vector<Element>& list) {
  static const Element nothing{};
  return list.empty() ? &nothing : list.data();
}

}  // namespace

void TypedPieces::add(Datatype type) {
  owned_.push_back(std::move(type));
  add(owned_.back().handle(), 1);
}

void TypedPieces::add_nothing() { add(MPI_BYTE, 0); }

void TypedPieces::add(MPI_Datatype type, int count) {
  types_.push_back(type);
  counts_.push_back(count);
  offsets_.push_back(0);
  displacements_.push_back(0);
}

void Communicator::all_to_all(const Pieces& outgoing, const Pieces& incoming) const {
  HALOCLINE_MPI(MPI_Alltoallv(outgoing.base, outgoing.counts.data(), outgoing.offsets.data(),
                              MPI_BYTE, incoming.base, incoming.counts.data(),
                              incoming.offsets.data(), MPI_BYTE, handle_));
}

void Communicator::all_to_all(const TypedPieces& outgoing, const TypedPieces& incoming) const {
  HALOCLINE_MPI(MPI_Alltoallw(MPI_BOTTOM, outgoing.counts().data(), outgoing.offsets().data(),
                              outgoing.types().data(), MPI_BOTTOM, incoming.counts().data(),
                              incoming.offsets().data(), incoming.types().data(), handle_));
}

void Communicator::neighbour_all_to_all(const Pieces& outgoing, const Pieces& incoming) const {
  HALOCLINE_MPI(MPI_Neighbor_alltoallv(
      outgoing.base, begin_of(outgoing.counts), begin_of(outgoing.offsets), MPI_BYTE, incoming.base,
      begin_of(incoming.counts), begin_of(incoming.offsets), MPI_BYTE, handle_));
}

void Communicator::neighbour_all_to_all(const TypedPieces& outgoing,
                                        const TypedPieces& incoming) const {
  HALOCLINE_MPI(MPI_Neighbor_alltoallw(
      MPI_BOTTOM, begin_of(outgoing.counts()), begin_of(outgoing.displacements()),
      begin_of(outgoing.types()), MPI_BOTTOM, begin_of(incoming.counts()),
      begin_of(incoming.displacements()), begin_of(incoming.types()), handle_));
}

void Requests::all_to_all(const Communicator& communicator, const Pieces& outgoing,
                          const Pieces& incoming) {
  HALOCLINE_MPI(MPI_Ialltoallv(outgoing.base, outgoing.counts.data(), outgoing.offsets.data(),
                               MPI_BYTE, incoming.base, incoming.counts.data(),
                               incoming.offsets.data(), MPI_BYTE, communicator.handle(), &next()));
}

void Requests::prepare_all_to_all(const Communicator& communicator, const Pieces& outgoing,
                                  const Pieces& incoming) {
  HALOCLINE_MPI(alltoallv_init(outgoing.base, outgoing.counts.data(), outgoing.offsets.data(),
                               MPI_BYTE, incoming.base, incoming.counts.data(),
                               incoming.offsets.data(), MPI_BYTE, communicator.handle(),
                               MPI_INFO_NULL, &next()));
}

void Requests::prepare_neighbour_all_to_all(const Communicator& graph, const Pieces& outgoing,
                                            const Pieces& incoming) {
  HALOCLINE_MPI(neighbor_alltoallv_init(outgoing.base, begin_of(outgoing.counts),
                                        begin_of(outgoing.offsets), MPI_BYTE, incoming.base,
                                        begin_of(incoming.counts), begin_of(incoming.offsets),
                                        MPI_BYTE, graph.handle(), MPI_INFO_NULL, &next()));
}

void Requests::prepare_neighbour_all_to_all(const Communicator& graph, const TypedPieces& outgoing,
                                            const TypedPieces& incoming) {
  HALOCLINE_MPI(neighbor_alltoallw_init(
      MPI_BOTTOM, begin_of(outgoing.counts()), begin_of(outgoing.displacements()),
      begin_of(outgoing.types()), MPI_BOTTOM, begin_of(incoming.counts()),
      begin_of(incoming.displacements()), begin_of(incoming.types()), graph.handle(), MPI_INFO_NULL,
      &next()));
}

}  // namespace halocline::mpi
