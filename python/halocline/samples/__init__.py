"""The station after a launch: samples as they were written, and what may be pooled of them.

`lines` and `records` read `samples.jsonl`; a `Dataset` holds all that a run folder has measured and
never changes. `agreement`, `cores` and `under_load` say which launches cannot be pooled.
Nothing is averaged here.
"""
