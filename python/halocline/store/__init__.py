"""Redistribution: what Li 2007 published, and how Store's time grows with the ranks."""
