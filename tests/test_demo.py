"""`catwalk demo`, with a reader that reads each clip as it was dealt, or not quite."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner, Result

from audit.cli import main
from vision import audit_films
from vision.card_log import CardLog, Names, Part, Progress
from vision.demo import sample_folder
from vision.film_reader import Listener, RoundRead
from vision.film_rounds import ReadCard
from vision.film_stage import FilmOrder, Weights
from vision.footage import Footage, open_footage
from vision.footage_truth import TrueCard, load_truth
from vision.synthetic.sample_clips import write_sample
from vision.synthetic.sample_rounds import SAMPLES, SKIPPED_DRAW, WRONG_PAYOUT

SHOWN = (SKIPPED_DRAW, WRONG_PAYOUT)
Reading = Callable[[str, TrueCard], tuple[str, float]]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    for sample in SHOWN:
        write_sample(folder, replace(sample, fps=1), (320, 180))
    return folder


def as_dealt(_clip: str, card: TrueCard) -> tuple[str, float]:
    return card.card, 0.999


@dataclass
class _Known:
    """Writes the log of a film from what is known of it."""

    order: FilmOrder
    weights: str
    path: Path
    again: bool
    reading: Reading

    def __post_init__(self) -> None:
        (clip,) = self.order.sources
        assert isinstance(clip, Path)
        self.clip = clip
        names = Names(self.order.table.table_id, self.order.shoe, 1, self.order.start)
        self.log = CardLog.opened(
            self.path, {"clip": clip.name}, names, (Part(clip.name),), again=self.again
        )

    @property
    def progress(self) -> Progress:
        return self.log.progress

    @property
    def files(self) -> dict[str, Path]:
        return {self.clip.name: self.clip}

    @property
    def footage(self) -> Footage:
        return open_footage(self.clip)

    begins_s, ends_s = 0.0, 24.0

    def read(self, _reader: object, tell: Listener) -> None:
        cards = load_truth(self.clip.parents[1] / "truth" / f"{self.clip.stem}.csv")
        for number in sorted({card.round for card in cards}):
            own = tuple(self._read(card) for card in cards if card.round == number)
            tell.read_until(own[-1].at_s)
            self.log.add(RoundRead(number, own, (), own[0].at_s, own[-1].at_s))
        self.log.finish(None)

    def _read(self, card: TrueCard) -> ReadCard:
        name, sure = self.reading(self.clip.stem, card)
        at_s = 1.5 * card.seq
        return ReadCard(
            card.round, card.seq, name, card.hand, sure, (), at_s, (0, 0, 9, 9), at_s, at_s + 5,
            order_seen=True,
        )  # fmt: skip


def _run(
    monkeypatch: pytest.MonkeyPatch, samples: Path, out: Path, *words: str,
    reading: Reading = as_dealt,
) -> Result:  # fmt: skip
    def opened(order: FilmOrder, weights: str, path: Path, *, again: bool) -> _Known:
        return _Known(order, weights, path, again, reading)

    monkeypatch.setattr(audit_films, "FilmLog", opened)
    monkeypatch.setattr(audit_films, "load_weights", lambda *_: Weights(None, "none"))  # type: ignore[arg-type]
    monkeypatch.setenv("COLUMNS", "140")
    return CliRunner().invoke(main, ["demo", str(samples), "--out", str(out), *words])


def test_all_is_found_and_the_report_is_made(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    result = _run(monkeypatch, samples, tmp_path)
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    row = next(line for line in lines if line.startswith("skipped-draw"))
    assert row.startswith("skipped-draw 2 of 2 9 of 9")
    assert row.endswith("DRW001, DRW003 ✓ all of it")
    assert any(line.startswith("BAC-15 1 PAY001 tie pays 8 to 1") for line in lines)
    assert any("2 of 2 clips audited as they should be" in line for line in lines)
    assert "report.html" in result.output
    assert "DRW003" in (tmp_path / "report.html").read_text()


def test_each_finding_has_a_still_that_is_named_and_a_clip(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = _run(monkeypatch, samples, Path("shown"))
    lines = [line.strip() for line in result.output.splitlines()]
    named = [Path(line) for line in lines if line.endswith(".png")]
    assert len(named) == 4
    assert sorted(named) == sorted(Path("shown/evidence").glob("*.png"))
    for still in named:
        assert cv2.imread(str(still)) is not None
        assert still.with_suffix(".mp4").is_file()


def test_what_a_config_file_says_of_other_audits_does_not_touch_it(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vendor.toml").write_text('[card_log.columns]\nkaart = "card"\n')
    Path("catwalk.toml").write_text('db = "real.duckdb"\n[audit]\nmapping = "vendor.toml"\n')
    result = _run(monkeypatch, samples, Path("shown"), "--only", "wrong-payout")
    assert result.exit_code == 0, result.output
    assert not Path("real.duckdb").exists()


def test_it_can_be_run_again(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    first = _run(monkeypatch, samples, tmp_path, "--only", "wrong-payout")
    again = _run(monkeypatch, samples, tmp_path, "--only", "wrong-payout")
    assert first.exit_code == again.exit_code == 0
    assert "skipped-draw" not in again.output


def test_a_fault_that_is_not_found_is_told(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    def doubtful(clip: str, card: TrueCard) -> tuple[str, float]:
        in_doubt = clip == "skipped-draw" and card.round == 2
        return ("??", 0.3) if in_doubt else as_dealt(clip, card)

    result = _run(monkeypatch, samples, tmp_path, reading=doubtful)
    assert result.exit_code == 1
    assert "✗ not DRW003 in round 2" in " ".join(result.output.split())
    assert "1 of 2 clips audited as they should be" in " ".join(result.output.split())


def test_an_accusation_of_nobody_is_told(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    def misread(clip: str, card: TrueCard) -> tuple[str, float]:
        wrong = clip == "wrong-payout" and card.round == 2 and card.card == "9C"
        return ("2C", 0.999) if wrong else as_dealt(clip, card)

    result = _run(monkeypatch, samples, tmp_path, "--only", "wrong-payout", reading=misread)
    assert result.exit_code == 1
    told = " ".join(result.output.split())
    assert "1 of 2" in told
    assert "in round 2, which nobody did" in told


def test_a_clip_that_is_not_there_is_said(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    result = _run(monkeypatch, samples, tmp_path, "--only", "nobody")
    assert result.exit_code == 2
    assert "there is no clip nobody" in result.stderr


def test_without_samples_it_says_where_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = _run(monkeypatch, tmp_path, tmp_path)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "not with the installed package" in result.stderr


def test_what_is_not_installed_is_said(
    monkeypatch: pytest.MonkeyPatch, samples: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "vision.reading_commands.find_spec", lambda name: None if name == "av" else sys
    )
    result = _run(monkeypatch, samples, tmp_path)
    assert result.exit_code == 2
    assert "needs av, not installed here" in result.stderr


def test_samples_are_those_that_lie_here_or_those_of_the_source(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (sample_folder() / "README.md").is_file()
    (tmp_path / "sample_footage").mkdir()
    assert sample_folder() == Path("sample_footage")
    assert len(SAMPLES) >= 8
