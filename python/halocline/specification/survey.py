"""What `halocline survey` measures: the experiment `survey.toml` next to this module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from halocline.specification.configuration import layout
from halocline.specification.experiment import HERE, MADE, Experiment, Part
from halocline.specification.spec import Known, Option, load

TITLE = "Survey of"  # followed by the machine
FILE = Path(__file__).with_name("survey.toml")


def survey(
    known: Known,
    options: Sequence[Option],
    machine: str,
    hosts: str | None,
    file: Path | None = None,
) -> Experiment:
    """The survey of a machine, or a similar experiment. Without hosts, two are started
    here for measurements between nodes.

    A simulated machine and a mock have nodes of their own.
    """
    real = machine == HERE
    here = Option("experiment.hosts", "--hosts", hosts or (MADE if real else None))
    return load(file or FILE, known, [*options, here])


def on_one_node(experiment: Experiment, why: str) -> Experiment:
    """The same without parts between nodes, with a note that says why."""
    parts = [part for original in experiment.parts if (part := _on_one_node(original)) is not None]
    note = f"Nothing was measured between nodes: {why}"
    return replace(experiment, parts=tuple(parts), hosts="", notes=(*experiment.notes, note))


def _on_one_node(part: Part) -> Part | None:
    settings = dict(part.configuration)
    kept = tuple(
        text for text in settings.get("layout", ()) if (shape := layout(text)) and shape.nodes == 1
    )
    if "layout" not in settings:
        return part
    if not kept:
        return None
    settings["layout"] = kept
    ranks = tuple(dict.fromkeys(shape.ranks for text in kept if (shape := layout(text))))
    return replace(part, configuration=tuple(sorted(settings.items())), ranks=ranks)
