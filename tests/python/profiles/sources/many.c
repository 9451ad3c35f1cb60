/* As many cheap calls as its argument says. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  for (long i = atol(argv[1]); i > 0; --i)
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Finalize();
}
