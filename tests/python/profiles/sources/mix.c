/* Calls of many kinds, each kind another number of times: test_counts.py knows them. */
#include <mpi.h>
#include <stdlib.h>

static void neighbours(int rank, int ranks) {
  char out[64], in[100];
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int i = 0; i < 10; ++i) {
    MPI_Request both[2];
    MPI_Irecv(in, 100, MPI_CHAR, left, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, 64, MPI_CHAR, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i)
    MPI_Sendrecv(out, 16, MPI_INT, right, 1, in, 20, MPI_INT, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 1; i < ranks; ++i)
      MPI_Recv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(out, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  }
}

static void persistent(int rank, int ranks) {
  double out[5] = {0}, in[5];
  MPI_Request both[2];
  MPI_Recv_init(in, 5, MPI_DOUBLE, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(out, 5, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &both[1]);
  for (int i = 0; i < 4; ++i) {
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&both[0]);
    MPI_Start(&both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

static void collectives(int rank, int ranks, MPI_Comm pairs) {
  double x = rank, y;
  for (int i = 0; i < 7; ++i)
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i)
    MPI_Allreduce(MPI_IN_PLACE, &y, 1, MPI_DOUBLE, MPI_SUM, pairs);
  for (int i = 0; i < 5; ++i)
    MPI_Barrier(pairs);
  for (int i = 0; i < 3; ++i)
    MPI_Bcast(&x, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  int *counts = malloc(ranks * sizeof(int)), *places = malloc(ranks * sizeof(int));
  char *out = calloc(ranks, ranks), *in = calloc(ranks, ranks);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = i;
    places[i] = i * ranks;
  }
  MPI_Gatherv(out, rank, MPI_CHAR, in, counts, places, MPI_CHAR, 0, MPI_COMM_WORLD);
  int* same = malloc(ranks * sizeof(int));
  for (int i = 0; i < ranks; ++i)
    same[i] = rank;
  MPI_Alltoallv(out, counts, places, MPI_CHAR, in, same, places, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Allgather(&x, 1, MPI_DOUBLE, calloc(ranks, 8), 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void derived(int rank, int ranks) {
  double field[12] = {0};
  MPI_Datatype column;
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column); /* 24 bytes */
  MPI_Type_commit(&column);
  MPI_Sendrecv_replace(field, 1, column, (rank + 1) % ranks, 4, (rank + ranks - 1) % ranks, 4,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  MPI_Type_vector(2, 1, 4, MPI_DOUBLE, &column); /* 16 bytes, maybe under the same handle */
  MPI_Type_commit(&column);
  MPI_Sendrecv_replace(field, 1, column, (rank + 1) % ranks, 4, (rank + ranks - 1) % ranks, 4,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
}

static void one_sided(int rank, int ranks) {
  double *memory, value = rank;
  MPI_Win window;
  MPI_Win_allocate(8 * ranks, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 6; ++i)
    MPI_Put(&value, 1, MPI_DOUBLE, (rank + 1) % ranks, rank, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Comm pairs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* Backwards: a rank in it is another one in the world. */
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pairs);
  char token = 0;
  MPI_Sendrecv_replace(&token, 1, MPI_CHAR, 0, 5, MPI_ANY_SOURCE, 5, MPI_COMM_SELF,
                       MPI_STATUS_IGNORE);
  neighbours(rank, ranks);
  persistent(rank, ranks);
  collectives(rank, ranks, pairs);
  derived(rank, ranks);
  one_sided(rank, ranks);
  int in_pair;
  MPI_Comm_rank(pairs, &in_pair);
  if (in_pair == 0)
    MPI_Send(&token, 1, MPI_CHAR, 1, 6, pairs);
  else
    MPI_Recv(&token, 1, MPI_CHAR, 0, 6, pairs, MPI_STATUS_IGNORE);
  MPI_Comm_free(&pairs);
  MPI_Finalize();
  return 0;
}
