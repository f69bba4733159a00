"""An evaluation as pictures: what was taken for what, and whether certainties come true."""

from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image
from vision.cards import RANKS
from vision.evaluation import Evaluation
from vision.picture_text import FAINT, INK, PAPER, RULE, Colour, card_sign, write
from vision.reliability import Reliability

SUIT_ORDER = "SHDC"
RIGHT: Colour = (120, 92, 38)
WRONG: Colour = (52, 60, 208)
BAR: Colour = (196, 152, 84)
GAP: Colour = (150, 150, 240)
RED: Colour = (40, 44, 190)
STEEPNESS = 0.45
"""Below 1, so that a single mistake among thousands of readings shows."""


def confusion_matrix(evaluation: Evaluation) -> Image:
    """Draw what cards (or ranks, where only these are marked) were read as.

    Rows are the truth. Each row is shaded by its own number of marks: blue on the diagonal, red
    beside it.
    """
    ranks_only = evaluation.ranks_only
    names = [*RANKS] if ranks_only else [rank + suit for suit in SUIT_ORDER for rank in RANKS]
    numbers = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    for one in evaluation.outcomes:
        if one.answer is not None and one.truth in numbers:
            counts[numbers[one.truth], numbers[one.answer.name[: len(one.truth)]]] += 1
    read, wrong = int(counts.sum()), int(counts.sum() - np.trace(counts))
    of = "ranks" if ranks_only else "cards"
    title = f"{read:,} {of} found and read, {wrong:,} of them wrong"
    return _matrix(counts, names, title, cell=44 if ranks_only else 26)


def _matrix(counts: NDArray[np.int64], names: list[str], title: str, cell: int) -> Image:
    left, top, size = 90, 118, cell * len(names)
    image = np.full((top + size + 40, left + size + 40, 3), PAPER, dtype=np.uint8)
    write(image, title, (left, 40), size=24, weight=600)
    write(image, "each row a truth, each column a reading", (left, 66), size=16, colour=FAINT)
    letters = 20 if cell > 30 else 13
    for number, name in enumerate(names):
        middle = number * cell + cell / 2
        colour = RED if name[1:] in ("H", "D") else INK
        foot = top + middle + letters * 0.36
        write(image, card_sign(name), (left - 8, foot), size=letters, colour=colour, align=1)
        write(
            image, card_sign(name), (left + middle, top - 8), size=letters, colour=colour, align=0.5
        )
    for row, column in zip(*np.nonzero(counts), strict=True):
        count = int(counts[row, column])
        share = count / int(counts[row].sum())
        shade = share**STEEPNESS
        colour = _mixed(PAPER, RIGHT if row == column else WRONG, shade)
        x, y = left + int(column) * cell, top + int(row) * cell
        cv2.rectangle(image, (x, y), (x + cell, y + cell), colour, cv2.FILLED)
        words = f"{count}" if count < 1000 else f"{count / 1000:.0f}k"
        ink = PAPER if shade > 0.5 else INK
        small = round(letters * (0.85 if len(words) < 4 else 0.7))
        write(
            image,
            words,
            (x + cell / 2, y + cell / 2 + small * 0.36),
            size=small,
            colour=ink,
            align=0.5,
        )
    for line in range(len(names) + 1):
        strong = line % len(RANKS) == 0
        at = line * cell
        tone = FAINT if strong else RULE
        cv2.line(image, (left + at, top), (left + at, top + size), tone, 1)
        cv2.line(image, (left, top + at), (left + size, top + at), tone, 1)
    return image


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    blue, green, red = (
        round(start + (end - start) * share) for start, end in zip(one, other, strict=True)
    )
    return blue, green, red


def reliability_diagram(trust: Reliability) -> Image:
    """Draw the share of right readings against what they claim, and how many there are of each.

    The scale is stretched at the top, where one wrong reading in a hundred matters: between 0.9 and
    1 there is as much room as between 0 and 0.9.
    """
    plot, left, top = 520, 110, 150
    below = 150
    image = np.full((top + plot + below + 110, left + plot + 60, 3), PAPER, dtype=np.uint8)
    count, right = trust.at_least(0.99)
    write(image, "Do certainties come true?", (left, 40), size=24, weight=600)
    said = f"Of {count:,} readings with 0.99 or more, {100 * right:.2f} % are right."
    error = f"Expected calibration error {trust.expected_error:.4f}."
    for line, words in enumerate((said if count else "No reading has 0.99 or more.", error)):
        write(image, words, (left, 68 + 22 * line), size=16, colour=FAINT)

    def across(share: float) -> int:
        return left + round(plot * _stretched(share))

    def up(share: float) -> int:
        return top + plot - round(plot * _stretched(share))

    for mark in (0.0, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999):
        cv2.line(image, (left, up(mark)), (left + plot, up(mark)), RULE, 1)
        cv2.line(image, (across(mark), top), (across(mark), top + plot), RULE, 1)
        write(image, f"{mark:g}", (left - 10, up(mark) + 6), size=15, align=1)
        write(image, f"{mark:g}", (across(mark), top + plot + 24), size=15, align=0.5)
    for dash in range(0, plot, 16):
        till = min(dash + 9, plot)
        ends = (left + dash, top + plot - dash), (left + till, top + plot - till)
        cv2.line(image, *ends, FAINT, 1, cv2.LINE_AA)
    most = max((part.count for part in trust.bins), default=1)
    foot = top + plot + below + 50
    points = []
    for part in trust.bins:
        x = across(part.certainty)
        low, high = _interval(part.right, part.count)
        cv2.line(image, (x, up(low)), (x, up(high)), GAP, 3, cv2.LINE_AA)
        points.append((x, up(part.right)))
        tall = round((below - 40) * (part.count / most) ** 0.5)
        begin, until = across(part.low) + 2, across(part.high) - 2
        cv2.rectangle(image, (begin, foot - tall), (max(until, begin + 2), foot), BAR, cv2.FILLED)
        if until - begin > 22:
            write(
                image,
                f"{part.count:,}",
                ((begin + until) / 2, foot - tall - 5),
                size=13,
                colour=FAINT,
                align=0.5,
            )
    for start, end in pairwise(points):
        cv2.line(image, start, end, RIGHT, 2, cv2.LINE_AA)
    for point in points:
        cv2.circle(image, point, 6, RIGHT, cv2.FILLED, cv2.LINE_AA)
    cv2.line(image, (left, foot), (left + plot, foot), FAINT, 1)
    write(image, "share right", (left - 10, top - 14), size=15, colour=FAINT, align=0.5)
    write(
        image, "certainty; below, how many readings (bars by the square root)",
        (left + plot / 2, foot + 34), size=15, colour=FAINT, align=0.5,
    )  # fmt: skip
    return image


def _stretched(share: float) -> float:
    """Where a share stands on a scale that has more room near 1: by the doubt, as decades."""
    least = 3e-4
    doubt = np.log10(np.clip(1 - share, 0, 1) + least)
    nothing, everything = np.log10(1 + least), np.log10(least)
    return float((doubt - nothing) / (everything - nothing))


def _interval(share: float, count: int, deviations: float = 1.96) -> tuple[float, float]:
    """Wilson's interval: where the true share lies, 19 times in 20."""
    squared = deviations**2
    middle = (share + squared / (2 * count)) / (1 + squared / count)
    spread = share * (1 - share) / count + squared / (4 * count**2)
    half = deviations / (1 + squared / count) * spread**0.5
    return max(middle - half, 0.0), min(middle + half, 1.0)
