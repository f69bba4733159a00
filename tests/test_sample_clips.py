"""The sample clips: what lies beside them is lawful but for what is said, and is what is there."""

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path

import av
import numpy as np
import pytest

from audit.nightly import Night, audit_night
from audit.queries import run_query
from audit.store import Store
from audit.table_sheet import load_table_sheet
from vision.film_clock import recorded_at
from vision.known_clips import VIOLATION, BadSample, Known, load_known_clips
from vision.synthetic.film_tables import smallest_index, zones_in_picture
from vision.synthetic.film_truth import truth_of
from vision.synthetic.films import Film
from vision.synthetic.sample_clips import LEAST_INDEX, chosen, film_of, write_sample
from vision.synthetic.sample_files import write_sample_files
from vision.synthetic.sample_rounds import (
    BOX_SKIPPED,
    MISDEAL,
    SAMPLES,
    SHOE,
    SWITCHED_CARD,
    Sample,
)
from vision.table_zones import load_zones

COMMITTED = Path(__file__).parents[1] / "sample_footage"
LARGEST = 63_000_000
"""Bytes of all clips together."""
SURE = "0.995"
CLIPS = [pytest.param(sample, id=sample.name) for sample in SAMPLES]


@pytest.fixture(scope="module")
def films() -> dict[str, Film]:
    return {sample.name: film_of(sample) for sample in SAMPLES}


