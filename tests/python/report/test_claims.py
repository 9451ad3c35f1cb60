"""What a page says of itself: that tables have a figure's numbers, and what needs JavaScript."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from halocline.profile.report.page import page as profile_page
from halocline.report.figures import Figure
from halocline.report.html import page
from halocline.report.section import Section
from halocline.report.sections import sections
from halocline.summary.summary import Summary
from profiles.model import model
from report.instruments import everything, halos, ping_pong, summary, whole_stores
from report.pictured import pictured

CLAIM = "The tables of this section have the same numbers."
NEEDS = "The figures need JavaScript"


def values(figure: Figure) -> Sequence[dict[str, object]]:
    specification = figure.specification
    rows: Sequence[dict[str, object]] = (
        next(iter(specification["datasets"].values()))
        if "datasets" in specification
        else specification["data"]["values"]
    )
    return rows


def cells(section: Section) -> int:
    """How many cells of the tables hold a number."""
    return sum(
        bool(re.search(r"\d", cell.value))
        for table in (*section.tables, *section.details)
        for _, row in table.rows
        for cell in row
    )


def test_a_section_that_claims_the_numbers_of_its_figures_has_them() -> None:
    for section in sections([everything()]):
        for chart in section.charts:
            if chart.tabled:
                assert cells(section) >= len(values(chart)), chart.name
    (halo,) = sections([summary(*halos())])
    assert {"send_recv", "isend_irecv", "persistent"} <= {
        keys[0] for table in halo.details for keys, _ in table.rows
    }


def test_maps_claim_no_table(tmp_path: Path) -> None:
    (section,) = sections([pictured(tmp_path)])
    claimed = {chart.name for chart in section.charts if chart.tabled}
    assert claimed == {"work-1"}
    assert page([pictured(tmp_path)]).count(CLAIM) == 1


@pytest.mark.parametrize(
    ("run", "pages"),
    [(summary(*ping_pong()), 1), (summary(*halos()), 1), (summary(), 0)],
    ids=["with ping-pongs", "without", "without figures"],
)
def test_a_page_says_once_what_needs_javascript(run: Summary, pages: int) -> None:
    text = page([run])
    assert text.count(NEEDS) == text.count("<noscript>") == pages
    assert text.partition("<main>")[2].lstrip().startswith("<noscript>") == bool(pages)


def test_a_page_of_profiles_has_the_numbers_of_its_bars_in_tables() -> None:
    text = profile_page([model(2), model(4)])
    assert text.count(NEEDS) == 1 and "same numbers" not in text
    for caption in (
        "Share of the time of all ranks",
        "Time inside and outside MPI, by rank; of several ranks the mean",
        "Messages by call and size, up to that of each column",
        "Bytes by rank; of several ranks the mean",
        "Waiting and transferring in collectives, by rank; of several ranks the mean",
        "With the number of ranks",
    ):
        assert f"<caption>{caption}</caption>" in text, caption
    assert re.search(r"<th scope=row>4 ranks<th scope=row>3<td>59\.8.s<td>40\.5.ms", text)


def test_every_element_has_a_name_of_its_own() -> None:
    text = re.sub(r"<script.*?</script>", "", page([everything()]), flags=re.DOTALL)
    names = Counter(re.findall(r' id="([^"]+)"', text))
    assert [name for name, count in names.items() if count > 1] == []
    several = page([summary(*whole_stores())])
    assert several.count('id="redistribution-store"') == 1
