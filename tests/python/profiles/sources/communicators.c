/* 10,000 communicators, four at a time: of each rank alone, and ten of all ranks. */
#include <mpi.h>

enum { COMMUNICATORS = 10000, AT_A_TIME = 4 };

int main(int argc, char** argv) {
  MPI_Comm made[AT_A_TIME];
  int flag;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < COMMUNICATORS; i += AT_A_TIME) {
    for (int one = 0; one < AT_A_TIME; ++one) {
      MPI_Comm_dup(i % 1000 == 0 && one == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF, &made[one]);
      MPI_Iprobe(MPI_ANY_SOURCE, 0, made[one], &flag, MPI_STATUS_IGNORE);
    }
    for (int one = 0; one < AT_A_TIME; ++one)
      MPI_Comm_free(&made[one]);
  }
  MPI_Finalize();
}
