"""Write src/profiler/functions.inc: MPI's functions and where their arguments are.

Reads the MPI standard's own description of its interface, PyPI's pympistandard.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parents[1] / "src/profiler/functions.inc"

# What a function moves, by its name without I…, …_init and …_c.
MOVES = {
    "send": "Send Bsend Ssend Rsend Psend",
    "receive": "Recv Mrecv Precv",
    "send_receive": "Sendrecv Sendrecv_replace",
    "barrier": "Barrier",
    "broadcast": "Bcast",
    "gather": "Gather Gatherv",
    "scatter": "Scatter Scatterv",
    "all_gather": "Allgather Allgatherv",
    "all_to_all": "Alltoall Alltoallv Alltoallw",
    "reduce": "Reduce",
    "all_reduce": "Allreduce Scan Exscan",
    "reduce_scatter": "Reduce_scatter Reduce_scatter_block",
    "neighbour_gather": "Neighbor_allgather Neighbor_allgatherv",
    "neighbour_all": "Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw",
    "put": "Put Rput Accumulate Raccumulate",
    "get": "Get Rget",
    "get_and_put": "Get_accumulate Rget_accumulate Fetch_and_op Compare_and_swap",
}
COLLECTIVE = set(MOVES) - {"send", "receive", "send_receive", "put", "get", "get_and_put"}
# Functions that make, end or start what later calls name.
EVENTS = {
    "initialize": "Init Init_thread",
    "finalize": "Finalize",
    "abort": "Abort",
    "begin_session": "Session_init",
    "end_session": "Session_finalize",
    "free_communicator": "Comm_free Comm_disconnect",
    "free_type": "Type_free",
    "free_window": "Win_free",
    "free_request": "Request_free",
    "start": "Start",
    "start_all": "Startall",
}
COUNTS = {"POLYXFER_NUM_ELEM_NNI", "XFER_NUM_ELEM_NNI", "POLYXFER_NUM_ELEM"}
# Not in the standard any more, or never, and yet in libraries.
OTHERS = {
    "Address": 2,
    "Errhandler_create": 2,
    "Errhandler_get": 2,
    "Errhandler_set": 2,
    "Session_set_info": 2,
    "Type_extent": 2,
    "Type_hindexed": 5,
    "Type_hvector": 5,
    "Type_lb": 2,
    "Type_struct": 5,
    "Type_ub": 2,
}
# Their communicator may be used only once a request is complete.
NOT_YET = {"Comm_idup", "Comm_idup_with_info"}


def functions() -> dict[str, dict[str, Any]]:
    """The C functions with their parameters in C's order, large-count variants included."""
    text = files("pympistandard.data").joinpath("apis.json").read_text(encoding="utf-8")
    functions = {}
    for entry in json.loads(text).values():
        marks = entry["attributes"]
        if not marks["c_expressible"] or marks["callback"] or marks["predefined_function"]:
            continue
        parameters = [
            parameter
            for parameter in entry["parameters"]
            if "c_parameter" not in parameter["suppress"].split()
        ]
        kinds = {parameter["kind"] for parameter in parameters}
        if entry["return_kind"] in {"WALL_TIME", "TICK_RESOLUTION"} or "VARARGS" in kinds:
            continue  # neither a double nor an unknown number of arguments is a machine word
        name = entry["name"].removeprefix("MPI_")
        small = [one for one in parameters if not one["large_only"]]
        functions[name] = {"parameters": small, "large": False}
        if any(kind.startswith("POLY") for kind in kinds):
            functions[f"{name}_c"] = {"parameters": parameters, "large": True}
    return dict(sorted(functions.items()))


def line(name: str, parameters: list[dict[str, Any]], large: bool) -> str:
    """One function of the table."""
    facts = _facts(name.removesuffix("_c"), parameters)
    if facts and large:
        facts["large"] = "true"
    words = "".join(f", .{key} = {value}" for key, value in facts.items()).removeprefix(", ")
    return f"HALOCLINE_FUNCTION({name}, {len(parameters)}, ({{{words}}}))"


