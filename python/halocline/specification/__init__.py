"""The first station: what is to be measured, from a TOML file or the words of a command line.

`spec` reads an experiment and reports all its errors together; an `Experiment` has parts, each with
workloads, axes and settings that fit together; `expand` makes the cases of it, every workload at
every point of its axes. A `Case` is identified by its content, its `Configuration` is what needs a
launch of its own: library, layout, placement, binding, pages, variables.
"""
