"""A launch: the command of each launcher, where its ranks go, supervision, and the outcome."""
