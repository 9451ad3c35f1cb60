"""A model in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from halocline.base.quantities import rate_text, size_label, time_text
from halocline.base.units import counted
from halocline.hosts.reachable import BETWEEN_NODES
from halocline.model.fit import Bounded, Fit, FittedPiece
from halocline.model.model import Accuracy, Messages, Model
from halocline.model.parameters import LogGP, MaxRate
from halocline.summary.ratios import share_text


def lines(model: Model) -> Iterator[str]:
    """For the terminal: each protocol in each place, then the predictions."""
    for messages in model.messages:
        yield from messages_lines(messages)
    yield from link_lines(model)
    yield from accuracy_lines(model.accuracies)
    yield from unpredicted_lines(model.unpredicted)


def link_lines(model: Model) -> Iterator[str]:
    """A warning that bandwidths between made hosts are not those of a link."""
    if any(
        messages.place.off_node and messages.place.between != BETWEEN_NODES
        for messages in model.messages
    ):
        yield (
            "Between made hosts, messages of up to 32 KiB pass in bursts faster than the rate set: "
            "bandwidths above that rate are those of the software, not of a link"
        )


def messages_lines(each: Messages) -> Iterator[str]:
    name = f"{each.place.name}, {each.protocol}"
    for at_once, fit in each.fits.items():
        yield f"{name}: {fit_text(at_once, fit)}"
    if each.loggp:
        yield f"{name}: {loggp_text(each.loggp)}"
    if each.max_rate:
        yield f"{name}: {max_rate_text(each.max_rate)}"


def at_once_text(at_once: int) -> str:
    return "one message" if at_once == 1 else f"{at_once} messages at once"


def fit_text(at_once: int, fit: Fit) -> str:
    """Hockney's parameters, or why they are missing."""
    name = f"Hockney, {at_once_text(at_once)}"
    if fit.median_error is None or fit.rejected:
        return f"{name}: must not be used: {fit.rejected}"
    fits = "; ".join(
        f"{piece_text(piece)}: {time_text(piece.latency_s.value)} and {slope_text(piece)}"
        for piece in fit.pieces
    )
    return f"{name}: {fits}; held-out sizes are off by {share_text(fit.median_error)}"


def piece_text(piece: FittedPiece) -> str:
    return f"{size_label(piece.from_bytes)} to {size_label(piece.to_bytes)}"


def slope_text(piece: FittedPiece) -> str:
    """The bandwidth of a piece, if time grows with bytes."""
    per_byte_s = piece.per_byte_s.value
    return rate_text(1 / per_byte_s) if per_byte_s else "no time per byte"


def loggp_text(found: LogGP) -> str:
    known = [f"L + 2 o = {time_text(found.latency_and_overheads_s.value)}"]
    if found.overhead_at_most_s is not None and found.latency_at_least_s is not None:
        known.append(f"o at most {time_text(found.overhead_at_most_s)}")
        known.append(f"L at least {time_text(found.latency_at_least_s)}")
    gaps = " and ".join(per_byte_text(gap) for gap in found.gap_per_byte_s)
    return "; ".join([f"LogGP: {', '.join(known)}, G = {gaps}", *found.cannot_tell])


def per_byte_text(each: Bounded) -> str:
    return f"{1e9 * each.value:.3g} ns/B"


def max_rate_text(found: MaxRate) -> str:
    if found.rejected:
        return f"max-rate: must not be used: {found.rejected}"
    if found.node_rate is None:
        node = f"{max(found.at_once)} messages at once do not fill the node (R_N)"
    else:
        node = f"the node carries {rate_text(found.node_rate.value)} (R_N)"
    begin = size_label(found.from_bytes)
    return (
        f"max-rate from {begin} up: a single message gets "
        f"{rate_text(found.message_rate.value)} (R_C), {node}; sizes "
        f"held out are off by {share_text(found.median_error)}"
    )


def accuracy_lines(accuracies: Sequence[Accuracy]) -> Iterator[str]:
    for entry in accuracies:
        yield f"{entry.workload} over {entry.protocol}, {entry.place.name}: {accuracy_text(entry)}"


def unpredicted_lines(unpredicted: Mapping[str, int]) -> Iterator[str]:
    for why, cases in unpredicted.items():
        yield f"not predicted: {why} ({counted(cases, 'case')})"


def accuracy_text(each: Accuracy) -> str:
    if each.rejected or each.median_error is None or each.worst_error is None:
        return f"{each.model} must not be used: {each.rejected}"
    return (
        f"{each.model} predicts {counted(each.cases, 'case')} to {share_text(each.median_error)} "
        f"in the median, {share_text(each.worst_error)} at worst"
    )
