"""From samples to figures: a value with its interval for each case, or why it is missing.

`metrics` are the quantities of a case, `stats` and `ratios` the statistics over launches and
batches, `summary` the result from which all commands and pages take their numbers.
"""
