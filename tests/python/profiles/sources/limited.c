/* Its files may have so many bytes as its argument says once MPI has begun. Then it makes calls of
   2000 kinds, twice: 4000 of MPI_Iprobe, over 1000 communicators; and 100 in a second thread. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { COMMUNICATORS = 1000 };

static void* probe(void* unused) {
  int flag;
  for (int i = 0; i < 100; ++i)
    MPI_Iprobe(MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return unused;
}

int main(int argc, char** argv) {
  static MPI_Comm all[COMMUNICATORS];
  int flag, provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  struct rlimit limit = {(rlim_t)atol(argv[1]), RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
  for (int i = 0; i < COMMUNICATORS; ++i)
    MPI_Comm_dup(MPI_COMM_SELF, &all[i]);
  for (int time = 0; time < 2; ++time)
    for (int i = 0; i < COMMUNICATORS; ++i) {
      MPI_Iprobe(MPI_ANY_SOURCE, i, all[i], &flag, MPI_STATUS_IGNORE);
      MPI_Iprobe(0, i, all[i], &flag, MPI_STATUS_IGNORE);
    }
  for (int i = 0; i < COMMUNICATORS; ++i)
    MPI_Comm_free(&all[i]);
  pthread_create(&thread, NULL, probe, NULL);
  pthread_join(thread, NULL);
  limit.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_FSIZE, &limit);
  MPI_Finalize();
}
