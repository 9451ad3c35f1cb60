"""From samples to figures: a value with its interval for each case, or the reason why it has none.

`metrics` are the quantities of a case, `stats` and `ratios` the statistics over launches and
batches, `summary` the result that every answer and every page takes its numbers from.
"""
