"""The page: pure, small, self-contained, and drawn without complaint in a browser."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conftest import Command
from halocline.base.errors import UserError
from halocline.report.entries import points
from halocline.report.export import export_figures
from halocline.report.html import page, summaries_of, write_report
from halocline.report.palette import DARK, LIGHT
from halocline.report.sections import sections
from halocline.report.write import unbroken
from halocline.summary.summary import Summary, of_run
from report.browser import Shown, show
from report.instruments import everything, halos, kernels, measured, ping_pong, summary
from report.pictured import sphere
from report.synthetic import make_run
from samples_records import alter


@pytest.fixture(scope="session")
def html(survey: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report([survey], tmp_path_factory.mktemp("html") / "report.html")


class Elements(HTMLParser):
    """Start tags with their attributes, and the text of tables' heads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_the_same_summaries_give_the_same_bytes(survey: Path, html: Path) -> None:
    assert page([of_run(survey)]).encode() == html.read_bytes()


def test_it_is_below_three_megabytes(html: Path) -> None:
    assert html.stat().st_size < 3_000_000


def test_it_goes_into_the_first_run_by_default(survey: Path) -> None:
    assert write_report([survey]) == survey / "report.html"


def test_nothing_is_fetched(html: Path) -> None:
    text = html.read_text(encoding="utf-8")
    elements = Elements(text)
    links = [
        value
        for _, attributes in elements.found
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "poster", "data") and value
    ]
    assert links
    assert all(link.startswith("#") for link in links)
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style and not re.search(r"url\(|@import", "".join(style))
    policies = [a["content"] for a in elements.named("meta") if "http-equiv" in a]
    assert policies and str(policies[0]).startswith("default-src 'none';")


def test_every_inner_link_has_its_target(html: Path) -> None:
    elements = Elements(html.read_text(encoding="utf-8"))
    names = {attributes["id"] for _, attributes in elements.found if "id" in attributes}
    links = {str(a["href"])[1:] for a in elements.named("a")}
    labels = {str(a["aria-labelledby"]) for _, a in elements.found if "aria-labelledby" in a}
    assert links | labels <= names
    ids = Counter(attributes["id"] for _, attributes in elements.found if "id" in attributes)
    assert set(ids.values()) == {1}


def test_every_table_has_a_caption_and_scoped_heads(html: Path) -> None:
    elements = Elements(html.read_text(encoding="utf-8"))
    filled_by_script = 1
    assert len(elements.named("caption")) == len(elements.named("table")) - filled_by_script
    assert all("scope" in head for head in elements.named("th"))


