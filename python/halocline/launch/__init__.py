"""A launch: the command of each launcher, where its ranks go, its watch, and what came of it."""
