"""Slurm: its process managers for MPI, its steps, and batch jobs that carry out runs."""