def test_no_number_has_an_exponent(html: Path) -> None:
    text = re.sub(r"<(script|style).*?</\1>", "", html.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search(r"\d[eE][-+]?\d+\b(?!\d*[a-f])", re.sub(r"0{40}", "", text))


def test_every_trouble_is_reported(html: Path) -> None:
    text = html.read_text(encoding="utf-8")
    for trouble in (
        "byte 8192 of message 17 at rank 1: expected 0x5a, got 0x00",
        "% of the batches were preempted by other work",
        "MPI_Bsend needs an attached buffer of 8 MiB, which this library refuses",
        "3 of 8 launches",
        "two modes: ",
        "Load 1.70 in the last minute on 2 CPUs.",
        "survey is not complete.",
    ):
        assert trouble in text, trouble


def test_an_invented_machine_is_not_taken_for_a_real_one(survey_summary: Summary) -> None:
    invented = replace(survey_summary, machine="mock:1.5us")
    text = page([invented, invented])
    assert text.count("“mock:1.5us” was not measured.</b>") == 1
    assert "Load 1.70 in the last minute" not in text
    assert "was not measured.</b>" not in page([survey_summary])


def test_text_from_a_run_cannot_become_markup(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", libraries=("mpich",))
    alter(run / "samples.jsonl", "-O3 -std=c++20", "</script><b>bold</b>")
    text = page([of_run(run)])
    assert "<b>bold</b>" not in text
    assert "&lt;/script&gt;&lt;b&gt;bold" in text


def test_commands_name_paths_as_a_shell_takes_them() -> None:
    run = replace(summary(*ping_pong()), path=Path("my runs/1"), complete=False)
    text = unescape(page([run]))
    for words in (
        "run --resume 'my runs/1'",
        "run 'my runs/1/experiment.toml'",
        "report 'my runs/1' --figures",
        "summary 'my runs/1' --json",
    ):
        assert f"halocline {words}" in text, words


def marks(dom: str, name: str) -> int:
    """How many shapes a figure drew."""
    found = re.search(rf'id="figure-{name}".*?<figcaption', dom, re.DOTALL)
    assert found, name
    return found[0].count("<path") + found[0].count("<line") + found[0].count("<text")


def corner(picture: Path) -> str:
    """Colour of the picture's first pixel."""
    content = picture.read_bytes()
    position, data, kind = 8, b"", 0
    while position < len(content):
        (length,) = struct.unpack(">I", content[position : position + 4])
        name = content[position + 4 : position + 8]
        body = content[position + 8 : position + 8 + length]
        if name == b"IHDR":
            kind = body[9]
        if name == b"IDAT":
            data += body
        position += length + 12
    assert kind in (2, 6)  # true colour, without or with transparency
    return "#" + zlib.decompress(data)[1:4].hex()


@pytest.mark.launches
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 600])
def test_a_browser_draws_every_figure_without_complaint(
    html: Path, tmp_path: Path, width: int, dark: bool
) -> None:
    shown = show(html, tmp_path, width=width, dark=dark)
    assert shown.console == ()
    assert 'data-drawn="yes"' in shown.dom
    # pingpong: points, discs for tooltips; the grid has a cell for each of 527 points.
    for name, fewest in (("latency", 1000), ("bandwidth", 1000), ("protocols", 527)):
        assert marks(shown.dom, name) >= fewest, name
    assert marks(shown.dom, "libraries") >= 3 * 23
    assert "pingpong: 3 of 3 libraries, 8 of 8 protocols" in shown.dom
    assert corner(shown.picture) == (DARK if dark else LIGHT)["surface"]
    assert re.search(r'<output id="readout-size"[^>]*>8 B</output>', shown.dom)


def drawn_shapes(dom: str, name: str) -> int:
    """How many points, lines and cells a section's chart drew."""
    found = re.search(rf'id="figure-{name}".*?<figcaption', dom, re.DOTALL)
    assert found, name
    return found[0].count("<path") + found[0].count("<rect")


@pytest.mark.launches
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 600])
def test_a_browser_draws_every_section_without_complaint(
    tmp_path: Path, width: int, dark: bool
) -> None:
    instruments = everything()
    path = tmp_path / "page.html"
    path.write_text(page([instruments]), encoding="utf-8")
    shown = show(path, tmp_path, width=width, dark=dark)
    assert shown.console == ()
    assert 'data-drawn="yes"' in shown.dom and 'data-charts="drawn"' in shown.dom
    for section in sections([instruments]):
        assert f'<h2 id="{section.name}">{section.title}</h2>' in shown.dom
        for chart in section.charts:
            assert drawn_shapes(shown.dom, chart.name) >= 4, chart.name
            widths = re.findall(rf'id="figure-{chart.name}".*?<svg[^>]* width="(\d+)', shown.dom)
            assert widths and all(int(each) <= width for each in widths), chart.name


@pytest.mark.launches
def test_memory_bounds_are_drawn_and_named_beside_bandwidth_on_a_node(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page([everything()]), encoding="utf-8")
    shown = show(path, tmp_path, width=1280)
    bandwidth = re.search(r'id="figure-bandwidth".*?</figure>', shown.dom, re.DOTALL)
    assert bandwidth
    for bound in ("copy, one rank", "copy, all at once", "triad, one rank", "triad, all at once"):
        assert f">{bound}</text>" in bandwidth[0], bound
    assert "it bounds messages on a node" in bandwidth[0]
    between = [case for case in ping_pong() if case.wire is not None]
    named = '"bound":"copy, one rank"'
    assert named in page([everything()])
    assert named not in page([summary(*between, *kernels())])


@pytest.mark.launches
def test_sections_alone_are_drawn_too(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page([summary(*halos())]), encoding="utf-8")
    shown = show(path, tmp_path, width=1000)
    assert shown.console == ()
    assert 'data-charts="drawn"' in shown.dom
    assert 'id="figures"' not in shown.dom


