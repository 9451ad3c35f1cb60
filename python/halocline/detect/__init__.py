"""Limits that show in times against sizes: eager limit, packets, half bandwidth, saturation."""
