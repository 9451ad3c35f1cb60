"""From a profile to a benchmark: a plan of the same calls, sizes and peers."""
