"""How well cards are followed and rounds put together, with a reader whose errors are made up.

    python -m tests.benchmarks.tracking                          60 films, moderate noise
    python -m tests.benchmarks.tracking --films 200 --noise heavy
    python -m tests.benchmarks.tracking --first 17 --films 1 --show

Draws no pictures: each film is dealt at a table of its own, and what a reader would say of it is
worked out from its truth (tests/film_reader_fakes.py). Prints how many cards came out exactly right
(rank, suit, hand, order), how many rounds entirely, how many cards were left unread, and how many
were misread with a confidence of more than 0.95.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Final

from tests.film_reader_fakes import HEAVY, MODERATE, PERFECT, glances_of, zones_of
from vision.cards import CARDS
from vision.film_rounds import UNREAD, read_rounds
from vision.synthetic.film_scripts import (
    Pause,
    Split,
    baccarat_script,
    blackjack_script,
    with_burn,
)
from vision.synthetic.film_truth import truth_of
from vision.synthetic.films import make_film

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.film_reader_fakes import Noise
    from vision.film_rounds import ReadCard, ReadRound
    from vision.synthetic.film_scripts import RoundScript
    from vision.synthetic.film_truth import CardTruth
    from vision.synthetic.films import Film

NOISES: Final = {"none": PERFECT, "moderate": MODERATE, "heavy": HEAVY}
DECKS: Final = 8
SURE: Final = 0.95


def value(card: str) -> int:
    """What a card counts at blackjack, the ace as one."""
    return 1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])


def shuffled(rng: Random) -> list[str]:
    """A shoe; every third film's is rich in pairs and copies."""
    cards = [card for card in CARDS for _ in range(DECKS)]
    if rng.random() < 1 / 3:
        ranks = rng.sample("A23456789TJQK", 3)
        cards = [card for card in cards if card[0] in ranks] * 4
    rng.shuffle(cards)
    return cards


def baccarat_round(rng: Random, shoe: list[str], number: int) -> RoundScript:
    """A coup by the table of play, more or less."""
    player, banker = [shoe.pop(), shoe.pop()], [shoe.pop(), shoe.pop()]

    def total(hand: list[str]) -> int:
        return sum(value(card) % 10 for card in hand) % 10

    if max(total(player), total(banker)) < 8:
        if total(player) <= 5:
            player.append(shoe.pop())
        if total(banker) <= (5 if len(player) == 2 else 4):
            banker.append(shoe.pop())
    face_down = rng.random() < 0.4
    script = baccarat_script(
        f"P {' '.join(player)} / B {' '.join(banker)}",
        number=number,
        face_down=face_down,
        squeezed=face_down and rng.random() < 0.5,
        says=rng.choice([None, "player", "banker", "tie"]),
        swept=rng.random() < 0.5,
    )
    if number == 1 and rng.random() < 0.4:
        burnt = [shoe.pop() for _ in range(rng.randint(1, 3))]
        script = with_burn(script, burnt, first_shown=True)
    return script


def blackjack_round(rng: Random, shoe: list[str], number: int, boxes: int) -> RoundScript:
    """A round in which boxes hit, stand, double and split, often more than they should."""
    taken = sorted(rng.sample(range(1, boxes + 1), rng.randint(1, boxes)))
    first = [shoe.pop() for _ in (*taken, 0)]
    second = [shoe.pop() for _ in taken]
    hole_card = rng.random() < 0.5
    dealer = [first[-1]]
    if hole_card:
        dealer.append(shoe.pop())
    words: dict[str, list[str]] = {}
    for box, *cards in zip(taken, first, second, strict=False):
        _play(rng, shoe, str(box), list(cards), words)
    while sum(map(value, dealer)) < 17 and len(dealer) < 6:
        dealer.append(shoe.pop())
    hands = " / ".join(f"{name} {' '.join(told)}" for name, told in words.items())
    script = blackjack_script(
        f"{hands} / D {' '.join(dealer)}",
        number=number,
        hole_card=hole_card,
        pays={f"box{box}": rng.random() < 0.5 for box in taken if rng.random() < 0.6},
        gestures=rng.random() < 0.5,
        swept=rng.random() < 0.3,
    )
    # A card is split when its player has seen it and has said so.
    steps = [
        part
        for step in script.steps
        for part in ((Pause(rng.uniform(0.5, 1.5)), step) if isinstance(step, Split) else (step,))
    ]
    return replace(script, steps=tuple(steps))


def _play(
    rng: Random, shoe: list[str], box: str, cards: list[str], words: dict[str, list[str]]
) -> None:
    """Play out a box: `words` gets what is said and dealt to each of its hands."""
    words[box] = list(cards)
    waiting = [(box, cards)]
    hands = 1
    while waiting:
        name, held = waiting.pop(0)
        told = words[name]
        while sum(map(value, held)) < 21 and len(held) < 6:
            if (
                len(held) == 2
                and hands < 4
                and value(held[0]) == value(held[1])
                and rng.random() < 0.8
            ):
                hands += 1
                told.append("split")
                words[f"{box}.{hands}"] = []
                waiting.append((f"{box}.{hands}", [held.pop()]))
            elif len(held) == 2 and rng.random() < 0.2:
                held.append(shoe.pop())
                told += ["double", held[-1]]
                break
            elif len(held) > 1 and sum(map(value, held)) >= rng.randint(11, 17):
                told.append("stand")
                break
            held.append(shoe.pop())
            told += ["hit", held[-1]] if rng.random() < 0.3 and len(held) > 2 else [held[-1]]


