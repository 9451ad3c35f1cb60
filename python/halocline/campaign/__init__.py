"""What to launch: in which order, within which budget, until when, and how to resume.

`engine` has the only loop that launches. A policy decides what comes next: a generator that yields
a `Launch`, is sent its outcome, and ends when it has enough. The engine starts the launch,
times it case by case, reports progress, keeps the launch log (`log`), and stops cleanly when the
user interrupts it or the disk is full.

Policies, one file each:
- `precision` (`run`, `survey`, `findings`): until every case is precise enough;
- `turns` (`compare`, its gate, `selftest`): sides running concurrently, in turn;
- `whole_programs` (`compare` of programs): each from start to end;
- `halocline.tune.search` (`tune`): rungs of candidates, in turn with the default;
- `halocline.verify.combinations` (`verify`): payloads only, again without crashed cases;
- `halocline.profile.workloads` (`profile workload`): each case once a launch, profiled.

Policies rely on `plan` and `costs` (which cases are due, and what they cost), `pace` (how many
cases and turns fit a budget), `lost` (whether other work on the node ruins launches), and a
`Ledger` of the samples so far. `queues` makes the jobs: what is launched together, on which
nodes, with which settings. `starters` runs jobs with MPI, or on a mock machine in tests.

A new way to measure is a new policy: `tests/python/campaign/test_engine.py` has one in eight
lines.
"""
