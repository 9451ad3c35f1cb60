"""MPI libraries: installed and adopted ones, and the driver built for each."""
