program regions
  use mpi
  use halocline_regions
  implicit none
  integer :: code
  call mpi_init(code)
  call halocline_region_begin("physics ")
  call mpi_barrier(mpi_comm_world, code)
  call halocline_region_end("physics")
  call mpi_finalize(code)
end program regions
