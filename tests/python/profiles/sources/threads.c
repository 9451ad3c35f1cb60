/* 16 threads, each with messages to itself and a communicator of its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 16, CALLS = 10000 };
static MPI_Comm communicators[THREADS];

static void* work(void* number) {
  MPI_Comm mine = communicators[(long)number];
  char out[64], in[64];
  int rank, flag;
  MPI_Comm_rank(mine, &rank);
  for (int i = 0; i < CALLS; ++i) {
    MPI_Iprobe(MPI_ANY_SOURCE, 9, mine, &flag, MPI_STATUS_IGNORE);
    if (i % 100 == 0)
      MPI_Sendrecv(out, 1 + (int)(long)number, MPI_CHAR, rank, 0, in, 64, MPI_CHAR, rank, 0, mine,
                   MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE)
    return 1;
  for (int i = 0; i < THREADS; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, &communicators[i]);
  for (int round = 0; round < 2; ++round) {
    for (long i = 0; i < THREADS; ++i)
      pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < THREADS; ++i)
      pthread_join(threads[i], NULL);
  }
  MPI_Finalize();
}
