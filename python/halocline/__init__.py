"""Halocline: how a machine moves data, measured and explained."""

__version__ = "0.1.0"
