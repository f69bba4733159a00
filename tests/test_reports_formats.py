"""One report in five formats: the same figures in all, and stored text harmless in each."""

import csv
import io
import json
import re
import zipfile
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from audit.reports.formats import SECTION_KEYS, ReportFormat
from audit.reports.period import Scope
from audit.reports.report import Report, build_report
from audit.reports.sections import sections
from audit.reports.words import shown
from audit.reports.writing import rendered
from audit.store import KnownTable, Store
from tests.test_reports import NIGHT, a_finding, fill, some_rounds, written

FORMULA = '=HYPERLINK("http://evil.example","x")'
SCRIPT = "<script>alert(1)</script>"
HOSTILE = f"{SCRIPT}</title></style>|x|\x1b[31m\u202e\n**b** `c` [l](http://e.example) &amp; '\""
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("formats") / "audit.db"
    fill(path)
    return build_report(path, Scope(night=NIGHT))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Give a report in which every text that a source can set is hostile."""
    store = Store(tmp_path_factory.mktemp("hostile") / "audit.db")
    begins = datetime(2026, 3, 8, 12, tzinfo=UTC)
    store.write_tables([KnownTable(HOSTILE, "UTC", ""), KnownTable(FORMULA, "UTC", "")])
    for table, shoe in ((HOSTILE, "S" + HOSTILE), (FORMULA, FORMULA)):
        rounds = some_rounds(table, shoe, begins, 120, table, unjudged={1: shoe})
        named = ("hand", "bettor", "wager", "expected", "observed", "clause", "rulebook")
        found = a_finding(rounds, 2, exposure="1.00", evidence=table, finding_id=table)
        found |= dict.fromkeys(named, table)
        unknown = a_finding(rounds, 3, code=table, severity="review", exposure="-2.00")
        written(store, rounds, [found, unknown])
    return build_report(store.path, Scope())


def text_of(report: Report, shape: ReportFormat, section: str = "") -> str:
    return rendered(report, shape, section).decode()


class Page(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.text = " ".join("".join(self.texts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def cells_of(book: bytes) -> dict[str, list[list[str]]]:
    """Read the sheets of a workbook, past any library."""
    with zipfile.ZipFile(io.BytesIO(book)) as packed:
        strings = [
            "".join(node.itertext())
            for node in ET.fromstring(packed.read("xl/sharedStrings.xml"))  # noqa: S314
        ]
        names = [
            sheet.attrib["name"]
            for sheet in ET.fromstring(packed.read("xl/workbook.xml")).iter(f"{SHEET}sheet")  # noqa: S314
        ]
        return {
            name: _rows(packed.read(f"xl/worksheets/sheet{number}.xml"), strings)
            for number, name in enumerate(names, 1)
        }


def _rows(sheet: bytes, strings: list[str]) -> list[list[str]]:
    root = ET.fromstring(sheet)  # noqa: S314
    assert not list(root.iter(f"{SHEET}f")), "there is a formula"
    assert not list(root.iter(f"{SHEET}hyperlink")), "there is a link"
    rows = []
    for row in root.iter(f"{SHEET}row"):
        cells = []
        for cell in row:
            value = cell.findtext(f"{SHEET}v") or ""
            cells.append(strings[int(value)] if cell.get("t") == "s" else value)
        rows.append(cells)
    return rows


# The same in all


def test_the_same_totals_are_in_every_format(night: Report) -> None:
    told = json.loads(text_of(night, ReportFormat.JSON))["totals"]
    assert told["rounds"] == 348
    assert told["with_errors"] == 3
    assert told["given_away"] == "25.00"
    assert told["short_changed"] == "52.50"
    rows = list(csv.DictReader(io.StringIO(text_of(night, ReportFormat.CSV, "totals"))))
    in_csv = {row["key"]: row["value"] for row in rows}
    in_book = {row[0]: row[-1] for row in cells_of(rendered(night, ReportFormat.XLSX))["In all"]}
    markdown = text_of(night, ReportFormat.MARKDOWN)
    page = Page(text_of(night, ReportFormat.HTML))
    for key, value in told.items():
        if value is None:
            assert in_csv[key] == ""
            continue
        assert in_csv[key] == str(value)
        if key != "beyond_chance":
            assert float(in_book[key]) == pytest.approx(float(value))
    for figure in ("348", "8.62", "25.00", "52.50"):
        assert figure in markdown
        assert figure in page.text


@pytest.mark.parametrize("key", ["tables", "dealers", "hours", "codes", "days"])
def test_every_group_is_in_every_format(night: Report, key: str) -> None:
    section = next(one for one in sections(night) if one.key == key)
    in_json = json.loads(text_of(night, ReportFormat.JSON))[key]
    in_csv = list(csv.DictReader(io.StringIO(text_of(night, ReportFormat.CSV, key))))
    in_book = cells_of(rendered(night, ReportFormat.XLSX))[section.title][1:]
    markdown = text_of(night, ReportFormat.MARKDOWN)
    page = Page(text_of(night, ReportFormat.HTML)).text
    assert len(in_json) == len(in_csv) == len(in_book) == len(section.rows) > 0
    for row, told, line in zip(section.rows, in_json, in_csv, strict=True):
        assert line["given_away"] == told["given_away"]
        assert line["with_errors"] == str(told["with_errors"])
        assert str(row[0]) in markdown
        assert str(row[0]) in page


def test_every_key_of_the_json_is_explained(night: Report) -> None:
    told = json.loads(text_of(night, ReportFormat.JSON))
    assert set(told["meanings"]) == set(SECTION_KEYS) <= set(told)
    for key in SECTION_KEYS:
        rows = told[key] if isinstance(told[key], list) else [told[key]]
        for row in rows:
            assert set(row) == set(told["meanings"][key])
    assert all(text for keys in told["meanings"].values() for text in keys.values())


def test_money_in_json_is_text_and_moments_have_their_offset(night: Report) -> None:
    told = json.loads(text_of(night, ReportFormat.JSON))
    first = next(row for row in told["findings"] if row["code"] == "PAY003")
    assert first["exposure"] == "-40.00"
    assert first["ts"] == "2026-03-08T22:09:00+08:00"
    assert told["report"]["since"] == "2026-03-08T06:00:00"
    assert told["report"]["night"] == "2026-03-08"


def test_the_sections_are_those_that_can_be_asked_for(night: Report) -> None:
    assert tuple(section.key for section in sections(night)) == SECTION_KEYS


def test_the_same_report_is_the_same_to_the_last_byte(night: Report) -> None:
    for shape in (ReportFormat.HTML, ReportFormat.MARKDOWN, ReportFormat.JSON):
        assert rendered(night, shape) == rendered(
            build_report(night.database, Scope(night=NIGHT)), shape
        )


# The page


def test_the_page_is_self_contained_and_runs_nothing(night: Report) -> None:
    text = text_of(night, ReportFormat.HTML)
    page = Page(text)
    kinds = {tag for tag, _ in page.tags}
    assert not kinds & {"script", "link", "iframe", "object", "embed", "img", "form", "base"}
    policies = [attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv")]
    assert len(policies) == 1
    assert "default-src 'none'" in str(policies[0])
    assert not re.findall(r"(?:src|href)=\"(?!#)", text)
    assert "url(" not in text
    assert "@import" not in text


def test_every_drawing_has_its_text(night: Report) -> None:
    page = Page(text_of(night, ReportFormat.HTML))
    drawings = [attrs for tag, attrs in page.tags if tag == "svg"]
    assert len(drawings) > 10
    for drawing in drawings:
        assert drawing["role"] == "img"
        assert drawing["aria-label"]
    labels = [str(drawing["aria-label"]) for drawing in drawings]
    assert any("8.62 per 1,000 rounds" in label for label in labels)
    assert any("short-changed 40.00, given away 25.00" in label for label in labels)


def test_drawings_are_sound_and_stay_in_their_frame(night: Report) -> None:
    text = text_of(night, ReportFormat.HTML)
    drawings = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    for drawing in drawings:
        root = ET.fromstring(drawing)  # noqa: S314
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for node in root.iter():
            for name, value in node.attrib.items():
                if name in ("x", "x1", "x2", "cx"):
                    assert 0 <= float(value) <= width
                if name in ("y", "y1", "y2", "cy"):
                    assert 0 <= float(value) <= height


def test_the_page_tells_how_to_replay_a_round_and_keeps_the_hash(night: Report) -> None:
    page = Page(text_of(night, ReportFormat.HTML))
    assert f"catwalk explain BAC-01/S1/10 --db {night.database}" in page.text
    assert night.reviewed.chain.last_hash in page.text


def test_few_rounds_are_marked_on_the_page(night: Report) -> None:
    text = text_of(night, ReportFormat.HTML)
    row = re.search(r'<tr class="few">\s*<th scope="row">D2.*?</tr>', text, re.DOTALL)
    assert row is not None
    assert "few rounds" in row[0]
    assert not re.search(r'<tr class="few">\s*<th scope="row">D1', text)


# Nothing there


def test_an_empty_report_says_so_in_every_format(night: Report) -> None:
    empty = build_report(night.database, Scope(night=NIGHT - timedelta(days=400)))
    sentence = "There are no rounds in this night."
    assert sentence in Page(text_of(empty, ReportFormat.HTML)).text
    assert sentence in text_of(empty, ReportFormat.MARKDOWN)
    told = json.loads(text_of(empty, ReportFormat.JSON))
    assert told["main_points"] == [sentence]
    assert told["report"]["empty"] is True
    assert text_of(empty, ReportFormat.CSV).count("\n") == 1
    assert [sentence] in cells_of(rendered(empty, ReportFormat.XLSX))["Report"]


# Hostile text


def test_hostile_text_is_only_text_on_the_page(hostile: Report, night: Report) -> None:
    text = text_of(hostile, ReportFormat.HTML)
    page = Page(text)
    harmless = {tag for tag, _ in Page(text_of(night, ReportFormat.HTML)).tags}
    assert {tag for tag, _ in page.tags} <= harmless
    assert SCRIPT not in text
    assert SCRIPT in page.text
    for letter in ("\x1b", "\u202e"):
        assert letter not in text
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)


def test_hostile_text_cannot_break_a_markdown_table(hostile: Report) -> None:
    text = text_of(hostile, ReportFormat.MARKDOWN)
    assert "\x1b" not in text
    assert "\u202e" not in text
    bars = re.compile(r"(?<!\\)\|")
    heads = 0
    for before, line in zip(text.splitlines(), text.splitlines()[1:], strict=False):
        if before.startswith("|") and line.startswith("|"):
            assert len(bars.findall(before)) == len(bars.findall(line))
            heads += 1
    assert heads > 20
    assert not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)\[", text)
    assert "://" not in text


def test_no_cell_of_a_csv_file_is_a_formula(hostile: Report) -> None:
    seen = 0
    for section in sections(hostile):
        for row in csv.reader(io.StringIO(text_of(hostile, ReportFormat.CSV, section.key))):
            for cell in row:
                seen += cell.startswith("'=")
                assert not cell.startswith(("=", "+", "@", "\t", "\r"))
                assert not cell.startswith("-") or re.fullmatch(r"-[0-9.]+", cell)
                assert cell.isprintable()
    assert seen > 10


def test_no_cell_of_a_workbook_is_a_formula_or_a_link(hostile: Report) -> None:
    book = cells_of(rendered(hostile, ReportFormat.XLSX))
    cells = [cell for rows in book.values() for row in rows for cell in row]
    assert FORMULA in cells
    assert all(cell.isprintable() for cell in cells)


def test_json_keeps_stored_text_as_it_is(hostile: Report) -> None:
    text = text_of(hostile, ReportFormat.JSON)
    assert text.isascii()
    assert {row["table_id"] for row in json.loads(text)["tables"]} == {HOSTILE, FORMULA}


def test_text_without_end_is_cut() -> None:
    assert len(shown("x" * 10**6)) == 400
    assert shown("a\x00b\n") == "a\\x00b\\n"


def test_amounts_that_a_spreadsheet_would_round_are_text(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    rounds = some_rounds("T", "S", datetime(2026, 3, 8, 12, tzinfo=UTC), 3)
    written(store, rounds, [a_finding(rounds, 1, exposure="9999999999999999.99")])
    book = cells_of(rendered(build_report(store.path, Scope()), ReportFormat.XLSX))
    assert any("9,999,999,999,999,999.99" in row for row in book["In all"])


def test_rounds_that_nobody_could_judge_still_make_a_report(tmp_path: Path) -> None:
    store = Store(tmp_path / "audit.db")
    begins = datetime(2026, 3, 8, 12, tzinfo=UTC)
    rounds = some_rounds("T", "S", begins, 3, None, unjudged={1: "x", 2: "x", 3: "x"})
    written(store, rounds, [a_finding(rounds, None, "SHO001", "-1.00")])
    report = build_report(store.path, Scope())
    for shape in ReportFormat:
        assert rendered(report, shape)
    page = Page(text_of(report, ReportFormat.HTML)).text
    assert "No round could be judged." in page
    assert "the whole shoe" in page


def test_markdown_lists_rounds_with_their_findings(night: Report) -> None:
    text = text_of(night, ReportFormat.MARKDOWN)
    assert "1. BAC-01/S1/50 · 2026-03-08 22:49:00 · dealer D1 · in doubt, up to 1,000.00\n" in text
    assert "    - PAY001 review, clause 4.1, ana tie, confidence 0.50: required tie pays" in text
