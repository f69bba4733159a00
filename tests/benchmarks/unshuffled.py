"""How often shuffled shoes are called unshuffled, and how often unshuffled ones are found.

    python -m tests.benchmarks.unshuffled [--shoes N] [--earlier N] [--tries N] [--seed N]

Deals random shoes of eight decks at one table, each compared with those before it, with new packs
and with itself. Prints the alarms with the exact 95 % interval of their rate and the time of a
shoe, then the share found of shoes that were not shuffled, each laid among random earlier ones.
"""

import argparse
import sys
import time
from collections.abc import Callable
from math import comb
from random import Random

from audit.cards import DECK
from audit.shoe_order import EarlierShoes, new_pack_order

Order = list[str]
DECKS = 8
DEALT = 400
ROUNDS = (4, 4, 5, 5, 6)
NAMES = [str(card) for card in DECK]
CONFIDENCE = 0.95


def shuffled(rng: Random) -> Order:
    cards = NAMES * DECKS
    rng.shuffle(cards)
    return cards[:DEALT]


def rounds_of(cards: Order, rng: Random) -> list[Order]:
    """Cut an order into rounds of baccarat."""
    rounds, start = [], 0
    while start < len(cards):
        size = rng.choice(ROUNDS)
        rounds.append(cards[start : start + size])
        start += size
    return rounds


def picked_up(cards: Order, rng: Random) -> Order:
    """Pick up the hands of each round one after the other, each as it lies or turned over."""
    collected: Order = []
    for played in rounds_of(cards, rng):
        hands = [played[0:4:2] + played[4:5], played[1:4:2] + played[5:6]]
        rng.shuffle(hands)
        for hand in hands:
            collected += hand if rng.random() < 0.5 else hand[::-1]
    return collected


def riffled(cards: Order, rng: Random) -> Order:
    """Cut somewhere about the middle and let the cards fall together as hands do."""
    cut = sum(rng.random() < 0.5 for _ in cards)
    left, right = cards[:cut][::-1], cards[cut:][::-1]
    fallen: Order = []
    while left or right:
        half = left if rng.random() * (len(left) + len(right)) < len(left) else right
        fallen.append(half.pop())
    return fallen


def a_quarter(cards: Order, rng: Random) -> Order:
    """Keep a quarter of the order, at another place of a shuffled shoe."""
    size = len(cards) // 4
    start, at = rng.randrange(len(cards) - size), rng.randrange(len(cards) - size)
    fresh = shuffled(rng)
    return fresh[:at] + cards[start : start + size] + fresh[at + size :]


REPEATS: dict[str, Callable[[Order, Random], Order]] = {
    "exact repeat": lambda cards, rng: cards,
    "exact repeat, backward": lambda cards, rng: cards[::-1],
    "cut, and otherwise repeated": lambda cards, rng: cards[150:] + cards[:150],
    "repeat of a quarter": a_quarter,
    "repeat as hands are picked up": picked_up,
    "a quarter as hands are picked up": lambda cards, rng: a_quarter(picked_up(cards, rng), rng),
    "a tenth of the cards unread": lambda cards, rng: [
        "??" if rng.random() < 0.1 else card for card in picked_up(cards, rng)
    ],
    "one riffle": riffled,
    "one riffle of picked-up hands": lambda cards, rng: riffled(picked_up(cards, rng), rng),
    "two riffles": lambda cards, rng: riffled(riffled(cards, rng), rng),
}


def new_packs(rng: Random) -> Order:
    return (NAMES * DECKS)[:DEALT]


def packs_made_alike(rng: Random) -> Order:
    pack = rng.sample(NAMES, len(NAMES))
    return (pack * DECKS)[:DEALT]


def one_new_pack(rng: Random) -> Order:
    fresh = shuffled(rng)
    at = rng.randrange(len(fresh) - len(NAMES))
    return fresh[:at] + NAMES + fresh[at + len(NAMES) :]


PACKS: dict[str, Callable[[Random], Order]] = {
    "new packs": new_packs,
    "new packs, riffled once": lambda rng: riffled(new_packs(rng), rng),
    "packs all made alike": packs_made_alike,
    "one new pack among shuffled ones": one_new_pack,
}


def interval(alarms: int, shoes: int) -> tuple[float, float]:
    """Give the exact (Clopper-Pearson) interval of a rate, by halving."""
    tail = (1 - CONFIDENCE) / 2

    def at_most(rate: float, most: int) -> float:
        return sum(comb(shoes, k) * rate**k * (1 - rate) ** (shoes - k) for k in range(most + 1))

    def where(holds: Callable[[float], bool]) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    least = 0.0 if alarms == 0 else where(lambda rate: 1 - at_most(rate, alarms - 1) < tail)
    return least, where(lambda rate: at_most(rate, alarms) > tail)


def false_alarms(shoes: int, earlier: int, rng: Random) -> tuple[int, float]:
    """Count the alarms among random shoes, and time what a shoe takes."""
    table = EarlierShoes(earlier)
    for number in range(earlier):
        table.add(f"before {number}", shuffled(rng))
    alarms, spent = 0, 0.0
    for number in range(shoes):
        cards = shuffled(rng)
        start = time.process_time()
        alarms += table.repeat_of(cards) is not None or new_pack_order(cards) is not None
        table.add(str(number), cards)
        spent += time.process_time() - start
    return alarms, spent / shoes


def found(unshuffle: Callable[[Order, Random], Order], earlier: int, rng: Random) -> bool:
    """Tell whether a shoe is traced to the right one of the earlier shoes."""
    table = EarlierShoes(earlier)
    orders = [shuffled(rng) for _ in range(earlier)]
    for number, order in enumerate(orders):
        table.add(str(number), order)
    source = rng.randrange(earlier)
    repeat = table.repeat_of(unshuffle(orders[source], rng))
    return repeat is not None and repeat.shoe == str(source)


def main() -> None:
    options = argparse.ArgumentParser(description="False alarms and finds of unshuffled shoes.")
    options.add_argument("--shoes", type=int, default=100_000)
    options.add_argument("--earlier", type=int, default=10)
    options.add_argument("--tries", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    rng = Random(chosen.seed)  # noqa: S311
    say = sys.stdout.write
    alarms, spent = false_alarms(chosen.shoes, chosen.earlier, rng)
    least, most = interval(alarms, chosen.shoes)
    say(f"{chosen.shoes:,} shuffled shoes against the {chosen.earlier} before each: ")
    say(f"{alarms} alarms, rate {least:.1e} to {most:.1e} (95 %), {spent * 1e3:.2f} ms a shoe\n")
    for what, unshuffle in REPEATS.items():
        hits = sum(found(unshuffle, chosen.earlier, rng) for _ in range(chosen.tries))
        say(f"{what:36} {hits / chosen.tries:7.1%} found\n")
    for what, make in PACKS.items():
        hits = sum(new_pack_order(make(rng)) is not None for _ in range(chosen.tries))
        say(f"{what:36} {hits / chosen.tries:7.1%} found\n")


if __name__ == "__main__":
    main()
