/* Regions within one another, a level without a name, and memory that it once had. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halocline_regions.h"

int main(int argc, char** argv) {
  double value = 1, sum = 0;
  enum { ONCE = 64 << 20 };
  MPI_Init(&argc, &argv);
  char* memory = malloc(ONCE);
  if (memory == NULL)
    return 1;
  memset(memory, 1, ONCE);
  MPI_Pcontrol(1);
  MPI_Pcontrol(0);
  for (int i = 0; i < 3; ++i) {
    halocline_region_begin("step");
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    halocline_region_begin("solve");
    for (int j = 0; j < 5; ++j)
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    /* To and from nobody: no bytes. */
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, &sum, 1, MPI_DOUBLE, MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(20000);
    halocline_region_end("solve");
    halocline_region_end("step");
    halocline_region_end("never begun");
  }
  free(memory);
  usleep(200000);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1)
    abort();
  MPI_Finalize();
  return 0;
}
