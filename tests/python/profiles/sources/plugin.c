/* Opened by pointers.c; what it calls is known to test_counts.py. */
#include <mpi.h>

void bring(void);
void bring(void) {
  int mine = 1, all;
  for (int i = 0; i < 5; ++i)
    MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}
