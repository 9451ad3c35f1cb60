"""The first station: what to measure, from a TOML file or a command line.

`spec` reads an experiment and reports all its errors together; an `Experiment` has parts, each with
workloads, axes and settings that fit together; `expand` makes its cases, every workload at every
point of its axes. A `Case` is identified by its content; its `Configuration` needs a separate
launch: library, layout, placement, binding, pages, variables.
"""
