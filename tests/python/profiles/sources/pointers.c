/* Calls MPI through pointers; how often is known to test_counts.py. */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*meeting)(MPI_Comm);
typedef int (*reduction)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

/* Indices that the compiler does not know keep it from calling the functions directly. */
static volatile int first = 0;
static const struct {
  meeting meet;
  reduction reduce;
} table[] = {{MPI_Barrier, MPI_Allreduce}, {PMPI_Barrier, PMPI_Allreduce}};

static ssize_t (*volatile put)(int, const void*, size_t) = write;

static void by_table(void) {
  int mine = 1, all;
  for (int i = 0; i < 3; ++i)
    table[first].meet(MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i)
    table[first].reduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* By a name that is looked up at run time. */
static void by_name(void) {
  int value = 0;
  int (*spread)(void*, int, MPI_Datatype, int, MPI_Comm);
  *(void**)&spread = dlsym(RTLD_DEFAULT, "MPI_Bcast");
  for (int i = 0; i < 6; ++i)
    spread(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  void (*bring)(void);
  *(void**)&bring = dlsym(plugin, "bring");
  bring();
  by_table();
  by_name();
  if (rank == 0)
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0 || put(file, "seven..", 7) != 7 || close(file) != 0)
    return 4;
  return MPI_Finalize();
}
