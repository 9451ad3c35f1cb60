"""The papers' claims, answered by measurements: one file a claim in `rows`."""
