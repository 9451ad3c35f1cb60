"""MPI libraries: which are here, installed ones and a site's own, and the driver built for each."""
