"""Slurm: its process managers for MPI, its steps, and batch jobs for runs."""
