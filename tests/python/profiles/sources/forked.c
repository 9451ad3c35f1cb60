// A child asks whether MPI was initialized, as the end of an interpreter does.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const pid_t child = fork();
  if (child == 0) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    _exit(initialized ? 0 : 1);
  }
  waitpid(child, 0, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
