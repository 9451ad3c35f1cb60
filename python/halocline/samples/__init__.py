"""The station after a launch: samples as written, and which of them may be pooled.

`lines` and `records` read `samples.jsonl`; a `Dataset` holds the contents of a run folder and
never changes. `agreement`, `cores` and `under_load` say which launches cannot be pooled.
Nothing is averaged here.
"""
