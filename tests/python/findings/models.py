"""Made-up cases of models whose steps have phases, for the claims that speak of them."""

from __future__ import annotations

from itertools import product

from findings.made_up import OFF_NODE, ON_NODE, measured, with_phases
from halocline.findings.ocean import MESSAGES, ONE_SIDED
from halocline.findings.ocean import WORKLOAD as OCEAN
from halocline.findings.rows import u6, u7, x11, x12, x13, x16, x18
from halocline.specification.cases import AxisValue
from halocline.summary.summary import CaseSummary

Cases = dict[str, list[CaseSummary]]

_COUPLING = {"remap_out": 0.06, "remap_back": 0.04}
_SPECTRAL = {"dynamics": 0.25, "transposes": 0.05, **_COUPLING}
_FINITE = {"dynamics": 0.6, "halos": 0.1, "transport": 0.2, "transposes": 0.05}


def stepped(
    workload: str,
    phases: dict[str, float],
    layout: str = ON_NODE,
    ranks: int = 2,
    /,
    **axes: AxisValue,
) -> CaseSummary:
    """A step of these phases, in seconds."""
    step = measured(workload, sum(phases.values()), layout, ranks, None, **axes)
    return with_phases(step, phases)


def spectral(physics_s: float, layout: str, **axes: AxisValue) -> CaseSummary:
    return stepped(
        "atmosphere",
        {**_SPECTRAL, "physics": physics_s},
        layout,
        core="spectral",
        along_longitude=2,
        **axes,
    )


def x11_cases(holds: bool) -> Cases:
    few = [
        spectral(0.8 if balance == "none" else 0.6, ON_NODE, balance=balance, protocol=protocol)
        for balance, protocol in product(("none", "twin"), (x11.COLLECTIVE, x11.POINTS))
    ]
    away = spectral(0.48, OFF_NODE, balance="twin", protocol=x11.POINTS)
    strided = [
        measured("atmosphere", time_s, x11.FOUR, 4, dynamics_ranks=2, stride=stride)
        for stride, time_s in ((1, 1.12), (2, 1.0))
    ]
    coupling_s = {
        (x11.FEW, x11.COLLECTIVE): 0.2,
        (x11.FEW, x11.POINTS): 0.2,
        (x11.LARGEST, x11.COLLECTIVE): 0.3 if holds else 0.1,
        (x11.LARGEST, x11.POINTS): 0.1,
    }
    many = [
        stepped(
            "atmosphere",
            {"dynamics": 0.2, "physics": 0.1, "remap_out": time_s / 2, "remap_back": time_s / 2},
            ON_NODE,
            ranks,
            dynamics_ranks=128,
            protocol=protocol,
        )
        for (ranks, protocol), time_s in coupling_s.items()
    ]
    return {"atmosphere": [*few, away, *strided], "atmosphere_many": many}


def finite_volume(along_vertical: int, factor: float = 1.0) -> CaseSummary:
    phases = {name: factor * time_s for name, time_s in _FINITE.items()}
    return stepped(
        "atmosphere",
        {**phases, "vertical_remap": 0.05, "physics": 0.5, **_COUPLING},
        core="finite_volume",
        along_vertical=along_vertical,
    )


def x12_cases(holds: bool) -> Cases:
    coupling = dict(x12.SHARES)
    if not holds:
        coupling["480N2P"] = 0.4
    most = [
        stepped(
            "atmosphere",
            {
                "dynamics": 1.0,
                "physics": 1 - share,
                "remap_out": share / 2,
                "remap_back": share / 2,
            },
            layout,
            x12.MOST,
            core="finite_volume",
            along_vertical=x12.ALONG_VERTICAL,
        )
        for layout, share in coupling.items()
    ]
    few = [finite_volume(1), finite_volume(2, 1.3)]
    return {"finite_volume": few, "finite_volume_many": most}


def x17_cases(holds: bool) -> Cases:
    return {
        "finite_volume": [finite_volume(1, 1 if holds else 3)],
    }


def x16_cases(holds: bool) -> Cases:
    """Options of the shallow water: the default is as slow as it was, or no slower."""
    times_s = {"-O0": 0.25 if holds else 0.1, "-O2": 0.101, "-O3": 0.1, "-Ofast": 0.099}
    cases = []
    for active in x16.ACTIVE:
        options = [({"flags": flags}, time_s) for flags, time_s in times_s.items()]
        options += [({"pages": pages}, 0.1) for pages in ("base", "huge")]
        cases += [
            measured(
                x16.WORKLOAD,
                time_s,
                settings=settings,
                truncation=x16.TRUNCATION,
                levels=x16.LEVELS,
                active=active,
            )
            for settings, time_s in options
        ]
    return {"shallow_water_options": cases}


