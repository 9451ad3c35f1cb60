/* Reductions between rank 0 and all others, each group of which scatters the other's sum. */
#include <mpi.h>

enum { NUMBERS = 6, ENOUGH = 1 << 20 };

int main(int argc, char** argv) {
  static int out[NUMBERS], in[NUMBERS];
  int rank, size;
  MPI_Comm group, both;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &group);
  MPI_Comm_size(group, &size);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 0, &both);
  /* What follows the counts of the first group is none. */
  const int of_first[] = {NUMBERS, ENOUGH, ENOUGH}, of_others[] = {1, 2, 3};
  MPI_Reduce_scatter(out, in, rank > 0 ? of_others : of_first, MPI_INT, MPI_SUM, both);
  MPI_Reduce_scatter_block(out, in, NUMBERS / size, MPI_INT, MPI_SUM, both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
  MPI_Finalize();
}