def film_of(seed: int, rounds: int = 3) -> Film:
    """A film of some rounds of one of the games."""
    rng = Random(seed)  # noqa: S311
    shoe = shuffled(rng)
    if seed % 2:
        scripts = [baccarat_round(rng, shoe, number) for number in range(1, rounds + 1)]
    else:
        boxes = rng.randint(1, 5)
        scripts = [blackjack_round(rng, shoe, number, boxes) for number in range(1, rounds + 1)]
    return make_film(seed, scripts)


@dataclass(slots=True)
class Score:
    """What came out of some films."""

    cards: int = 0
    right: int = 0
    rounds: int = 0
    rounds_right: int = 0
    unread: int = 0
    misread: int = 0
    misread_surely: int = 0
    wrong_hand: int = 0
    wrong_order: int = 0
    lost: int = 0
    made_up: int = 0
    by_confidence: Counter[tuple[int, bool]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def compare(self, seed: int, truth: Sequence[CardTruth], read: ReadRound | None) -> None:
        """Compare a round with its truth."""
        wanted = [(card.card, card.hand) for card in truth]
        got = [(card.card, card.hand) for card in read.cards] if read else []
        self.cards += len(wanted)
        self.rounds += 1
        self.rounds_right += wanted == got
        blocks = SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks()
        self.right += sum(block.size for block in blocks)
        if wanted != got:
            name = f"film {seed} round {truth[0].round}"
            self.faults.append(f"{name}:\n   {_line(wanted)}\n   {_line(got)}")
        self._count(truth, read.cards if read else ())

    def _count(self, truth: Sequence[CardTruth], read: Sequence[ReadCard]) -> None:
        pairs, lost, made_up = _paired(truth, read)
        self.lost += len(lost)
        self.made_up += len(made_up)
        for card in made_up:
            self.misread_surely += card.confidence > SURE and card.card != UNREAD
        for told, card in pairs:
            if card.card == UNREAD:
                self.unread += 1
                continue
            self.by_confidence[min(9, int(card.confidence * 10)), card.card == told.card] += 1
            if card.card != told.card:
                self.misread += 1
                self.misread_surely += card.confidence > SURE
            self.wrong_hand += card.hand != told.hand
        order = [truth.index(told) for told, _ in pairs]
        self.wrong_order += sum(one > other for one, other in pairwise(order))

    def __str__(self) -> str:
        return (
            f"cards {self.right}/{self.cards} = {self.right / max(self.cards, 1):.2%}   "
            f"rounds {self.rounds_right}/{self.rounds} = "
            f"{self.rounds_right / max(self.rounds, 1):.2%}   unread {self.unread}   "
            f"misread {self.misread}, above {SURE}: {self.misread_surely}   "
            f"lost {self.lost}   made up {self.made_up}   wrong hand {self.wrong_hand}   "
            f"wrong order {self.wrong_order}"
        )


def _line(cards: Sequence[tuple[str, str]]) -> str:
    return " ".join(f"{hand}:{card}" for card, hand in cards)


def _paired(
    truth: Sequence[CardTruth], read: Sequence[ReadCard]
) -> tuple[list[tuple[CardTruth, ReadCard]], list[CardTruth], list[ReadCard]]:
    """Each card as read with the true one that lay there then, the nearest first."""
    near = []
    for told in truth:
        for card in read:
            x, y = (card.box[0] + card.box[2]) / 2, (card.box[1] + card.box[3]) / 2
            away = min(
                (
                    abs(sum(point[0] for point in place.outline) / 4 - x)
                    + abs(sum(point[1] for point in place.outline) / 4 - y)
                    for place in told.places
                ),
                default=1e6,
            )
            # A back that was missed is first seen when it is turned up.
            late = min(abs((told.laid_s or 0) - card.laid_s), abs((told.at_s or 0) - card.at_s))
            if away < 150 and late < 4:
                near.append((late + away / 60 + 2 * (told.card != card.card), told, card))
    pairs: list[tuple[CardTruth, ReadCard]] = []
    lost, made_up = list(truth), list(read)
    for _, told, card in sorted(near, key=lambda pair: pair[0]):
        if told in lost and card in made_up:
            lost.remove(told)
            made_up.remove(card)
            pairs.append((told, card))
    pairs.sort(key=lambda pair: pair[1].seq)
    return pairs, lost, made_up


def score_film(seed: int, noise: Noise, score: Score) -> None:
    """Read a film and compare it with its truth."""
    film = film_of(seed)
    truth = truth_of(film)
    rounds = list(read_rounds(glances_of(film, noise, seed), zones_of(film), DECKS))
    used: set[int] = set()
    for told in truth.rounds:
        cards = [card for card in truth.cards if card.round == told.round and card.at_s is not None]
        found = [
            each
            for each in rounds
            if each.number not in used and told.first_card_s - 1 < each.start_s < told.end_s
        ]
        used |= {found[0].number} if found else set()
        score.compare(seed, cards, found[0] if found else None)
    for each in rounds:
        if each.number not in used:
            score.rounds += 1
            score.made_up += len(each.cards)
            cards_of_it = [(card.card, card.hand) for card in each.cards]
            score.faults.append(f"film {seed} round that was none: {_line(cards_of_it)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--films", type=int, default=60)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--noise", choices=sorted(NOISES), default="moderate")
    parser.add_argument("--show", action="store_true", help="print every round that came out wrong")
    arguments = parser.parse_args()
    score = Score()
    began = time.perf_counter()
    for seed in range(arguments.first, arguments.first + arguments.films):
        score_film(seed, NOISES[arguments.noise], score)
    if arguments.show:
        print(*score.faults, sep="\n")  # noqa: T201
    took = time.perf_counter() - began
    print(f"{arguments.films} films, {arguments.noise} noise, {took:.0f} s: {score}")  # noqa: T201


if __name__ == "__main__":
    main()