def test_many_protocols_begin_with_those_of_most_points() -> None:
    sizes = {f"protocol_{number}": 1 + (number == 11) for number in range(12)}
    cases = [
        measured("pingpong", 1e-6, protocol=name, bytes=8 * size)
        for name, count in sizes.items()
        for size in range(1, 1 + count)
    ]
    boxes = [
        attributes
        for attributes in Elements(page([summary(*cases)])).named("input")
        if attributes.get("name") == "protocol"
    ]
    assert len(boxes) == 12
    checked = [str(box["value"]) for box in boxes if "checked" in box]
    assert checked == [*(f"protocol_{number}" for number in range(7)), "protocol_11"]


def scripted(html: Path, folder: Path, script: str) -> Shown:
    """The page after a script has used its controls."""
    acting = folder / "acting.html"
    before, _, after = html.read_text(encoding="utf-8").rpartition("</body>")
    acting.write_text(f"{before}<script>{script}</script></body>{after}", encoding="utf-8")
    return show(acting, folder, width=1000)


@pytest.mark.launches
def test_controls_choose_what_is_drawn(html: Path, tmp_path: Path) -> None:
    shown = scripted(
        html,
        tmp_path,
        """
        document.querySelector('[data-none="protocol"]').click();
        document.querySelector('input[value="ssend_recv"]').click();
        document.querySelector('input[value="pingping"]').click();
        document.querySelector('input[value="Open MPI 5.0.11"]').click();
        const slider = document.getElementById("readout-slider");
        slider.value = slider.max;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        """,
    )
    assert shown.console == ()
    assert "pingping: 2 of 3 libraries, 1 of 8 protocols, 46 points" in shown.dom
    # One panel takes the whole width; libraries are compared by their best, whatever is chosen.
    for name in ("latency", "bandwidth", "libraries"):
        width = re.search(rf'id="figure-{name}".*?<svg[^>]* width="(\d+)', shown.dom, re.DOTALL)
        assert width and 850 <= int(width[1]) <= 1000, name
    assert marks(shown.dom, "libraries") >= 2 * 23 * 3
    readout = re.search(r'<table id="readout-table">.*?</table>', shown.dom, re.DOTALL)
    assert readout
    assert re.findall(r'<th scope="(?:col|row)"[^>]*>(.*?)</th>', readout[0]) == [
        "protocol",
        "MPICH 5.0.2",
        "Intel MPI 2021.18",
        "ssend_recv",
    ]
    assert re.search(r'<output id="readout-size"[^>]*>4 MiB</output>', shown.dom)


@pytest.mark.launches
def test_choosing_nothing_says_so(html: Path, tmp_path: Path) -> None:
    shown = scripted(
        html, tmp_path, """document.querySelector('[data-none="protocol"]').click();"""
    )
    assert shown.console == ()
    assert "Nothing to show: choose a library and a protocol." in shown.dom


@pytest.mark.launches
def test_two_runs_stand_side_by_side(survey: Path, tmp_path: Path, survey_summary: Summary) -> None:
    other = make_run(tmp_path / "other", libraries=("mpich",), seed=2)
    path = write_report([survey, other], tmp_path / "both.html")
    assert path.stat().st_size < 3_000_000
    shown = show(path, tmp_path, width=1000)
    assert shown.console == ()
    assert "4 of 4 libraries" in shown.dom
    for name in ("MPICH 5.0.2, survey", "MPICH 5.0.2, other"):
        assert f'value="{name}"' in shown.dom
    data = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert data and len(json.loads(data[1])["columns"]["series"]) == 1055 + 1 + 368


