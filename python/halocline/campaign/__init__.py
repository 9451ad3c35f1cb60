"""What is launched: in which order, within which budget, until when, and how it is resumed.

`engine` has the only loop that launches. A policy tells it what comes next: a generator that yields
a `Launch`, is sent what came of it, and ends when that is enough. The engine starts the launch,
times it case by case, reports progress, keeps the launch log (`log`), and stops in good order when
the user interrupts it or the disk is full.

Policies, one file each:
- `precision` (`run`, `survey`, `findings`): until every case is exact enough;
- `turns` (`compare`, its gate, `selftest`): sides alive together, in turn;
- `whole_programs` (`compare` of programs): each from start to end;
- `halocline.tune.search` (`tune`): rungs of candidates, beside the default;
- `halocline.verify.combinations` (`verify`): payloads only, again without what crashed.

What policies decide with: `plan` and `costs` say which cases are due and what they take, `pace` how
many cases and turns fit a budget, `lost` when other work on the node makes launches useless, and a
`Ledger` what the samples hold by now. `queues` makes the jobs: what is launched together, on which
nodes, with which settings. `starters` runs jobs with MPI, or on a mock machine in tests.

Another way to measure is another policy: `tests/python/campaign/test_engine.py` has one of eight
lines.
"""
