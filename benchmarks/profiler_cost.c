/* Prints for each call its name and the nanoseconds that it takes by its own name and by its PMPI
   name, in turn: the least of many rounds. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#define __rdtsc() 0
#endif

enum { MESSAGES = 128, ROUNDS = 800, WARM = 20 };

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

/* What no profiler that times calls can do without. */
static double counter_ns(void) {
  enum { READS = 10000 };
  volatile unsigned long long sum = 0;
  const double start = now_ns();
  for (int i = 0; i < READS; ++i) {
    sum += __rdtsc();
    sum -= __rdtsc();
  }
  return (now_ns() - start) / READS;
}

enum { IRECV, ISEND, WAITALL, IPROBE, ALLREDUCE, CALLS };
static const char* names[CALLS] = {"Irecv", "Isend", "Waitall", "Iprobe", "Allreduce"};

/* One round of calls, by the names that a profiler wraps or by those that it leaves alone. */
#define DEFINE_ROUND(name, PREFIX)                                                           \
  static void name(MPI_Comm ring, MPI_Comm alone, int me, double least[CALLS]) {             \
    MPI_Request in[MESSAGES], out[MESSAGES];                                                 \
    double from[MESSAGES] = {0}, to[MESSAGES], x = 1, y;                                     \
    int flag;                                                                                \
    const double start = now_ns();                                                           \
    for (int i = 0; i < MESSAGES; ++i)                                                       \
      PREFIX##Irecv(&to[i], 1, MPI_DOUBLE, me, 0, ring, &in[i]);                             \
    const double received = now_ns();                                                        \
    for (int i = 0; i < MESSAGES; ++i)                                                       \
      PREFIX##Isend(&from[i], 1, MPI_DOUBLE, me, 0, ring, &out[i]);                          \
    const double sent = now_ns();                                                            \
    PREFIX##Waitall(MESSAGES, in, MPI_STATUSES_IGNORE);                                      \
    const double awaited = now_ns();                                                         \
    PREFIX##Waitall(MESSAGES, out, MPI_STATUSES_IGNORE);                                     \
    const double probing = now_ns();                                                         \
    for (int i = 0; i < MESSAGES; ++i)                                                       \
      PREFIX##Iprobe(me, 1, ring, &flag, MPI_STATUS_IGNORE);                                 \
    const double probed = now_ns();                                                          \
    for (int i = 0; i < MESSAGES; ++i)                                                       \
      PREFIX##Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, alone);                              \
    const double reduced = now_ns();                                                         \
    const double took[CALLS] = {(received - start) / MESSAGES, (sent - received) / MESSAGES, \
                                awaited - sent, (probed - probing) / MESSAGES,               \
                                (reduced - probed) / MESSAGES};                              \
    for (int i = 0; i < CALLS; ++i)                                                          \
      if (took[i] < least[i])                                                                \
        least[i] = took[i];                                                                  \
  }
DEFINE_ROUND(by_program, MPI_)
DEFINE_ROUND(unseen, PMPI_)

int main(int argc, char** argv) {
  MPI_Comm ring, alone;
  MPI_Init(&argc, &argv);
  int ranks, periodic = 1, me;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* As a halo exchange has it: peers are ranks of a Cartesian communicator. */
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &me);
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  double seen[CALLS] = {0}, bare[CALLS] = {0};
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; round == WARM && i < CALLS; ++i)
      seen[i] = bare[i] = 1e18;
    by_program(ring, alone, me, seen);
    unseen(ring, alone, me, bare);
  }
  if (me == 0) {
    printf("counter %.2f 0\n", counter_ns());
    for (int i = 0; i < CALLS; ++i)
      printf("%s %.2f %.2f\n", names[i], seen[i], bare[i]);
  }
  MPI_Finalize();
}
