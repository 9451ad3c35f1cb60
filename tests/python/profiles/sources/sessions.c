/* MPI without MPI_Init: messages of each rank to itself in a communicator of mpi://SELF, which
   comes first, and then one to the next rank in one of mpi://WORLD. With an argument no
   communicator has all ranks: rank 0 and the others are the two sides of one between groups. */
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

static void between_groups(MPI_Session session) {
  MPI_Group world, first, others;
  MPI_Comm made;
  char out[5] = "", in[5];
  const int zero = 0;
  int rank;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Group_rank(world, &rank);
  MPI_Group_incl(world, 1, &zero, &first);
  MPI_Group_excl(world, 1, &zero, &others);
  MPI_Intercomm_create_from_groups(rank == 0 ? first : others, 0, rank == 0 ? others : first, 0,
                                   "two", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Sendrecv(out, 5, MPI_CHAR, 0, 0, in, 5, MPI_CHAR, 0, 0, made, MPI_STATUS_IGNORE);
  MPI_Group_free(&world);
  MPI_Group_free(&first);
  MPI_Group_free(&others);
  MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
  MPI_Session session;
  (void)argv;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  if (argc > 1) {
    between_groups(session);
    MPI_Session_finalize(&session);
    return 0;
  }
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
