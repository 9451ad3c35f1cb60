/* Spawns two processes of its own and sends each 100 bytes; they answer with 10. */
#include <mpi.h>

int main(int argc, char** argv) {
  char buffer[100] = "";
  int rank;
  MPI_Comm parent, children;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Recv(buffer, 100, MPI_CHAR, 0, 0, parent, MPI_STATUS_IGNORE);
    MPI_Send(buffer, 10, MPI_CHAR, 0, 0, parent);
    MPI_Comm_disconnect(&parent);
  } else {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    if (rank == 0)
      for (int child = 0; child < 2; ++child) {
        MPI_Send(buffer, 100, MPI_CHAR, child, 0, children);
        MPI_Recv(buffer, 10, MPI_CHAR, child, 0, children, MPI_STATUS_IGNORE);
      }
    MPI_Comm_disconnect(&children);
  }
  MPI_Finalize();
}