@pytest.fixture(scope="module")
def folder(films: dict[str, Film], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files of the samples but the clips, which are empty."""
    folder = tmp_path_factory.mktemp("samples")
    for sample in SAMPLES:
        film = films[sample.name]
        write_sample_files(folder, sample, film, truth_of(film))
        (folder / sample.name / sample.clip).touch()
    return folder


def _camera_log(folder: Path, sample: Sample, into: Path) -> Path:
    """The card log of a camera that misses nothing."""
    with (folder / "truth" / f"{sample.name}.csv").open(newline="") as file:
        cards = list(csv.DictReader(file))
    path = into / f"camera-{sample.name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ("ts", "table_id", "shoe", "round", "seq", "card", "hand", "confidence", "at_s")
        )
        for card in cards:
            ts = (sample.started + timedelta(seconds=float(card["laid_s"]))).isoformat()
            place = (card["round"], card["seq"], card["card"], card["hand"])
            writer.writerow((ts, sample.table_id, SHOE, *place, SURE, card["at_s"]))
    return path


def _found(folder: Path, into: Path, *, with_shoe_logs: bool) -> dict[str, set[Known]]:
    inputs: list[Path] = []
    for sample in SAMPLES:
        own = folder / sample.name
        inputs += [_camera_log(folder, sample, into), own / "table.toml"]
        logs = {*sample.logs, "shoe.csv"} if with_shoe_logs else set(sample.logs)
        inputs += [own / name for name in sorted(logs)]
    store = Store(into / "found.duckdb")
    audit_night(Night(tuple(inputs)), store, datetime.now(UTC))
    rows = run_query(store.path, "SELECT table_id, round, code, severity FROM findings").frame
    found: dict[str, set[Known]] = {sample.table_id: set() for sample in SAMPLES}
    for table, number, code, severity in rows.iter_rows():
        found[table].add(Known(number, code, severity))
    return found


@pytest.mark.parametrize("with_shoe_logs", [False, True], ids=["camera", "camera and shoe"])
def test_where_every_card_is_read_what_was_planted_is_found_and_nothing_else(
    folder: Path, tmp_path: Path, *, with_shoe_logs: bool
) -> None:
    found = _found(folder, tmp_path, with_shoe_logs=with_shoe_logs)
    for clip in load_known_clips(folder):
        here = found[clip.table_id]
        assert set(clip.findings) <= here, clip.name
        violations = {known for known in here if known.severity == VIOLATION}
        assert violations <= set(clip.findings), clip.name
        if not clip.findings:
            assert not here, clip.name


def test_the_faults_that_samples_have_to_show_are_each_there() -> None:
    planted = {finding.code for sample in SAMPLES for finding in sample.expected}
    skipped, forbidden = {"DRW001", "DRW003"}, {"DRW002", "DRW004", "DRW011"}
    misdeals, payouts, switched = {"DEA001", "DEA011"}, {"PAY001", "PAY008", "PAY013"}, {"SRC004"}
    for faults in (skipped, forbidden, misdeals, payouts, switched):
        assert planted & faults
    clean = {sample.game for sample in SAMPLES if not sample.expected}
    assert clean == {"baccarat", "blackjack"}


@pytest.mark.parametrize("sample", CLIPS)
def test_cards_are_tall_enough_and_zones_whole(
    sample: Sample, films: dict[str, Film], folder: Path
) -> None:
    film = films[sample.name]
    assert smallest_index(film.table) >= LEAST_INDEX
    assert 22 <= film.length <= 56
    zones = load_zones(folder / sample.name / "table.toml")
    assert {"shoe", "discard"} <= set(zones.polygons)
    assert set(zones.polygons) == set(zones_in_picture(film.table))
    sheet = load_table_sheet(folder / sample.name / "table.toml")
    assert sheet.games[0].rulebook == sample.rulebook
    for card in truth_of(film).cards:
        for place in card.places:
            outline = np.array(place.outline)
            assert outline.min() >= 0
            assert (outline.max(axis=0) <= sample.size).all()
            x, y = outline.mean(axis=0)
            assert zones.hand_at(x, y) == place.hand.split(".")[0]


def test_no_two_samples_are_of_one_table_or_deck_or_moment() -> None:
    for told in ("table_id", "seed", "started", "name"):
        assert len({getattr(sample, told) for sample in SAMPLES}) == len(SAMPLES)


def test_the_shoe_s_log_tells_of_a_switched_card_and_of_one_that_was_never_laid(
    folder: Path,
) -> None:
    with (folder / SWITCHED_CARD.name / "shoe.csv").open(newline="") as file:
        logged = [row["card"] for row in csv.DictReader(file)]
    with (folder / "truth" / "switched-card.csv").open(newline="") as file:
        laid = [row["card"] for row in csv.DictReader(file)]
    assert logged[4:5] == ["JD"]
    assert laid[4:5] == ["5C"]
    assert len(logged) == len(laid) + 1
    assert "2S" in logged
    assert "2S" not in laid


def test_misdealt_cards_go_two_and_two() -> None:
    assert [step.hand for step in MISDEAL.rounds[1].cards()] == [
        "player", "player", "banker", "banker",
    ]  # fmt: skip


def test_a_clip_is_written_with_its_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "vision.synthetic.film_files.frame_times",
        lambda rate, start, end: iter([number / 10 for number in range(10)]),
    )
    written = write_sample(tmp_path, BOX_SKIPPED, (320, 180))
    assert recorded_at(written.clip) == BOX_SKIPPED.started
    with av.open(str(written.clip)) as container:
        times = [frame.time for frame in container.decode(video=0)]
    assert len(times) > 5
    assert sorted(times) == times
    assert not list(tmp_path.rglob("*-drawn*"))


def test_a_clip_that_is_not_there_is_named() -> None:
    with pytest.raises(SystemExit, match="no clip 'nobody'"):
        chosen(["nobody"])
    assert chosen([]) == SAMPLES


def test_a_folder_without_samples_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadSample, match="not with the installed package"):
        load_known_clips(tmp_path)


def test_truth_without_its_clip_is_said(folder: Path, tmp_path: Path) -> None:
    truth = tmp_path / "truth"
    truth.mkdir()
    for path in (folder / "truth").glob("misdeal.*"):
        (truth / path.name).write_bytes(path.read_bytes())
    with pytest.raises(BadSample, match=r"misdeal\.mp4 is not there"):
        load_known_clips(tmp_path)


def _rows(path: Path) -> list[list[str]]:
    """A log, or of the truth what does not depend on the last digit of a number."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    told = [name for name in rows[0] if not name.endswith("_s") and name != "outline"]
    return [[row[name] for name in told] for row in rows]


@pytest.mark.parametrize("sample", CLIPS)
def test_the_samples_are_those_that_the_builder_makes(sample: Sample, folder: Path) -> None:
    for name in ("shoe.csv", "ledger.csv", "calls.csv"):
        path = Path(sample.name) / name
        assert _rows(COMMITTED / path) == _rows(folder / path)
    truth = Path("truth") / f"{sample.name}.csv"
    assert _rows(COMMITTED / truth) == _rows(folder / truth)
    known = truth.with_suffix(".toml")
    assert (COMMITTED / known).read_text() == (folder / known).read_text()


@pytest.mark.parametrize("sample", CLIPS)
def test_a_committed_clip_is_as_long_and_as_large_as_it_is_meant_to_be(
    sample: Sample, films: dict[str, Film]
) -> None:
    path = COMMITTED / sample.name / sample.clip
    assert recorded_at(path) == sample.started
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert (stream.width, stream.height) == sample.size
        assert container.duration is not None
        assert container.duration / av.time_base == pytest.approx(
            films[sample.name].length, abs=0.2
        )


def test_there_are_enough_clips_and_they_are_small_enough() -> None:
    clips = load_known_clips(COMMITTED)
    assert len(clips) >= 8
    assert sum(clip.clip.stat().st_size for clip in clips) <= LARGEST
    assert {clip.clip.suffix for clip in clips} == {".mp4", ".mkv", ".mov"}


@pytest.mark.parametrize("sample", CLIPS)
def test_the_list_of_the_clips_says_what_is_to_be_found_in_each(sample: Sample) -> None:
    lines = (COMMITTED / "README.md").read_text().splitlines()
    (row,) = (line for line in lines if line.startswith(f"| `{sample.name}` |"))
    codes = " ".join(f"`{finding.code}`" for finding in sample.expected)
    assert row.split("|")[-2].strip() == (codes or "nothing")
