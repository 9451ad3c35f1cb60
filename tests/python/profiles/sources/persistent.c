/* Collectives that are created once and started three times: test_counts.py knows what they move.
 */
#include <mpi.h>

int main(int argc, char** argv) {
  char own[64] = {0}, all[4 * 64];
  MPI_Request both[2];
  MPI_Init(&argc, &argv);
  MPI_Reduce_init(own, all, 64, MPI_CHAR, MPI_MAX, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
  MPI_Allgather_init(own, 64, MPI_CHAR, all, 64, MPI_CHAR, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) {
      MPI_Start(&both[j]);
      MPI_Wait(&both[j], MPI_STATUS_IGNORE);
    }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  MPI_Finalize();
  return 0;
}
