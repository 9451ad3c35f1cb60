"""The papers' claims, answered by measurements: one file per claim in `rows`."""