def _facts(name: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    kinds = [parameter["kind"] for parameter in parameters]
    names = [parameter["name"] for parameter in parameters]
    for event, which in EVENTS.items():
        if name in which.split():
            return {"event": f"Event::{event}"} | _where(kinds, parameters)
    if _makes_communicator(name, parameters):
        made = next(
            index
            for index, one in enumerate(parameters)
            if one["kind"] == "COMMUNICATOR" and one["param_direction"] == "out"
        )
        return {"event": "Event::new_communicator"} | _where(kinds, parameters) | {"made": made}
    file = re.fullmatch(r"File_(?:i?)(read|write)\w*?(?<!_end)", name)
    if file and "BUFFER" in kinds:
        return {"move": f"Move::{file[1]}"} | _amounts(parameters)
    persistent = name.endswith("_init")
    base = name.removesuffix("_init")
    later = base.startswith("I") and _capitalized(base[1:])
    move = _move(_capitalized(base[1:])) if later else _move(base)
    if move is None:
        return _where(kinds, parameters)
    facts = {"move": f"Move::{move}"} | _where(kinds, parameters) | _amounts(parameters)
    neighbours = move.startswith("neighbour")  # a rank waits for these alone
    if move in COLLECTIVE and not (neighbours or later or persistent):
        facts["meets"] = "true"
    if persistent:
        facts["made"] = names.index("request")
        facts["persistent"] = "true"
    if "partitions" in names:
        facts["partitions"] = names.index("partitions")
    return facts


def _move(base: str) -> str | None:
    return next((move for move, which in MOVES.items() if base in which.split()), None)


def _capitalized(base: str) -> str:
    capital = base[:1].upper() + base[1:]
    return capital if _move(capital) else ""


def _makes_communicator(name: str, parameters: list[dict[str, Any]]) -> bool:
    return name not in NOT_YET and any(
        one["kind"] == "COMMUNICATOR"
        and one["param_direction"] == "out"
        and "get" not in name
        and "f2c" not in name
        and "fromint" not in name
        for one in parameters
    )


def _where(kinds: list[str], parameters: list[dict[str, Any]]) -> dict[str, int]:
    facts: dict[str, int] = {}
    for index, (kind, parameter) in enumerate(zip(kinds, parameters, strict=True)):
        name, into = parameter["name"], parameter["param_direction"] != "out"
        if kind == "COMMUNICATOR" and into and "communicator" not in facts:
            facts["communicator"] = index
        elif kind == "WINDOW" and into and "window" not in facts:
            facts["window"] = index
        elif not into:
            continue
        elif name in {"dest", "target_rank", "root"} or (name == "source" and "peer" not in facts):
            facts["peer"] = index
        elif name == "source":
            facts["source"] = index
    return facts


def _amounts(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """Where counts and types are. One count serves both directions if there is no other."""
    counts = [i for i, one in enumerate(parameters) if one["kind"] in COUNTS]
    types = [i for i, one in enumerate(parameters) if one["kind"] == "DATATYPE"]
    buffers = [i for i, one in enumerate(parameters) if one["kind"] == "BUFFER"]
    facts: dict[str, Any] = {}
    if counts:
        facts["count"] = counts[0]
    if types:
        facts["type"] = types[0]
    if len(counts) > 1 and len(types) > 1:
        facts["count_in"], facts["type_in"] = counts[1], types[1]
    if counts and parameters[counts[0]]["length"] is not None:
        facts["counts"] = "true"
    if len(counts) > 1 and parameters[counts[1]]["length"] is not None:
        facts["counts_in"] = "true"
    if types and parameters[types[0]]["length"] is not None:
        facts["types"] = "true"
    if len(buffers) > 1:
        facts["buffer"] = buffers[0]
        facts["buffer_in"] = buffers[1]
    return facts


def table() -> str:
    """The whole file."""
    lines = [line(name, **facts) for name, facts in functions().items()]
    lines += [f"HALOCLINE_FUNCTION({name}, {arity}, ({{}}))" for name, arity in OTHERS.items()]
    lines.sort(key=lambda written: written.partition("(")[2].partition(",")[0])
    head = "// Written by tools/write_mpi_functions.py from the MPI standard's own description.\n"
    return head + "\n".join(lines) + "\n"


if __name__ == "__main__":
    OUTPUT.write_text(table(), encoding="utf-8")
