/* Closes descriptors that it has not opened, before or after MPI_Init as the first argument says,
   and opens files of its own in the folder that the second one names: each must keep its 10 bytes
   whatever MPI is called for then. */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 8, COMMUNICATORS = 1000, TIMES = 4 }; /* MPICH has 2048 at a time */

static void close_strange_ones(void) {
  DIR* folder = opendir("/proc/self/fd");
  struct dirent* entry;
  while ((entry = readdir(folder)) != NULL) {
    char link[300], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
      continue;
    path[length] = '\0';
    if (strstr(path, ".part") != NULL)
      close(atoi(entry->d_name));
  }
  closedir(folder);
}

int main(int argc, char** argv) {
  const int early = strcmp(argv[1], "before") == 0;
  int files[FILES], rank, flag, wrong = 0;
  close(open(argv[0], O_RDONLY)); /* the profile begins with the first file or call */
  if (early)
    close_strange_ones();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!early)
    close_strange_ones();
  for (int i = 0; i < FILES; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d-%d", argv[2], rank, i);
    files[i] = open(path, O_RDWR | O_CREAT, 0644);
    wrong += write(files[i], "ten bytes\n", 10) != 10;
  }
  static MPI_Comm all[COMMUNICATORS];
  for (int time = 0; time < TIMES; ++time) {
    for (int i = 0; i < COMMUNICATORS; ++i) {
      MPI_Comm_dup(MPI_COMM_SELF, &all[i]);
      MPI_Iprobe(MPI_ANY_SOURCE, i, all[i], &flag, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < COMMUNICATORS; ++i)
      MPI_Comm_free(&all[i]);
  }
  for (int i = 0; i < FILES; ++i) {
    struct stat facts;
    wrong += fstat(files[i], &facts) != 0 || facts.st_size != 10;
    close(files[i]);
  }
  MPI_Finalize();
  return wrong != 0;
}
