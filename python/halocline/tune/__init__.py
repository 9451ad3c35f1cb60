"""The best protocol, packing, placement and library settings for a workload, with the evidence."""
