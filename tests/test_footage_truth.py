"""What was read from a film against what was dealt in it."""

from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from vision.footage_truth import (
    BadTruth,
    Outcome,
    TrueCard,
    compare,
    comparison_table,
    load_truth,
    together,
)

DEALT = (
    TrueCard(1, 1, "2H", "player"),
    TrueCard(1, 2, "KS", "banker"),
    TrueCard(1, 3, "3D", "player"),
    TrueCard(1, 4, "3S", "banker"),
    TrueCard(2, 5, "9H", "player"),
    TrueCard(2, 6, "9H", "banker"),
)


@dataclass(frozen=True, slots=True)
class Read:
    round: int
    seq: int
    card: str
    hand: str
    confidence: float = 0.99


def _read(*changes: tuple[int, Read | None]) -> list[Read]:
    """What a perfect reader reads, with some cards otherwise or not at all, by their number."""
    cards: dict[int, Read | None] = {
        card.seq: Read(card.round, card.seq, card.card, card.hand) for card in DEALT
    }
    cards |= dict(changes)
    return [card for card in cards.values() if card is not None]


def _outcomes(*changes: tuple[int, Read | None]) -> list[Outcome]:
    return [card.outcome for card in compare(DEALT, _read(*changes)).faults]


def test_all_is_right() -> None:
    compared = compare(DEALT, _read())
    assert (compared.right, compared.dealt) == (6, 6)
    assert (compared.rounds_right, compared.rounds) == (2, 2)
    assert compared.faults == ()


def test_a_misread_card_makes_one_fault_and_spoils_its_round() -> None:
    compared = compare(DEALT, _read((3, Read(1, 3, "8D", "player", 0.7))))
    assert [str(card) for card in compared.faults] == [
        "round 1: misread, 3D to player was dealt, 8D at player was read (0.700)"
    ]
    assert compared.rounds_right == 1
    assert compared.surely_misread == ()


def test_one_that_is_sure_and_wrong_is_counted() -> None:
    compared = compare(DEALT, _read((3, Read(1, 3, "8D", "player", 0.95))))
    assert [card.read for card in compared.surely_misread] == ["8D"]


def test_a_card_that_nobody_named_is_not_misread() -> None:
    assert _outcomes((2, Read(1, 2, "??", "banker", 0.4))) == [Outcome.UNSURE]


def test_a_card_that_was_missed() -> None:
    assert _outcomes((1, None)) == [Outcome.MISSED]


def test_a_card_that_was_never_dealt() -> None:
    compared = compare(DEALT, [*_read(), Read(2, 7, "4C", "player")])
    assert [card.outcome for card in compared.faults] == [Outcome.EXTRA]
    assert compared.dealt == 6
    assert compared.rounds_right == 1


def test_a_card_at_another_hand() -> None:
    assert _outcomes((4, Read(1, 4, "3S", "player"))) == [Outcome.OTHER_HAND]


def test_two_cards_in_each_other_s_place_are_out_of_order() -> None:
    swapped = (3, Read(1, 4, "3D", "player")), (4, Read(1, 3, "3S", "banker"))
    assert _outcomes(*swapped) == [Outcome.OUT_OF_ORDER]


def test_a_round_that_was_missed_counts_with_all_its_cards() -> None:
    compared = compare(DEALT, [card for card in _read() if card.round == 1])
    assert [card.outcome for card in compared.faults] == [Outcome.MISSED, Outcome.MISSED]
    assert (compared.rounds_right, compared.rounds) == (1, 2)


def test_a_round_that_never_was_is_all_extra() -> None:
    compared = compare(DEALT, [*_read(), Read(3, 7, "4C", "player")])
    assert (compared.rounds_right, compared.rounds) == (2, 2)
    assert compared.count(Outcome.EXTRA) == 1


def test_burnt_cards_are_not_asked_of_a_camera(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("round,seq,card,hand\n1,1,5H,burn\n1,2,2H,player\n")
    assert load_truth(path) == (TrueCard(1, 2, "2H", "player"),)
    assert compare(load_truth(path), [Read(1, 1, "2H", "player")]).right == 1
    assert compare(load_truth(path), [Read(1, 1, "5H", "burn"), Read(1, 2, "2H", "player")]).right


@pytest.mark.parametrize("text", ["seq,card\n1,2H\n", "round,seq,card,hand\none,1,2H,player\n"])
def test_a_truth_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "truth.csv"
    path.write_text(text)
    with pytest.raises(BadTruth, match=r"truth\.csv has no round"):
        load_truth(path)
    with pytest.raises(BadTruth, match="cannot be read"):
        load_truth(tmp_path / "nothing.csv")


def test_films_are_counted_together_and_shown() -> None:
    right, wrong = compare(DEALT, _read()), compare(DEALT, _read((1, None)))
    both = together((right, wrong))
    assert (both.right, both.dealt, both.rounds_right, both.rounds) == (11, 12, 3, 4)
    told = StringIO()
    Console(file=told, width=140).print(comparison_table({"one": right, "other": wrong}))
    lines = [" ".join(line.split()) for line in told.getvalue().splitlines()]
    assert "one 2 of 2 6 of 6 – – – – – – –" in lines
    assert "other 1 of 2 5 of 6 – – – – – 1 –" in lines
    assert any(line.startswith("all 3 of 4 11 of 12") for line in lines)
