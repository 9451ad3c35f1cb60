"""Verify each combination of workload and protocol on a library: payload checked, nothing timed."""
