/* 70,000 persistent requests at once, twice: more than the profiler can track. */
#include <mpi.h>

enum { REQUESTS = 70000 };

int main(int argc, char** argv) {
  static MPI_Request requests[REQUESTS];
  char nothing;
  MPI_Init(&argc, &argv);
  for (int time = 0; time < 2; ++time) {
    for (int i = 0; i < REQUESTS; ++i)
      MPI_Send_init(&nothing, 0, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < REQUESTS; ++i)
      MPI_Request_free(&requests[i]);
  }
  MPI_Finalize();
}
