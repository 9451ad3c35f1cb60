"""Redistribution: the figures of Li 2007, and how Store's time grows with the ranks."""
