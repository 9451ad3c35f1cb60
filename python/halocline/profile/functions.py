"""The kind of each MPI function."""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """Kinds of MPI functions distinguished by reports."""

    SEND = "send"
    RECEIVE = "receive"
    EXCHANGE = "exchange"  # sends and receives in one call
    PROBE = "probe"
    COMPLETION = "completion"
    COLLECTIVE = "collective"
    ONE_SIDED = "one-sided"
    FILE = "file"
    OTHER = "other"


_PATTERNS: tuple[tuple[Kind, str], ...] = (
    (Kind.FILE, r"File_\w+"),
    (Kind.EXCHANGE, r"I?sendrecv(_replace)?"),
    (Kind.SEND, r"P?[IBSR]?[bsr]?send(_init)?|Pready\w*"),
    (Kind.RECEIVE, r"(P|I|M|Im)?recv(_init)?|Parrived"),
    (Kind.PROBE, r"(I|M|Im)?probe"),
    (Kind.COMPLETION, r"(Wait|Test)(all|any|some)?|Start(all)?|Request_get_status\w*"),
    (
        Kind.COLLECTIVE,
        r"I?(barrier|bcast|(all)?gatherv?|scatterv?|(all)?reduce|alltoall[vw]?|"
        r"reduce_scatter(_block)?|(ex)?scan|neighbor_\w+)(_init)?",
    ),
    (
        Kind.ONE_SIDED,
        r"R?(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap|"
        r"Win_(fence|start|post|complete|wait|test|(un)?lock(_all)?|flush\w*|sync)",
    ),
)
_KINDS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_LOCAL = re.compile(
    r"Wtime|Wtick|Comm_(rank|size|group|compare|remote_size|test_inter|[gs]et_\w+)|Initialized|"
    r"Finalized|Query_thread|Is_thread_main|Get_\w+|Type_\w+|Group_\w+|Info_\w+|Attr_\w+|Keyval_\w+|"
    r"Error_\w+|Errhandler_\w+|Address|Buffer_\w+|Op_\w+|Status_\w+|Topo_test|Cart(dim)?_(get|rank|"
    r"coords|shift)|Cartdim_get|Dims_create|Pcontrol|T_\w+|Win_[gs]et_\w+|Request_free",
    re.IGNORECASE,
)


# Starting and ending MPI does not count as the program's communication.
SETUP = ("Init", "Init_thread", "Finalize", "Session_init", "Session_finalize")


def short(function: str) -> str:
    """The name without prefix and suffix: `Allreduce` of `MPI_Allreduce_c`."""
    return function.removeprefix("MPI_").removesuffix("_c")


def kind_of(function: str) -> Kind:
    """The kind of a function; its large-count variant has the same."""
    name = short(function)
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(name)), Kind.OTHER)


def moves_data(kind: Kind) -> bool:
    """Whether a call of that kind sends data from this rank."""
    return kind in (Kind.SEND, Kind.EXCHANGE, Kind.COLLECTIVE, Kind.ONE_SIDED)


def is_local(function: str) -> bool:
    """Whether a call only queries the library, without communication."""
    return _LOCAL.fullmatch(short(function)) is not None
