"""From followed cards to rounds: hands, order, what each card is and how sure that is."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from tests.film_reader_fakes import MODERATE, PERFECT, quieter
from tests.laid_cards import BACCARAT, BLACKJACK, FRAME, LaidTable, Lay, card, lay
from vision.card_shape import CardShape, IndexPose
from vision.cards import CARDS, NUMBERS
from vision.film_rounds import (
    UNREAD,
    DealersWays,
    RoundReader,
    in_order,
    name_hands,
    read_rounds,
)
from vision.shoe_composition import LEAST_WEIGHT, ShoeComposition
from vision.split_hands import hands_of_box
from vision.table_zones import MARGIN
from vision.tracks import Place, TrackedCard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.film_rounds import ReadRound

END_S: Final = 20.0


def rounds_of(table: LaidTable, decks: int = 8) -> list[ReadRound]:
    return list(read_rounds(table.glances(), table.zones, decks))


def told(read: ReadRound) -> list[str]:
    """A round as hands and cards, in their order."""
    return [f"{each.hand}:{each.card}" for each in read.cards]


def certain(name: str, share: float = 0.999, other: str | None = None) -> NDArray[np.float64]:
    """The probabilities of a card that is most likely this one."""
    shares = np.full(len(CARDS), 1e-6)
    shares[NUMBERS[name]] = share
    if other is None:
        shares[[NUMBERS[each] for each in CARDS if each != name]] += (1 - share) / 51
    else:
        shares[NUMBERS[other]] += 1 - share
    return np.asarray(shares / shares.sum(), np.float64)


def followed(
    number: int,
    name: str,
    hand: str | None,
    laid_s: float,
    not_before_s: float,
    *,
    at: tuple[float, float] = (300.0, 300.0),
    face_up: bool = True,
) -> TrackedCard:
    place = Place(laid_s, END_S, hand, *at, face_up=face_up)
    return TrackedCard(
        number=number,
        probabilities=certain(name),
        laid_s=laid_s,
        at_s=laid_s,
        gone_s=END_S,
        hand=hand,
        places=(place,),
        sightings=9,
        not_before_s=not_before_s,
    )


# Hands and order


def test_the_zone_tells_the_hand_and_the_first_appearance_the_order() -> None:
    table = LaidTable(
        BACCARAT,
        [
            card("5H", lay("player", 0, 1.0, END_S)),
            card("KC", lay("banker", 0, 2.0, END_S)),
            card("8S", lay("player", 1.2, 3.0, END_S)),
            card("2D", lay("banker", 1.2, 4.0, END_S)),
            card("JD", lay("player", 0.6, 6.0, END_S, down=1.1, turned=90)),
            card("4C", lay("banker", 0.6, 8.0, END_S, down=1.1, turned=-90)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "player:5H", "banker:KC", "player:8S", "banker:2D", "player:JD", "banker:4C",
    ]  # fmt: skip
    assert [each.seq for each in read.cards] == [1, 2, 3, 4, 5, 6]
    assert all(each.order_seen for each in read.cards)
    assert read.start_s < 1.5
    assert read.end_s == pytest.approx(END_S, abs=0.5)


def test_an_order_that_was_seen_is_told_though_the_game_deals_otherwise() -> None:
    table = LaidTable(
        BACCARAT,
        [
            card("KC", lay("banker", 0, 1.0, END_S)),
            card("5H", lay("player", 0, 2.0, END_S)),
            card("2D", lay("banker", 1.2, 3.0, END_S)),
            card("8S", lay("player", 1.2, 4.0, END_S)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == ["banker:KC", "player:5H", "banker:2D", "player:8S"]
    assert all(each.order_seen for each in read.cards)


def test_an_order_that_was_not_seen_is_the_usual_one() -> None:
    """All four lay there when the film began."""
    cards = [
        followed(1, "2D", "banker", 0.0, -9.0, at=(900, 300)),
        followed(2, "8S", "player", 0.0, -9.0, at=(400, 300)),
        followed(3, "KC", "banker", 0.0, -9.0, at=(800, 300)),
        followed(4, "5H", "player", 0.0, -9.0, at=(300, 300)),
    ]
    hands = {1: "banker", 2: "player", 3: "banker", 4: "player"}
    ordered, seen = in_order(cards, hands)
    assert [hands[each.number] for each in ordered] == ["player", "banker", "player", "banker"]
    assert not seen


def test_only_the_pair_whose_order_was_not_seen_is_taken_from_the_usual_one() -> None:
    cards = [
        followed(1, "KC", "banker", 1.5, 0.0),
        followed(2, "5H", "player", 1.5, 0.0),
        followed(3, "2D", "banker", 3.0, 2.7),
        followed(4, "8S", "player", 4.0, 3.7),
    ]
    hands = {1: "banker", 2: "player", 3: "banker", 4: "player"}
    ordered, seen = in_order(cards, hands)
    assert [each.number for each in ordered] == [2, 1, 3, 4]
    assert seen == {3, 4}


@pytest.mark.parametrize("bare_until_s", [1.99, 2.0])
def test_a_card_is_surely_later_if_its_place_was_bare_when_the_other_lay_there(
    bare_until_s: float,
) -> None:
    banker = followed(1, "KC", "banker", 2.0, 1.0)
    player = followed(2, "5H", "player", 2.5, bare_until_s)
    ordered, seen = in_order([player, banker], {1: "banker", 2: "player"})
    surely = bare_until_s >= 2.0
    assert [each.number for each in ordered] == ([1, 2] if surely else [2, 1])
    assert (1 in seen) == surely


def test_the_order_does_not_depend_on_how_cards_are_given() -> None:
    cards = [
        followed(1, "KC", "banker", 1.5, 0.0),
        followed(2, "5H", "player", 1.5, 0.0),
        followed(3, "2D", "banker", 3.0, 2.7),
        followed(4, "8S", "player", 3.0, 1.2),
    ]
    hands = {1: "banker", 2: "player", 3: "banker", 4: "player"}
    orders = {
        tuple(each.number for each in in_order(given, hands)[0]) for given in permutations(cards)
    }
    assert orders == {(2, 1, 4, 3)}


def test_boxes_are_dealt_from_the_first_and_the_dealer_last() -> None:
    hands = {1: "dealer", 2: "box3", 3: "box1", 4: "box3", 5: "box1", 6: "box1"}
    cards = [followed(number, "5H", hand, 0.0, -9.0) for number, hand in hands.items()]
    ordered, _ = in_order(cards, hands)
    assert [hands[each.number] for each in ordered] == [
        "box1", "box3", "dealer", "box1", "box3", "box1",
    ]  # fmt: skip


def test_a_back_that_was_missed_at_first_is_the_first_card_where_that_always_lies() -> None:
    ways = DealersWays()
    hands = {1: "player", 2: "player"}
    left = followed(1, "KC", "player", 1.0, 0.5, at=(300, 300), face_up=False)
    right = followed(2, "5H", "player", 3.0, 0.5, at=(400, 300), face_up=False)
    ways.learn([left, right], hands)
    missed = replace(left, laid_s=7.0)
    assert [each.number for each in in_order([missed, right], hands, ways)[0]] == [1, 2]
    assert [each.number for each in in_order([missed, right], hands)[0]] == [2, 1]
    later = replace(missed, not_before_s=6.0)
    assert [each.number for each in in_order([later, right], hands, ways)[0]] == [2, 1]


def test_a_hole_card_keeps_its_place_when_it_is_turned_up() -> None:
    table = LaidTable(
        BLACKJACK,
        [
            card("5H", lay("box1", 0, 1.0, END_S)),
            card("KC", lay("dealer", 0, 2.0, END_S)),
            card("8S", lay("box1", 0.4, 3.0, END_S, down=0.4)),
            card("6D", lay("dealer", 1.2, 4.0, 9.0, face_up=False), lay("dealer", 1.2, 9.4, END_S)),
            card("TD", lay("box1", 0.8, 6.0, END_S, down=0.8)),
            card("3S", lay("dealer", 2.4, 11.0, END_S)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "box1:5H", "dealer:KC", "box1:8S", "dealer:6D", "box1:TD", "dealer:3S",
    ]  # fmt: skip
    hole = read.cards[3]
    assert hole.laid_s < 5 < 9 < hole.at_s


def test_rounds_and_cards_are_numbered_on() -> None:
    def coup(begins_s: float) -> list[object]:
        return [
            card(name, lay(hand, place, begins_s + late, begins_s + 9))
            for late, (name, hand, place) in enumerate(
                [
                    ("5H", "player", 0.0),
                    ("KC", "banker", 0.0),
                    ("8S", "player", 1.2),
                    ("2D", "banker", 1.2),
                ]
            )
        ]

    table = LaidTable(BACCARAT, [*coup(1.0), *coup(14.0)])  # type: ignore[list-item]
    reader = RoundReader(BACCARAT, 8, first_round=7, first_seq=31)
    rounds = [each for glance in table.glances() for each in reader.see(glance)]
    rounds += reader.finish()
    assert [each.number for each in rounds] == [7, 8]
    assert [each.seq for read in rounds for each in read.cards] == list(range(31, 39))
    assert [each.round for each in rounds[1].cards] == [8] * 4


def test_a_card_shown_beside_the_hands_before_the_first_one_was_burnt() -> None:
    burnt = card("QC", Lay(640, 120, 1.0, 2.4))
    dealt = [
        card("5H", lay("player", 0, 5.0, END_S)),
        card("KC", lay("banker", 0, 6.0, END_S)),
        card("8S", lay("player", 1.2, 7.0, END_S)),
        card("2D", lay("banker", 1.2, 8.0, END_S)),
    ]
    (read,) = rounds_of(LaidTable(BACCARAT, [burnt, *dealt]))
    assert told(read) == ["burn:QC", "player:5H", "banker:KC", "player:8S", "banker:2D"]


def test_a_first_card_laid_as_soon_as_the_burnt_one_is_gone_is_not_swallowed() -> None:
    """It is first seen just when the burnt card has been gone for as long as is waited."""
    for late in np.arange(4.8, 6.4, 0.1):
        burnt = card("QC", Lay(640, 120, 1.0, 2.4))
        dealt = [
            card("5H", lay("player", 0, float(late), END_S)),
            card("KC", lay("banker", 0, float(late) + 1, END_S)),
            card("8S", lay("player", 1.2, float(late) + 2, END_S)),
            card("2D", lay("banker", 1.2, float(late) + 3, END_S)),
        ]
        (read,) = rounds_of(LaidTable(BACCARAT, [burnt, *dealt]))
        assert told(read) == ["burn:QC", "player:5H", "banker:KC", "player:8S", "banker:2D"]


def test_a_card_laid_beside_the_hands_during_a_round_was_discarded() -> None:
    cards = [followed(1, "5H", "player", 1.0, 0.0), followed(2, "KC", None, 3.0, 2.0)]
    names, _ = name_hands(cards, CardShape(FRAME))
    assert names == {1: "player", 2: "discard"}


# Splits


def split_table(*further: object, second: str = "8H", apart: float = 1.1) -> LaidTable:
    """Two cards in a box, the first laid aside and the second moved so many widths away."""
    pair = [
        card("8S", lay("box1", 0, 1.0, 6.6), lay("box1", -0.5, 7.2, END_S)),
        card("KC", lay("dealer", 0, 2.0, END_S)),
        card(second, lay("box1", 0.4, 3.0, 5.4, down=0.3), lay("box1", apart, 6.0, END_S)),
    ]
    return LaidTable(BLACKJACK, [*pair, *further])  # type: ignore[list-item]


def test_split_hands_are_named_and_get_their_own_cards() -> None:
    table = split_table(
        card("3C", lay("box1", -0.5, 9.0, END_S, down=0.35)),
        card("TD", lay("box1", 1.1, 11.0, END_S, down=0.35)),
        card("QS", lay("box1", 1.1, 13.0, END_S, down=0.9, turned=90)),
        card("7H", lay("dealer", 1.2, 15.0, END_S)),
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "box1:8S", "dealer:KC", "box1:8H", "box1:3C", "box1.2:TD", "box1.2:QS", "dealer:7H",
    ]  # fmt: skip
    (split,) = read.splits
    assert (split.hand, split.new_hand) == ("box1", "box1.2")
    assert 5.4 <= split.at_s <= 7.6


def test_a_hand_split_again_has_three() -> None:
    table = split_table(
        card("8D", lay("box1", -0.5, 8.6, 10.4, down=0.35), lay("box1", 2.4, 11.0, END_S)),
        card("3C", lay("box1", -0.5, 12.4, END_S, down=0.35)),
        card("TD", lay("box1", 2.4, 14.0, END_S, down=0.35)),
    )
    (read,) = rounds_of(table)
    assert told(read) == [
        "box1:8S", "dealer:KC", "box1:8H", "box1:8D", "box1:3C", "box1.3:TD",
    ]  # fmt: skip
    assert [split.new_hand for split in read.splits] == ["box1.2", "box1.3"]


def test_two_copies_of_one_card_are_split_into_the_hands_they_went_to() -> None:
    table = split_table(
        card("3C", lay("box1", -0.5, 9.0, END_S, down=0.35)),
        card("TD", lay("box1", 1.1, 11.0, END_S, down=0.35)),
        second="8S",
    )
    (read,) = rounds_of(table)
    assert told(read) == ["box1:8S", "dealer:KC", "box1:8S", "box1:3C", "box1.2:TD"]


def test_cards_pushed_a_little_are_no_split() -> None:
    table = LaidTable(
        BLACKJACK,
        [
            card("8S", lay("box1", 0, 1.0, END_S)),
            card("KC", lay("dealer", 0, 2.0, END_S)),
            card(
                "8H", lay("box1", 0.4, 3.0, 5.4, down=0.1), lay("box1", 0.5, 5.8, END_S, down=0.1)
            ),
            card("3C", lay("box1", 0.8, 9.0, END_S, down=0.2)),
        ],
    )
    (read,) = rounds_of(table)
    assert read.splits == ()
    assert told(read) == ["box1:8S", "dealer:KC", "box1:8H", "box1:3C"]


def moved(number: int, name: str, *ways: tuple[float, float, float]) -> TrackedCard:
    """A card of box 1 at a place from each of these seconds on."""
    places = tuple(Place(at_s, END_S, "box1", x, y, face_up=True) for at_s, x, y in ways)
    first = followed(number, name, "box1", ways[0][0], ways[0][0] - 0.3)
    return replace(first, places=places)


@pytest.mark.parametrize(("apart", "split"), [(0.42, False), (0.5, True)])
def test_a_pair_is_split_from_nearly_half_a_diagonal_on(apart: float, split: bool) -> None:  # noqa: FBT001
    shape = CardShape(FRAME)
    far = apart * shape.diagonal
    cards = [
        moved(1, "8S", (1.0, 1000, 360)),
        moved(2, "8H", (2.0, 1020, 360), (5.0, 1000 + far, 360)),
    ]
    assert bool(hands_of_box("box1", cards, shape).splits) == split


@pytest.mark.parametrize(("second", "split"), [("KD", False), ("8H", True)])
def test_cards_of_two_values_are_not_split_by_being_moved_a_little(
    second: str,
    split: bool,  # noqa: FBT001
) -> None:
    shape = CardShape(FRAME)
    far = 0.7 * shape.diagonal
    cards = [
        moved(1, "8S", (1.0, 1000, 360)),
        moved(2, second, (2.0, 1020, 360), (5.0, 1000 + far, 360)),
    ]
    assert bool(hands_of_box("box1", cards, shape).splits) == split


def test_a_hand_of_three_is_not_split() -> None:
    shape = CardShape(FRAME)
    cards = [
        moved(1, "8S", (1.0, 1000, 360)),
        moved(2, "8H", (2.0, 1020, 360), (5.0, 1200, 360)),
        moved(3, "3C", (3.0, 1040, 360)),
    ]
    assert hands_of_box("box1", cards, shape).splits == ()


# What each card is


def test_a_card_that_is_not_sure_enough_is_not_named() -> None:
    for share, named in ((0.55, False), (0.65, True)):
        reader = RoundReader(BACCARAT, 8)
        one = replace(
            followed(1, "9H", "player", 1.0, 0.5), probabilities=certain("9H", share, other="6H")
        )
        row = reader._row(one, one.probabilities, "player", order_seen=True)
        assert row.card == ("9H" if named else UNREAD)
        assert row.confidence == pytest.approx(share, abs=0.01)
        others = [name for name, _ in row.alternatives]
        assert others == (["6H"] if named else ["9H", "6H"])


def test_a_card_that_was_never_seen_well_is_unread_and_guesses_nothing() -> None:
    table = LaidTable(
        BACCARAT,
        [
            card("5H", lay("player", 0, 1.0, END_S)),
            card("KC", lay("banker", 0, 2.0, END_S)),
            card("8S", lay("player", 1.2, 3.0, END_S)),
            card("2D", lay("banker", 1.2, 4.0, END_S, face_up=False)),
        ],
    )
    (read,) = rounds_of(table)
    assert told(read) == ["player:5H", "banker:KC", "player:8S", f"banker:{UNREAD}"]
    unread = read.cards[3]
    assert unread.confidence < 0.05
    assert all(share < 0.05 for _, share in unread.alternatives)


def test_alternatives_are_written_as_a_card_log_has_them() -> None:
    reader = RoundReader(BACCARAT, 8)
    one = followed(1, "9H", "player", 1.0, 0.5)
    row = reader._row(one, certain("9H", 0.79, other="6H"), "player", order_seen=True)
    assert row.alternatives_text == "6H:0.210"


def test_a_doubt_that_lasts_is_said_and_never_sure() -> None:
    """Two readings of one index that stay open stay open in the log."""
    noise = quieter(PERFECT, misread=0.3, lasting=1.0)
    dealt = [
        card(name, lay(hand, place, 1.0 + late, END_S))
        for late, (name, hand, place) in enumerate(
            [
                ("5H", "player", 0.0),
                ("KC", "banker", 0.0),
                ("8S", "player", 1.2),
                ("2D", "banker", 1.2),
            ]
        )
    ]
    right = wrong_surely = 0
    for seed in range(12):
        for read in rounds_of(LaidTable(BACCARAT, dealt, noise, seed)):
            for told_card in read.cards:
                truth = {each.name for each in dealt}
                right += told_card.card in truth
                wrong_surely += (
                    told_card.card not in (*truth, UNREAD) and told_card.confidence > 0.95
                )
    assert right >= 40
    assert wrong_surely == 0


# The shoe's composition


def test_a_card_of_which_every_copy_was_dealt_is_hardly_the_next() -> None:
    shoe = ShoeComposition(1)
    shoe.take([certain("9H")])
    (one,) = shoe.weighed([certain("9H", 0.6, other="6H")])
    assert one[NUMBERS["6H"]] > 0.8
    assert one[NUMBERS["9H"]] > 0.05  # a shoe can hold a card too many
    assert one.sum() == pytest.approx(1)


def test_a_card_that_is_surely_read_stays_though_every_copy_was_dealt() -> None:
    """A foreign card is to be found, not read away."""
    shoe = ShoeComposition(1)
    shoe.take([certain("9H")])
    (one,) = shoe.weighed([certain("9H")])
    assert one[NUMBERS["9H"]] > 0.95


def test_a_fresh_shoe_changes_nothing() -> None:
    reading = certain("9H", 0.6, other="6H")
    (one,) = ShoeComposition(8).weighed([reading])
    assert np.allclose(one, reading, atol=1e-3)


def test_cards_of_one_round_are_weighed_together() -> None:
    """One deck: of two cards of which one is surely the nine, the other is likelier the six."""
    doubtful, sure = ShoeComposition(1).weighed([certain("9H", 0.6, other="6H"), certain("9H")])
    assert doubtful[NUMBERS["6H"]] > 0.8
    assert sure[NUMBERS["9H"]] > 0.95


def test_the_fewer_copies_are_left_the_less_likely_a_card_is() -> None:
    shares = []
    for dealt in range(9):
        shoe = ShoeComposition(8)
        shoe.take([certain("9H")] * dealt)
        shares.append(float(shoe.weighed([certain("9H", 0.5, other="6H")])[0][NUMBERS["9H"]]))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(0.5, abs=0.01)
    assert shares[8] == pytest.approx(LEAST_WEIGHT / (1 + LEAST_WEIGHT), abs=0.01)


def test_the_shoe_is_remembered_from_round_to_round() -> None:
    shoe = ShoeComposition(1)
    reader = RoundReader(BACCARAT, 1, composition=shoe)
    dealt = [
        card(name, lay(hand, place, 1.0 + late, END_S))
        for late, (name, hand, place) in enumerate(
            [
                ("5H", "player", 0.0),
                ("KC", "banker", 0.0),
                ("8S", "player", 1.2),
                ("2D", "banker", 1.2),
            ]
        )
    ]
    for glance in LaidTable(BACCARAT, dealt).glances():
        reader.see(glance)
    reader.finish()
    assert shoe.dealt.sum() == pytest.approx(4)
    assert all(shoe.dealt[NUMBERS[name]] > 0.99 for name in ("5H", "KC", "8S", "2D"))


# With a reader that errs


@pytest.mark.parametrize("seed", range(6))
def test_a_round_is_read_rightly_by_a_reader_that_errs_now_and_then(seed: int) -> None:
    table = split_table(
        card("3C", lay("box1", -0.5, 9.0, END_S, down=0.35)),
        card("TD", lay("box1", 1.1, 11.0, END_S, down=0.35)),
        card("7H", lay("dealer", 1.2, 15.0, END_S)),
    )
    (read,) = rounds_of(replace(table, noise=MODERATE, seed=seed))
    assert told(read) == [
        "box1:8S", "dealer:KC", "box1:8H", "box1:3C", "box1.2:TD", "dealer:7H",
    ]  # fmt: skip


# Zones


def test_a_card_just_outside_a_zone_is_in_that_hand() -> None:
    edge = 580.0
    assert BACCARAT.hand_at(edge + MARGIN * FRAME[0] - 1, 400) == "player"
    assert BACCARAT.hand_at(edge + MARGIN * FRAME[0] + 2, 400) is None


def test_a_hand_goes_before_the_shoe_where_they_overlap() -> None:
    zones = replace(
        BACCARAT, polygons={**BACCARAT.polygons, "shoe": BACCARAT.polygons["banker"] + 100}
    )
    assert zones.hand_at(1100, 500) == "banker"
    assert zones.hand_at(1220, 600) == "shoe"


def test_zones_grow_with_the_picture() -> None:
    double = BACCARAT.scaled_to((2560, 1440))
    assert double.hand_at(480, 680) == "player"
    assert BACCARAT.scaled_to(FRAME) is BACCARAT


# The shape of cards


def seen_from_the_side(right: float, down: float, lean: float) -> IndexPose:
    """An index at a place of the table, as a camera sees it that looks down at an angle."""
    tilt, far = np.radians(55), 1500.0

    def shown(at: NDArray[np.float64]) -> NDArray[np.float64]:
        depth = far - at[1] * np.cos(tilt)
        return np.asarray(np.array([at[0], at[1] * np.sin(tilt)]) * far / depth, np.float64)

    here = np.array([right, down])
    turn = np.radians(lean)
    up = shown(here + np.array([np.sin(turn), -np.cos(turn)])) - shown(here)
    x, y = shown(here)
    return IndexPose(x + 640, y + 360, float(np.degrees(np.arctan2(up[0], -up[1]))))


def corner_poses(x: float, y: float, turned: float) -> tuple[IndexPose, IndexPose]:
    """Both indexes of a card with this middle."""
    turn = np.radians(turned)
    sides = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    away = np.array([25.0, 34.0]) @ sides
    return (
        seen_from_the_side(x - away[0], y - away[1], turned),
        seen_from_the_side(x + away[0], y + away[1], turned + 180),
    )


@pytest.fixture(scope="module")
def shape() -> CardShape:
    known = CardShape(FRAME)
    places: Sequence[tuple[float, float, float]] = [
        (-400, -150, 5), (0, -200, -3), (380, -160, 8), (-350, 150, 30), (20, 200, 0),
        (300, 170, -35), (100, 0, 90), (-120, 20, 84), (420, 60, -40), (-440, 40, 41),
    ]  # fmt: skip
    for place in places:
        known.learn(*corner_poses(*place))
    return known


@pytest.mark.parametrize("place", [(-300, 0, 12), (250, -100, -20), (60, 180, 88), (0, 0, 180)])
def test_one_index_tells_where_the_middle_of_its_card_is(
    shape: CardShape, place: tuple[float, float, float]
) -> None:
    one, other = corner_poses(*place)
    middle = seen_from_the_side(place[0], place[1], 0.0)
    (centre,) = shape.centres(one)
    assert shape.apart(centre, (middle.x, middle.y)) < 0.12
    assert shape.fit(one, other) > 2


def test_indexes_that_lie_otherwise_than_on_a_card_do_not_fit(shape: CardShape) -> None:
    one, other = corner_poses(0, 0, 10)
    farther = replace(other, x=other.x + 40)
    upright = replace(other, lean=one.lean)
    assert shape.fit(one, other) > 2
    assert shape.fit(one, farther) < 0
    assert shape.fit(one, upright) < 0


def test_a_card_covers_what_lies_under_it(shape: CardShape) -> None:
    one, _ = corner_poses(0, 0, 0)
    under, beside = seen_from_the_side(15, 20, 0), seen_from_the_side(60, 0, 0)
    centre = seen_from_the_side(0, 0, 0)
    assert shape.covers((centre.x, centre.y), one, under.x, under.y)
    assert not shape.covers((centre.x, centre.y), one, beside.x, beside.y)


def test_nothing_is_known_of_cards_before_two_were_seen() -> None:
    fresh = CardShape(FRAME)
    one, other = corner_poses(0, 0, 10)
    assert not fresh.known
    fresh.learn(one, other)
    assert not fresh.known
    fresh.learn(*corner_poses(200, 100, 5))
    assert fresh.known
