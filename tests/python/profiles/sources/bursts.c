/* Writes at its beginning, middle and end, so fast and no faster, and says when it began and ended
   each time, in ns of the wall clock, how many bytes it wrote, and by how many ns it was late at
   most. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 20000, PIECES = 250, EVERY_NS = 2000000, REST_NS = 400000000 };

static long long now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void sleep_until(long long at_ns) {
  const struct timespec at = {at_ns / 1000000000, at_ns % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static int burst(int file) {
  static char piece[PIECE];
  const long long begin = now_ns(CLOCK_REALTIME);
  const long long first = now_ns(CLOCK_MONOTONIC);
  long long end = 0;
  long long latest = 0;
  for (int i = 0; i < PIECES; ++i) {
    const long long due = first + (long long)i * EVERY_NS;
    sleep_until(due);
    if (write(file, piece, PIECE) != PIECE)
      return 1;
    end = now_ns(CLOCK_REALTIME);
    const long long late = now_ns(CLOCK_MONOTONIC) - due;
    latest = late > latest ? late : latest;
  }
  printf("%lld %lld %d %lld\n", begin, end, PIECE * PIECES, latest);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  MPI_Init(&argc, &argv);
  const int file = creat(argv[1], 0600);
  for (int i = 0; i < 3; ++i) {
    if (i > 0)
      sleep_until(now_ns(CLOCK_MONOTONIC) + REST_NS);
    if (burst(file))
      return 1;
  }
  close(file);
  MPI_Finalize();
  return 0;
}
