/* Each rank makes 1000 calls, then rank 1 ends in the way that the first argument names. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, flag;
  const char* how = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 1000; ++i)
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  /* The launcher kills the other one: it must have left the barrier by then. */
  if (rank == 0 && strcmp(how, "nothing") != 0)
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1 && strcmp(how, "nothing") != 0) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(how, "exit") == 0)
      exit(5);
    if (strcmp(how, "MPI_Abort") == 0)
      MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "SIGSEGV") == 0)
      raise(SIGSEGV);
    if (strcmp(how, "SIGKILL") == 0)
      raise(SIGKILL);
    if (strcmp(how, "_exit") == 0)
      _exit(9);
    if (strcmp(how, "abort") == 0)
      abort();
    if (strcmp(how, "SIGTERM") == 0)
      raise(SIGTERM);
  }
  sleep(100); /* until the launcher ends it */
}
