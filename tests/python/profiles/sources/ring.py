"""The same calls as ring.f90, through mpi4py's buffers."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
there, here, total = bytearray(64), bytearray(64), bytearray(64)
for _ in range(10):
    receive = world.Irecv([here, 8, MPI.DOUBLE], (rank - 1) % ranks)
    send = world.Isend([there, 8, MPI.DOUBLE], (rank + 1) % ranks)
    MPI.Request.Waitall([receive, send])
for _ in range(3):
    world.Allreduce([there, 8, MPI.DOUBLE], [total, 8, MPI.DOUBLE])
world.Allreduce(MPI.IN_PLACE, [total, 8, MPI.DOUBLE])
world.Barrier()
