"""Profiles of MPI programs: recorded, read, shown."""