def x18_cases(holds: bool) -> Cases:
    """Ways of balancing: the paper's best is, or another is faster."""
    slower = {name: 1.1 for name in x18.OTHERS} | ({} if holds else {"swap": 0.9})
    ways = [(name, x18.COLLECTIVE, factor) for name, factor in {x18.BEST: 1.0, **slower}.items()]
    return {
        "atmosphere_ways": [
            measured(
                x18.WORKLOAD,
                0.05 * factor,
                protocol=name,
                dynamics_protocol=inside,
                balance="twin",
            )
            for name, inside, factor in (*ways, (x18.BEST, x18.BEST, 1.05))
        ]
    }


def ocean(
    baroclinic_s: float, sending_s: float, layout: str, ranks: int, **axes: AxisValue
) -> CaseSummary:
    """A step whose solver computes for a fifth of the baroclinic phase."""
    phases = {
        "baroclinic_tracers": 0.6 * baroclinic_s,
        "baroclinic_momentum": 0.3 * baroclinic_s,
        "baroclinic_halo": 0.1 * baroclinic_s,
        "barotropic_operator": 0.15 * baroclinic_s,
        "barotropic_vectors": 0.05 * baroclinic_s,
        "barotropic_halo": 0.4 * sending_s,
        "barotropic_sum": 0.6 * sending_s,
    }
    return stepped(OCEAN, phases, layout, ranks, levels=40, **axes)


def x13_cases(holds: bool) -> Cases:
    """Sums of one solver cost twice another's, or as much."""
    sums = [
        stepped(
            x13.SOLVER,
            {"operator": 0.01, "global_sum": time_s},
            grid="tenth",
            solver=solver,
        )
        for solver, time_s in ((x13.CLASSIC, 4e-6 if holds else 2e-6), (x13.SINGLE_SUM, 2e-6))
    ]
    few = [
        ocean(time_s, 0.1, layout, ranks, grid="tenth")
        for layout, ranks, time_s in ((x13.ALONE, 1, 2.0), (OFF_NODE, 2, 1.0))
    ]
    many = [
        ocean(0.05, sending_s, layout, ranks, grid="tenth", solver=solver, sum=sum_name)
        for layout, ranks, solver, sum_name, sending_s in (
            (x13.SINGLE, 10_000, x13.CLASSIC, "flat", 0.06),
            (x13.DUAL, 10_000, x13.CLASSIC, "flat", 0.11),
            (x13.DUAL, 10_000, x13.CLASSIC, "two_level", 0.07),
            (x13.MOST, 22_500, x13.CLASSIC, "flat", 0.14),
            (x13.MOST, 22_500, x13.SINGLE_SUM, "two_level", 0.065),
        )
    ]
    return {"ocean_tenth": [*sums, *few], "ocean_tenth_many": many}


def u6_cases(holds: bool) -> Cases:
    """The phases cross between 64 and 128 ranks, or before."""
    few = [
        ocean(0.1, time_s, ON_NODE, 2, grid="x1", **way)
        for way, time_s in ((MESSAGES, 0.01), (ONE_SIDED, 0.008))
    ]
    many = [
        ocean(baroclinic_s, sending_s, layout, ranks, grid="x1", **way)
        for layout, ranks, way, baroclinic_s, sending_s in (
            (u6.BELOW, 64, MESSAGES, 0.016, 0.0115 if holds else 0.03),
            (u6.BELOW, 64, ONE_SIDED, 0.016, 0.0012),
            (u6.ABOVE, 128, MESSAGES, 0.008, 0.012),
        )
    ]
    return {"ocean_x1": few, "ocean_x1_many": many}


def u7_cases(holds: bool) -> Cases:
    def step(transposes_s: float, bracket_s: float, ranks: int, **axes: AxisValue) -> CaseSummary:
        phases = {
            "bracket": bracket_s,
            "column_transpose": 0.7 * transposes_s,
            "row_transpose": 0.3 * transposes_s,
        }
        return stepped(u7.WORKLOAD, phases, ON_NODE, ranks, **axes)

    few = [
        step(0.1 * factor, 0.3 * factor, 2, modes=2, case=name, radii=int(radii * factor))
        for name, radii in u7.RADII.items()
        for factor in (1.0, 2.0)
    ]
    if not holds:
        few[-1] = step(0.11, 0.6, 2, modes=2, case="b3_gtc", radii=2 * u7.RADII["b3_gtc"])
    first = u7.RADII["b1_std"]
    many = [
        step(transposes_s, bracket_s, ranks, case="b1_std", radii=radii)
        for ranks, radii, transposes_s, bracket_s in (
            (u7.SMALLEST, first, 0.1, 0.9),
            (u7.SMALLEST, 2 * first, 0.2, 1.8),
            (u7.MIDDLE, first, 0.05, 0.2),
            (u7.LARGEST, first, 0.02, 0.03),
            (u7.LARGEST, 2 * first, 0.022, 0.06),
        )
    ]
    return {"gyrokinetic": few, "gyrokinetic_many": many}
