"""The papers' claims, answered by measurements: one file per claim in `rows`.

`lacking.toml` has the claims that no measurement here answers.
"""
