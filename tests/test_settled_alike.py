"""What a coup means to a wager: coups that are said to settle it alike do."""

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from audit.cards import RANKS, Rank
from audit.observations import Game, Wager, WagerKind
from audit.rulebook_files import all_rulebooks, rulebook
from audit.rules.baccarat import Coup, deal_coup
from audit.settlement.baccarat import due_on_coup, settled_alike

BACCARAT = [name for name, book in all_rulebooks().items() if book.game is Game.BACCARAT]


def lawful_coups(rng: Random, count: int) -> list[Coup]:
    dealt = (deal_coup([rng.choice(RANKS) for _ in range(6)]) for _ in range(count))
    pairs = (deal_coup([a, b, a, b, *RANKS[:2]]) for a, b in product(RANKS, repeat=2))
    return [coup for coup in (*dealt, *pairs) if coup is not None]


@pytest.mark.parametrize("name", BACCARAT)
def test_coups_that_settle_alike_pay_every_wager_the_same(name: str) -> None:
    book = rulebook(name)
    stake = Decimal("33.35")
    nets: dict[object, set[Decimal]] = defaultdict(set)
    others: dict[object, set[object]] = defaultdict(set)
    rng = Random(name)  # noqa: S311
    for coup in lawful_coups(rng, 3000):
        for kind in book.wagers:
            due = due_on_coup(Wager("a", kind, stake), Fraction(stake), coup, book, Decimal("0.05"))
            key = (kind, settled_alike(kind, coup))
            nets[key].add(due.net)
            others[key].add(due.otherwise)
    assert all(len(amounts) == 1 for amounts in nets.values())
    assert all(len(readings) == 1 for readings in others.values())
    assert len({amount for amounts in nets.values() for amount in amounts}) > len(book.wagers)


def test_a_pair_of_pictures_is_not_taken_for_a_pair_of_points() -> None:
    queens, mixed = (
        Coup((Rank.QUEEN, other), (Rank.NINE, Rank.KING)) for other in (Rank.QUEEN, Rank.KING)
    )
    kind = WagerKind.PLAYER_PAIR
    assert settled_alike(kind, queens) != settled_alike(kind, mixed)
