program ring
  use mpi
  implicit none
  integer :: rank, ranks, i
  integer :: requests(2), ierror
  double precision :: there(8), here(8), total(8)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  there = rank
  do i = 1, 10
    call MPI_Irecv(here, 8, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 0, &
      MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(there, 8, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 0, &
      MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  do i = 1, 3
    call MPI_Allreduce(there, total, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, total, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
end program
