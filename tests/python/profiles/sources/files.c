/* What it does to files is known to test_files.py. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void check(int good, const char* what) {
  if (!good) {
    perror(what);
    exit(3);
  }
}

static void by_descriptor(const char* path) {
  char bytes[1000] = {1};
  struct iovec two[2] = {{bytes, 300}, {bytes, 200}};
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
  check(file >= 0, "open");
  for (int i = 0; i < 7; ++i)
    check(write(file, bytes, 1000) == 1000, "write");
  check(writev(file, two, 2) == 500, "writev");
  check(pwrite(file, bytes, 10, 0) == 10, "pwrite");
  check(lseek(file, 0, SEEK_SET) == 0, "lseek");
  for (int i = 0; i < 3; ++i)
    check(read(file, bytes, 100) == 100, "read");
  check(readv(file, two, 2) == 500, "readv");
  check(pread(file, bytes, 20, 0) == 20, "pread");
  check(fsync(file) == 0, "fsync");
  check(close(file) == 0, "close");
}

static void by_stream(const char* path) {
  char text[100];
  int number = 0;
  FILE* file = fopen(path, "w+");
  check(file != NULL, "fopen");
  check(fprintf(file, "%d\n", 12345) == 6, "fprintf");
  check(fputs("abc\n", file) >= 0, "fputs");
  check(fwrite("01234567", 4, 2, file) == 2, "fwrite");
  check(fputc('\n', file) == '\n', "fputc");
  check(fseek(file, 0, SEEK_SET) == 0, "fseek");
  check(fscanf(file, "%d", &number) == 1 && number == 12345, "fscanf");
  check(fgetc(file) == '\n', "fgetc");
  check(fgets(text, sizeof text, file) != NULL, "fgets");
  check(fread(text, 1, sizeof text, file) == 9, "fread");
  check(fclose(file) == 0, "fclose");
}

/* The second file gets the first one's descriptor, within the C library. */
static void by_reopened_stream(const char* first, const char* second) {
  FILE* file = fopen(first, "w");
  check(file != NULL && fputs("first", file) >= 0, "fopen");
  file = freopen(second, "w", file);
  check(file != NULL && fputs("the second", file) >= 0, "freopen");
  check(fclose(file) == 0, "fclose");
}

static void not_files(void) {
  char bytes[8] = {0};
  int pair[2];
  check(pipe(pair) == 0 && write(pair[1], bytes, 8) == 8 && read(pair[0], bytes, 8) == 8, "pipe");
  close(pair[0]);
  close(pair[1]);
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && write(pair[0], bytes, 8) == 8, "socket");
  close(pair[0]);
  close(pair[1]);
  FILE* own = fopen("/proc/self/status", "r");
  check(own != NULL && fread(bytes, 1, 8, own) == 8, "/proc");
  fclose(own);
}

static void by_mpi(const char* path) {
  MPI_File file;
  int numbers[8] = {0};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, rank * 32, numbers, 8, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, rank * 32, numbers, 8, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, rank * 32, numbers, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  char path[4096];
  check(argc == 2, "usage");
  snprintf(path, sizeof path, "%s/early-%d", argv[1], (int)getpid());
  const int early = creat(path, 0600);
  check(write(early, "early", 5) == 5, "write");
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  close(early);
  unlink(path);
  snprintf(path, sizeof path, "%s/descriptor", argv[1]);
  if (rank == 0)
    by_descriptor(path);
  snprintf(path, sizeof path, "%s/stream", argv[1]);
  if (rank == 1)
    by_stream(path);
  char next[4096];
  snprintf(path, sizeof path, "%s/before", argv[1]);
  snprintf(next, sizeof next, "%s/after", argv[1]);
  if (rank == 1)
    by_reopened_stream(path, next);
  not_files();
  check(chdir(argv[1]) == 0, "chdir");
  by_mpi("together_00:00"); /* as models name files: by the time */
  check(open("/nowhere/at/all", O_RDONLY) < 0, "open");
  perror("expected");
  MPI_Barrier(MPI_COMM_WORLD); /* the launcher ends all once one has ended with 5 */
  MPI_Finalize();
  return 5;
}
