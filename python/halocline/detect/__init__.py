"""Limits visible in time against size: eager limit, packets, half bandwidth, saturation."""