@pytest.mark.launches
def test_a_run_without_figures_is_reported(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", libraries=("mpich",))
    (run / "samples.jsonl").write_text("")
    shown = show(write_report([run]), tmp_path, width=1000)
    assert shown.console == ()
    assert "Nothing was measured." in shown.dom
    assert "0 of 8 launches: not reached yet" in shown.dom


def test_runs_of_one_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    runs = [
        make_run(tmp_path / day / "run", libraries=("mpich",), seed=seed)
        for seed, day in enumerate(("monday", "tuesday"))
    ]
    names = {entry.series for entry in points(summaries_of(runs))}
    assert names == {f"MPICH 5.0.2, {run}" for run in runs}


def test_without_room_for_figures_no_page_is_written(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def too_few() -> Iterator[None]:
        raise UserError("figures need 64GiB of addresses", remedy="draw them elsewhere")
        yield

    monkeypatch.setattr("halocline.cli.report.enough_addresses", too_few)
    run = make_run(tmp_path / "run", libraries=("mpich",), sizes=(0, 8))
    ended = command("report", run, "--output", tmp_path / "page.html", "--figures", "svg")
    assert (ended.code, (tmp_path / "page.html").exists()) == (2, False)


def test_the_command_writes_report_and_figures(command: Command, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", libraries=("mpich", "intel"), sizes=(0, 8, 4096))
    output = tmp_path / "page.html"
    ended = command("report", run, "--output", output, "--figures", "svg, png,pdf,svg")
    assert (ended.code, ended.err) == (0, "")
    files = sorted((tmp_path / "page-figures").iterdir())
    assert ended.out.splitlines()[0] == f"report: {output}"
    assert sorted(ended.out.splitlines()[1:]) == [f"figure: {file}" for file in files]
    figures = ("bandwidth", "latency", "libraries", "protocols")
    assert [file.name for file in files] == [
        f"{workload}-{figure}.{form}"
        for workload in ("pingping", "pingpong")
        for figure in figures
        for form in ("pdf", "png", "svg")
    ]
    begins = {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<svg"}
    for file in files:
        assert file.read_bytes().startswith(begins[file.suffix]), file
    svg = (tmp_path / "page-figures/pingpong-latency.svg").read_text()
    assert "var(" not in svg
    assert LIGHT["series-0"] in svg


def test_the_pictures_of_a_run_are_among_its_figures(command: Command, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", libraries=("mpich",), sizes=(8,))
    sphere(run, of_run(run).cases[0].case.id)
    ended = command("report", run, "--figures", "svg")
    assert (ended.code, ended.err) == (0, "")
    assert any("height" in file.name for file in (run / "report-figures").iterdir())


def test_an_unknown_format_is_one_line(command: Command, survey: Path) -> None:
    ended = command("report", survey, "--figures", "svg,jpeg")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "halocline: --figures: unknown figure format 'jpeg'; allowed: svg, png, pdf; "
        "choose from these, as in --figures svg,pdf\n"
    )


def test_an_output_that_cannot_be_written_is_one_line(
    command: Command, survey: Path, tmp_path: Path
) -> None:
    ended = command("report", survey, "--output", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"halocline: cannot write {tmp_path}: Is a directory; choose another file with --output\n"
    )


def test_a_folder_that_is_no_run_is_one_line(command: Command, tmp_path: Path) -> None:
    ended = command("report", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert f"{tmp_path} is not a run folder" in ended.err


def test_libraries_on_cores_of_different_distance_are_warned_of(survey_summary: Summary) -> None:
    def with_lines(*lines_s: float) -> str:
        libraries = {
            name: replace(library, line_s=line_s)
            for (name, library), line_s in zip(
                survey_summary.libraries.items(), lines_s, strict=True
            )
        }
        return page([replace(survey_summary, libraries=libraries, displaced_share=0.02)])

    count = len(survey_summary.libraries)
    same, apart = with_lines(*[50e-9] * count), with_lines(*[50e-9] * (count - 1), 130e-9)
    warning = "Libraries ran on cores at different distances: "
    assert warning not in same
    assert warning in apart
    assert "did not take the usual 50.00 ns from" in same
    assert "did not take the usual 50.00 ns or 0.1300 µs from" in apart


def test_a_number_stays_on_the_line_of_its_unit() -> None:
    text = "faster by 75 % (± 1 %) at 64 KiB: 1.6 µs, 9 GB/s, 3 ranks"
    kept = text.replace("5 %", "5\xa0%").replace("± 1 %", "±\xa01\xa0%")
    kept = kept.replace("64 K", "64\xa0K").replace("6 µ", "6\xa0µ").replace("9 G", "9\xa0G")
    assert unbroken(text) == kept


def test_names_of_more_than_two_runs_are_a_list() -> None:
    runs = [replace(everything(), title=title) for title in "abc"]
    assert "<h1>a, b and c</h1>" in page(runs)


def test_figures_of_all_sections_are_exported(tmp_path: Path) -> None:
    measured = everything()
    written = export_figures([measured], ("svg",), tmp_path)
    charts = {chart.name for section in sections([measured]) for chart in section.charts}
    assert charts and charts < {path.stem for path in written}
    assert len(set(written)) == len(written)
    assert all(path.read_bytes().startswith(b"<svg") for path in written)
