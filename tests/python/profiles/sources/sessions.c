/* MPI without MPI_Init: messages of each rank to itself in a communicator of mpi://SELF, which
   comes first, and then one to the next rank in one of mpi://WORLD. */
#include <mpi.h>

static MPI_Comm communicator_of(MPI_Session session, const char* set) {
  MPI_Group group;
  MPI_Comm made;
  MPI_Group_from_session_pset(session, set, &group);
  MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Group_free(&group);
  return made;
}

static void shift(MPI_Comm communicator, int bytes) {
  char out[64] = "", in[64];
  int rank, size;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 0, in, 64, MPI_CHAR,
               (rank + size - 1) % size, 0, communicator, MPI_STATUS_IGNORE);
}

int main(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm self = communicator_of(session, "mpi://SELF");
  MPI_Comm world = communicator_of(session, "mpi://WORLD");
  for (int i = 0; i < 3; ++i)
    shift(self, 10);
  shift(world, 64);
  MPI_Barrier(world);
  MPI_Comm_free(&self);
  MPI_Comm_free(&world);
  MPI_Session_finalize(&session);
}
