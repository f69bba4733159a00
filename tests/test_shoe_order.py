"""Shuffled shoes never raise an alarm; unshuffled ones are traced to the shoe they repeat."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.cards import DECK, UNREAD
from audit.shoe_order import FARTHEST, LEAST_BITS, LEAST_CARDS, EarlierShoes, new_pack_order

NAMES = [str(card) for card in DECK]
SEEDS = st.integers(0, 2**32 - 1)
UNREAD_CARD = str(UNREAD)


def shuffled(rng: Random, decks: int = 8, dealt: int = 400) -> list[str]:
    cards = NAMES * decks
    rng.shuffle(cards)
    return cards[:dealt]


def in_groups(cards: list[str], rng: Random, most: int = 8) -> list[list[str]]:
    """Cut an order into groups, and put the cards of each into some other order."""
    groups, start = [], 0
    while start < len(cards):
        size = rng.randint(4, most)
        group = cards[start : start + size]
        rng.shuffle(group)
        groups.append(group)
        start += size
    return groups


def joined(groups: list[list[str]]) -> list[str]:
    return [card for group in groups for card in group]


def table_with(*orders: list[str]) -> EarlierShoes:
    earlier = EarlierShoes()
    for number, order in enumerate(orders, 1):
        earlier.add(str(number), order)
    return earlier


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, decks=st.integers(1, 10))
def test_a_shuffled_shoe_raises_no_alarm(seed: int, decks: int) -> None:
    rng = Random(seed)  # noqa: S311
    dealt = decks * 48
    earlier = table_with(*(shuffled(rng, decks, dealt) for _ in range(10)))
    cards = shuffled(rng, decks, dealt)
    assert earlier.repeat_of(cards) is None
    assert new_pack_order(cards) is None


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS)
def test_a_shuffled_shoe_of_few_ranks_raises_no_alarm(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    few = [card for card in NAMES if card[0] in "A568TK"] * 8

    def order() -> list[str]:
        return rng.sample(few, 180)

    earlier = table_with(*(order() for _ in range(10)))
    cards = order()
    assert earlier.repeat_of(cards) is None
    assert new_pack_order(cards) is None


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, backward=st.booleans())
def test_a_repeat_is_found_however_the_cards_of_small_groups_were_mixed(
    seed: int, *, backward: bool
) -> None:
    rng = Random(seed)  # noqa: S311
    orders = [shuffled(rng) for _ in range(6)]
    groups = in_groups(orders[3], rng)
    repeat = table_with(*orders).repeat_of(joined(groups[::-1] if backward else groups))
    assert repeat is not None
    assert (repeat.shoe, repeat.backward) == ("4", backward)
    assert repeat.cards > 320
    assert repeat.bits > LEAST_BITS


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, start=st.integers(0, 300), at=st.integers(0, 300))
def test_a_repeated_quarter_is_found_with_its_places(seed: int, start: int, at: int) -> None:
    rng = Random(seed)  # noqa: S311
    before, now = shuffled(rng), shuffled(rng)
    now[at : at + 100] = before[start : start + 100]
    repeat = table_with(shuffled(rng), before).repeat_of(now)
    assert repeat is not None
    assert repeat.shoe == "2"
    assert 95 <= repeat.cards <= 125
    assert abs(repeat.start - at) <= FARTHEST  # a few cards beside it may be alike by chance
    assert abs(repeat.earlier_start - start) <= FARTHEST
    assert repeat.longest >= 60


def test_a_piece_without_gaps_is_told_from_the_whole_chain() -> None:
    rng = Random(5)  # noqa: S311
    before, now = shuffled(rng), shuffled(rng)
    now[100:140], now[160:180] = before[100:140], before[160:180]
    repeat = table_with(before).repeat_of(now)
    assert repeat is not None
    assert (repeat.start, repeat.end, repeat.cards, repeat.longest) == (100, 180, 60, 40)


@pytest.mark.parametrize(("cards", "is_found"), [(LEAST_CARDS + 2, True), (LEAST_CARDS - 2, False)])
def test_less_than_half_a_pack_is_left_to_chance(cards: int, *, is_found: bool) -> None:
    rng = Random(3)  # noqa: S311
    before, now = shuffled(rng), shuffled(rng)
    now[50 : 50 + cards] = before[50 : 50 + cards]
    assert (table_with(before).repeat_of(now) is not None) is is_found


def test_a_round_longer_than_any_stretch_is_known_as_a_whole() -> None:
    rng = Random(11)  # noqa: S311
    before = shuffled(rng)
    rounds = [(start, 20) for start in range(0, 400, 20)]
    mixed = joined([rng.sample(before[start : start + size], size) for start, size in rounds])
    with_rounds, without = EarlierShoes(), EarlierShoes()
    with_rounds.add("1", before, rounds)
    without.add("1", before)
    repeat = with_rounds.repeat_of(mixed)
    assert repeat is not None
    assert repeat.cards == 400
    assert without.repeat_of(mixed) is None


def test_unread_cards_match_nothing() -> None:
    unread = [UNREAD_CARD] * 400
    assert table_with(unread).repeat_of(unread) is None
    assert new_pack_order(unread) is None


def test_a_repeat_is_found_around_cards_that_were_not_read() -> None:
    rng = Random(2)  # noqa: S311
    before = shuffled(rng)
    now = [UNREAD_CARD if place % 10 == 0 else card for place, card in enumerate(before)]
    repeat = table_with(before).repeat_of(now)
    assert repeat is not None
    assert 300 <= repeat.cards <= 360


def test_a_shoe_is_not_held_against_itself() -> None:
    order = shuffled(Random(1))  # noqa: S311
    earlier = table_with(order)
    assert earlier.repeat_of(order, shoe="1") is None
    assert earlier.repeat_of(order, shoe="2") is not None


def test_a_shoe_that_is_added_again_takes_its_own_place() -> None:
    rng = Random(1)  # noqa: S311
    first, second = shuffled(rng), shuffled(rng)
    earlier = table_with(first)
    earlier.add("1", second)
    assert len(earlier) == 1
    assert earlier.repeat_of(first) is None
    assert earlier.repeat_of(second) is not None


@pytest.mark.parametrize("remembered", [1, 3, 20])
def test_only_the_last_shoes_are_remembered(remembered: int) -> None:
    rng = Random(9)  # noqa: S311
    orders = [shuffled(rng) for _ in range(remembered + 2)]
    earlier = EarlierShoes(remembered)
    for number, order in enumerate(orders):
        earlier.add(str(number), order)
    found = [earlier.repeat_of(order) for order in orders]
    assert [repeat.shoe if repeat else None for repeat in found] == [
        None,
        None,
        *map(str, range(2, remembered + 2)),
    ]
    assert len(earlier) == remembered


def test_a_single_riffle_hides_nothing() -> None:
    rng = Random(4)  # noqa: S311
    before = shuffled(rng)
    left, right = before[:200][::-1], before[200:][::-1]
    fallen = []
    while left or right:
        half = left if rng.random() * (len(left) + len(right)) < len(left) else right
        fallen.append(half.pop())
    assert table_with(shuffled(rng), before).repeat_of(fallen) is not None


# New packs


def brand(*suits: tuple[str, int]) -> list[str]:
    """Make a new pack with its suits in an order, each up from the ace or down from the king."""
    return [card for suit, step in suits for card in [n for n in NAMES if n[1] == suit][::step]]


@pytest.mark.parametrize(
    "pack",
    [
        NAMES,
        brand(("H", 1), ("C", 1), ("D", -1), ("S", -1)),
        brand(("S", 1), ("D", 1), ("C", -1), ("H", -1)),
    ],
)
def test_new_packs_are_known_whatever_their_maker(pack: list[str]) -> None:
    period = new_pack_order(pack * 8)
    assert period is not None
    assert (period.cards, period.start, period.every) == (416, 0, None)


def test_one_new_pack_is_found_among_shuffled_cards() -> None:
    rng = Random(6)  # noqa: S311
    cards = shuffled(rng)
    cards[200:252] = NAMES
    period = new_pack_order(cards)
    assert period is not None
    assert 50 <= period.cards <= 60
    assert 190 <= period.start <= 200


@pytest.mark.parametrize("length", [52, 104])
def test_packs_made_alike_come_again_after_their_length(length: int) -> None:
    pack = shuffled(Random(8), 2, 104)[:length]  # noqa: S311
    period = new_pack_order((pack * 8)[:400])
    assert period is not None
    assert (period.start, period.every) == (0, length)
    assert period.cards >= 400 - 2 * length


@pytest.mark.parametrize("cards", [[], ["AS"], NAMES[:13], NAMES[:25]], ids=len)
def test_a_few_cards_are_no_new_pack(cards: list[str]) -> None:
    assert new_pack_order(cards) is None
    assert table_with(cards).repeat_of(cards) is None


def test_half_a_new_pack_in_sequence_is_one() -> None:
    period = new_pack_order(NAMES[:26])
    assert period is not None
    assert period.cards == 26
