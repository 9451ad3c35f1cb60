// A broadcast and a sum in turns, more often than arrivals are kept.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value = 1;
  for (int i = 0; i < 70000; ++i) {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_SELF);
  }
  MPI_Finalize();
  return 0;
}
