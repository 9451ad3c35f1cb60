"""X16: compiler flags and page size of the spectral shallow-water kernel."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, alike
from halocline.findings.evidence import case, check, over, over_large_pages, times
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD, TRUNCATION, LEVELS = "shallow_water", 85, 18
ACTIVE = {"one": "one core", "all": "all cores"}  # as SN and VN
DEFAULT, FULL = "-O0", "-O3"  # GCC optimises nothing by default
LITTLE_OPTIMISED, OTHERS = "-O1", ("-O2", "-Ofast")
GAIN = Criterion(
    "full optimisation is 2 to 3 times faster than the default",
    f"time with {DEFAULT} over that with {FULL}",
    2.0,
    3.0,
    tuple(ACTIVE.values()),
)
ALIKE = alike(
    "all levels from -O2 on are alike",
    f"time over that with {FULL}",
    tuple(ACTIVE.values()),
    tolerance=0.05,
)
PAGES = alike(
    "page size does not matter",
    "time with small pages over large",
    tuple(ACTIVE.values()),
    tolerance=0.05,
)


def judge(summary: Summary) -> Evidence:
    """The same on one core and on all."""

    def model(active: str, **settings: str) -> partial[CaseSummary]:
        return partial(
            case,
            summary,
            WORKLOAD,
            None,
            settings,
            truncation=TRUNCATION,
            levels=LEVELS,
            active=active,
        )

    checks = []
    for active, where in ACTIVE.items():
        full = model(active, flags=FULL)
        gain = over(model(active, flags=DEFAULT), full)
        checks.append(check(GAIN, f"{DEFAULT} over {FULL}, {where}", gain, "2 to 3"))
        for flags in OTHERS:
            same = over(model(active, flags=flags), full)
            checks.append(check(ALIKE, f"{flags} over {FULL}, {where}", same, "1"))
        pages = over_large_pages(summary, model(active, pages="base"), model(active, pages="huge"))
        checks.append(check(PAGES, f"small pages over large, {where}", pages, "1"))
    return Evidence(
        tuple(checks),
        times(
            ("a step with -O0, one core", model("one", flags=DEFAULT)),
            ("a step with -O1, one core", model("one", flags=LITTLE_OPTIMISED)),
            ("a step with -O3, one core", model("one", flags=FULL)),
        ),
        remark="GCC's default optimises nothing; that of the paper's compiler, PGI's, is -O1",
    )


claim = Claim(
    id="X16",
    text="PSTSWM: full optimisation is 2 to 3 times faster than the compiler's default; all "
    "levels from -O2 on are alike; page size does not matter; the same for SN and VN",
    paper="XT3 and XT4, section 3.2",
    experiments=("shallow_water_options",),
    judge=judge,
    criteria=(GAIN, ALIKE, PAGES),
)
