/* Prints for each call its name and the nanoseconds that it takes, the least of many rounds. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#define __rdtsc() 0
#endif

enum { MESSAGES = 128, ROUNDS = 400 };

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

static const char* names[] = {"Irecv", "Isend", "Waitall", "Iprobe", "Allreduce"};

int main(int argc, char** argv) {
  MPI_Comm ring, alone;
  MPI_Init(&argc, &argv);
  int ranks, periodic = 1, me;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* As a halo exchange has it: peers are ranks of a Cartesian communicator. */
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &me);
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  double least[5] = {1e18, 1e18, 1e18, 1e18, 1e18};
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Request in[MESSAGES], out[MESSAGES];
    double from[MESSAGES], to[MESSAGES], x = 1, y, at[6];
    int flag;
    at[0] = now_ns();
    for (int i = 0; i < MESSAGES; ++i)
      MPI_Irecv(&to[i], 1, MPI_DOUBLE, me, 0, ring, &in[i]);
    at[1] = now_ns();
    for (int i = 0; i < MESSAGES; ++i)
      MPI_Isend(&from[i], 1, MPI_DOUBLE, me, 0, ring, &out[i]);
    at[2] = now_ns();
    MPI_Waitall(MESSAGES, in, MPI_STATUSES_IGNORE);
    at[3] = now_ns();
    MPI_Waitall(MESSAGES, out, MPI_STATUSES_IGNORE);
    double start = now_ns();
    for (int i = 0; i < MESSAGES; ++i)
      MPI_Iprobe(me, 1, ring, &flag, MPI_STATUS_IGNORE);
    at[4] = now_ns();
    for (int i = 0; i < MESSAGES; ++i)
      MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, alone);
    at[5] = now_ns();
    const double took[5] = {(at[1] - at[0]) / MESSAGES, (at[2] - at[1]) / MESSAGES, at[3] - at[2],
                            (at[4] - start) / MESSAGES, (at[5] - at[4]) / MESSAGES};
    for (int i = 0; i < 5; ++i)
      if (round > 10 && took[i] < least[i])
        least[i] = took[i];
  }
  if (me == 0)
    printf("counter %.2f\n", counter_ns());
  if (me == 0)
    for (int i = 0; i < 5; ++i)
      printf("%s %.2f\n", names[i], least[i]);
  MPI_Finalize();
}
