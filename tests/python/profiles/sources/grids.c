/* Neighbours at the ends of a line that is not periodic, and types larger than an int can count. */
#include <mpi.h>

enum { MOST = 16, BLOCK = 1 << 12, BLOCKS = 1 << 20 };

int main(int argc, char** argv) {
  static int out[MOST], in[MOST];
  static char block[BLOCK];
  int size;
  MPI_Comm line;
  MPI_Datatype often;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (const int[]){0}, 0, &line);
  MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, line);
  MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, line);
  /* Down 5, up 7: from below come 7, from above 5. */
  MPI_Neighbor_alltoallv(out, (const int[]){5, 7}, (const int[]){0, 5}, MPI_INT, in,
                         (const int[]){7, 5}, (const int[]){0, 7}, MPI_INT, line);
  MPI_Comm_free(&line);
  MPI_Type_create_hvector(BLOCKS, BLOCK, 0, MPI_BYTE, &often);
  MPI_Type_commit(&often);
  MPI_Bcast(block, 1, often, 0, MPI_COMM_SELF);
  MPI_Type_free(&often);
  MPI_Finalize();
}
