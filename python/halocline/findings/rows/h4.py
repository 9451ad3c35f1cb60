"""H4: steps at packet boundaries."""

from __future__ import annotations

from halocline.detect.changes import find_steps
from halocline.detect.curves import curve
from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import all_cases, case, layouts, number, where_of
from halocline.summary import Summary

WORKLOAD, PROTOCOL = "pingpong", "send_recv"
SMALLEST, LARGEST = 4, 8000  # 1 and 2000 integers of 4 bytes


def judge(summary: Summary) -> Answer:
    """Steps are what the detector finds on the small range; none is an answer too."""
    numbers: list[Number] = []
    told: list[str] = []
    for layout in layouts(summary, WORKLOAD, protocol=PROTOCOL, bytes=SMALLEST):
        where = where_of(summary, layout)
        for size, paper in ((SMALLEST, "11, then 7.1 µs off node"), (LARGEST, "39, then 18 µs")):
            each = case(summary, WORKLOAD, layout, protocol=PROTOCOL, bytes=size)
            numbers.append(number(each, "time", f"{size // 4} integers {where}", paper))
        found = all_cases(summary, WORKLOAD, layout, protocol=PROTOCOL)
        sized = [(int(each.case.axis("bytes")), each) for each in found]
        steps = find_steps(curve((size, each) for size, each in sized if size <= LARGEST))
        numbers += [
            Number(f"step {where}, first size above it", step.above, "B", step.below, step.above)
            for step in steps
        ]
        places = ", ".join(f"{step.below} to {step.above} B ({step.height:+.0%})" for step in steps)
        told.append(f"{where} " + (f"steps at {places}" if steps else "no step"))
    because = (
        f"between 1 and 2000 integers there are {'; '.join(told)}. The report saw steps at each "
        "2 KiB packet before SP7 and none after it; what is found here is the library's own "
        "change of protocol or copy, or nothing, and no packet"
    )
    periodic = any(
        step.unit == "B"
        and step.value is not None
        and step.what.startswith("step")
        and step.low is not None
        and step.low <= 2048 < step.value
        for step in numbers
    )
    return Answer("differs" if periodic else "reproduced", because, tuple(numbers))


claim = Claim(
    id="H4",
    text="before SP7 the time steps up where a message crosses packet boundaries (2k, 4k, 6k, 8k); "
    "after SP7 it does not",
    paper="HPCx SP7/SP9, sections 3 and 4.1, figures 18 and 19",
    experiment="messages",
    judge=judge,
)
