#include "halocline/mpi/group.hpp"

namespace halocline::mpi {

Group::Group(const Communicator& communicator, std::span<const int> ranks) {
  MPI_Group all = MPI_GROUP_NULL;
  HALOCLINE_MPI(MPI_Comm_group(communicator.handle(), &all));
  const int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &handle_);
  MPI_Group_free(&all);
  HALOCLINE_MPI(code);
}

Group::~Group() {
  if (handle_ != MPI_GROUP_NULL) {
    MPI_Group_free(&handle_);
  }
}

}  // namespace halocline::mpi
