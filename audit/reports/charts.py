"""The drawings of the page: inline SVG without scripts; colours come from the page's style."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, log10

from markupsafe import Markup, escape

from audit.reports import words
from audit.reports.figures import Group, Step, Tally

ROW_WIDTH, ROW_HEIGHT = 190, 26
MONEY_WIDTH = 150
WIDE, TALL, MONEY_TALL = 860, 250, 170
LEFT, RIGHT, TOP, BOTTOM = 52, 84, 16, 30
MOST_LABELS = 16


@dataclass(frozen=True, slots=True)
class Scale:
    """From a value to a place in the drawing."""

    most: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = value / self.most if self.most else 0.0
        return round(self.start + share * (self.end - self.start), 1)

    def clipped(self, value: float) -> float:
        return self.at(min(value, self.most))


_STEPS = {1: 5, 1.5: 3, 2: 4, 3: 3, 4: 4, 5: 5, 6: 3, 8: 4}
"""Where an axis ends, by its first digit, and in how many steps it goes there."""


def nice_top(most: float) -> float:
    """Give the next round number, so that an axis ends on one."""
    if most <= 0:
        return 1.0
    power = 10.0 ** floor(log10(most))
    return next((step * power for step in _STEPS if step * power >= most), 10 * power)


def top_of(tallies: Iterable[Tally], fewest: int = 0) -> float:
    """Give the end of an axis on which all intervals fit, apart from those of few rounds."""
    every = [tally for tally in tallies if tally.rounds]
    ends = [tally.interval for tally in every if tally.rounds >= fewest] or [
        tally.interval for tally in every
    ]
    return nice_top(max((end.high for end in ends if end is not None), default=1.0))


def money_top(tallies: Iterable[Tally]) -> float:
    """Give the end of an axis on which all amounts fit, whichever way they went."""
    amounts = (max(tally.given_away, tally.short_changed) for tally in tallies)
    return nice_top(float(max(amounts, default=Decimal(0))))


def _svg(width: int, height: int, label: str, parts: Iterable[Markup], kind: str) -> Markup:
    body = Markup("").join(parts)
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title>{}</svg>'
    ).format(kind, width, height, label, label, body)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>').format(x1, y1, x2, y2, kind)


def _rect(x: float, y: float, width: float, height: float, kind: str) -> Markup:
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" rx="2" class="{}"/>').format(
        round(x, 1), round(y, 1), round(max(width, 0), 1), round(max(height, 0), 1), kind
    )


def _text(x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<text x="{}" y="{}" class="{}">{}</text>').format(x, y, kind, escape(text))


def told(tally: Tally) -> str:
    """Say a rate with its interval."""
    if not tally.rounds:
        return "no rounds judged"
    return (
        f"{words.rate(tally.per_1000)} per 1,000 rounds, "
        f"95 % interval {words.interval(tally.interval)}"
    )


def rate_row(group: Group, most: float, overall: float | None) -> Markup:
    """Draw one rate as a bar with the whisker of its interval, and a mark for all together."""
    tally = group.tally
    ends, value = tally.interval, tally.per_1000
    scale = Scale(most, 1, ROW_WIDTH - 9)
    middle = ROW_HEIGHT / 2
    parts = [_line(1, 3, 1, ROW_HEIGHT - 3, "axis")]
    if ends is not None and value is not None:
        kind = "few" if group.few else "apart" if group.apart and group.apart.more else "rate"
        low, high = scale.clipped(ends.low), scale.clipped(ends.high)
        parts.append(_rect(1, middle - 6, scale.clipped(value) - 1, 12, f"bar {kind}"))
        parts.append(_line(low, middle, high, middle, "whisker"))
        parts.append(_line(low, middle - 4, low, middle + 4, "whisker"))
        if ends.high <= most:
            parts.append(_line(high, middle - 4, high, middle + 4, "whisker"))
        else:
            parts.append(_arrow(high, middle))
    if overall is not None and overall <= most:
        parts.append(_line(scale.at(overall), 1, scale.at(overall), ROW_HEIGHT - 1, "overall"))
    return _svg(ROW_WIDTH, ROW_HEIGHT, told(tally), parts, "row")


def _arrow(x: float, y: float) -> Markup:
    return Markup('<path d="M{} {} l7 4 l-7 4 z" class="arrow"/>').format(x, y - 4)


def money_row(tally: Tally, most: float) -> Markup:
    """Draw money both ways: short-changed to the left, given away to the right."""
    middle, half = MONEY_WIDTH / 2, MONEY_WIDTH / 2 - 2
    scale = Scale(most, 0, half)
    short, given = scale.at(float(tally.short_changed)), scale.at(float(tally.given_away))
    parts = [
        _rect(middle - short, 7, short, 12, "bar short"),
        _rect(middle, 7, given, 12, "bar given"),
        _line(middle, 3, middle, ROW_HEIGHT - 3, "axis"),
    ]
    label = (
        f"short-changed {words.money(tally.short_changed)}, "
        f"given away {words.money(tally.given_away)}"
    )
    return _svg(MONEY_WIDTH, ROW_HEIGHT, label, parts, "row money")


def _rate_axis(scale: Scale) -> list[Markup]:
    parts = []
    steps = _STEPS.get(round(scale.most / 10.0 ** floor(log10(scale.most)), 1), 5)
    for part in range(steps + 1):
        value = scale.most * part / steps
        y = scale.at(value)
        parts.append(_line(LEFT, y, WIDE - RIGHT, y, "grid" if part else "axis"))
        parts.append(_text(LEFT - 8, y + 4, f"{value:g}", "tick end"))
    return parts


def hour_chart(groups: Sequence[Group], overall: float | None) -> Markup:
    """Draw the rate of every hour as a column with the whisker of its interval."""
    most = top_of((group.tally for group in groups), fewest=100)
    scale = Scale(most, TALL - BOTTOM, TOP)
    parts = _rate_axis(scale)
    width = (WIDE - LEFT - RIGHT) / max(len(groups), 1)
    for place, group in enumerate(groups):
        x = round(LEFT + (place + 0.5) * width, 1)
        parts += _column(group, x, min(width * 0.62, 26), scale)
        parts.append(_text(x, TALL - 10, group.name[:2], "tick middle"))
    parts += _overall(overall, scale, "all hours")
    label = "Errors per 1,000 rounds by hour: " + "; ".join(
        f"{group.name} {told(group.tally)}" for group in groups
    )
    return _svg(WIDE, TALL, label, parts, "wide")


def _column(group: Group, x: float, width: float, scale: Scale) -> list[Markup]:
    ends, value = group.tally.interval, group.tally.per_1000
    if ends is None or value is None:
        return []
    top, floor_ = scale.clipped(value), scale.at(0)
    low, high = scale.clipped(ends.low), scale.clipped(ends.high)
    return [
        _rect(x - width / 2, top, width, floor_ - top, f"bar {'few' if group.few else 'rate'}"),
        _line(x, low, x, high, "whisker"),
        _line(x - 4, low, x + 4, low, "whisker"),
        _line(x - 4, high, x + 4, high, "whisker"),
    ]


def _overall(value: float | None, scale: Scale, name: str) -> list[Markup]:
    if value is None or value > scale.most:
        return []
    y = scale.at(value)
    return [
        _line(LEFT, y, WIDE - RIGHT, y, "overall"),
        _text(WIDE - RIGHT + 7, y, name, "tick"),
        _text(WIDE - RIGHT + 7, y + 14, words.rate(value), "note"),
    ]


def _places(steps: Sequence[Step]) -> list[float]:
    room = (WIDE - LEFT - RIGHT) / max(len(steps), 1)
    return [round(LEFT + (place + 0.5) * room, 1) for place in range(len(steps))]


def trend_chart(steps: Sequence[Step], before: float | None) -> Markup:
    """Draw the rate day by day with the band of its intervals; the period stands out."""
    scale = Scale(top_of((step.tally for step in steps), fewest=100), TALL - BOTTOM, TOP)
    parts = _rate_axis(scale)
    known = [
        (x, step, step.tally.per_1000, step.tally.interval)
        for x, step in zip(_places(steps), steps, strict=True)
    ]
    upper, lower, middle = [], [], []
    for x, _, value, ends in known:
        if value is not None and ends is not None:
            upper.append(f"{x},{scale.clipped(ends.high)}")
            lower.append(f"{x},{scale.clipped(ends.low)}")
            middle.append(f"{x},{scale.clipped(value)}")
    band = " ".join((*upper, *reversed(lower)))
    parts.append(Markup('<polygon points="{}" class="band"/>').format(band))
    parts.append(Markup('<polyline points="{}" class="trend"/>').format(" ".join(middle)))
    parts += _overall(before, scale, "days before")
    for x, step, value, ends in known:
        if value is not None and ends is not None:
            parts += _dot(x, step, scale)
    parts += _day_labels(steps, TALL)
    label = "Errors per 1,000 rounds by day: " + "; ".join(
        f"{step.day} {told(step.tally)}" for step in steps
    )
    return _svg(WIDE, TALL, label, parts, "wide")


def _dot(x: float, step: Step, scale: Scale) -> list[Markup]:
    ends, value = step.tally.interval, step.tally.per_1000
    if ends is None or value is None:
        return []
    dot = Markup('<circle cx="{}" cy="{}" r="{}" class="{}"><title>{}</title></circle>').format(
        *(x, scale.clipped(value), 5 if step.inside else 3.2),
        *("dot now" if step.inside else "dot", f"{step.day}: {told(step.tally)}"),
    )
    if not step.inside:
        return [dot]
    low, high = scale.clipped(ends.low), scale.clipped(ends.high)
    return [_line(x, low, x, high, "whisker now"), dot]


def _day_labels(steps: Sequence[Step], height: int) -> list[Markup]:
    every = max(1, ceil(len(steps) / MOST_LABELS))
    last = len(steps) - 1
    return [
        _text(
            x,
            height - 10,
            f"{step.day.day} {step.day:%b}",
            f"tick middle{' now' if step.inside else ''}",
        )
        for place, (x, step) in enumerate(zip(_places(steps), steps, strict=True))
        if (last - place) % every == 0
    ]


def money_chart(steps: Sequence[Step]) -> Markup:
    """Draw money day by day: given away upwards, short-changed downwards."""
    most = money_top(step.tally for step in steps)
    middle = (TOP + MONEY_TALL - BOTTOM) / 2
    scale = Scale(most, 0, middle - TOP)
    room = (WIDE - LEFT - RIGHT) / max(len(steps), 1)
    width = min(room * 0.5, 26)
    parts = [
        _line(LEFT, TOP, WIDE - RIGHT, TOP, "grid"),
        _line(LEFT, MONEY_TALL - BOTTOM, WIDE - RIGHT, MONEY_TALL - BOTTOM, "grid"),
        _text(LEFT - 8, TOP + 4, _short(most), "tick end"),
        _text(LEFT - 8, MONEY_TALL - BOTTOM + 4, _short(most), "tick end"),
        _text(LEFT - 8, middle + 4, "0", "tick end"),
    ]
    for x, step in zip(_places(steps), steps, strict=True):
        given, short = (
            scale.at(float(step.tally.given_away)),
            scale.at(float(step.tally.short_changed)),
        )
        faded = "" if step.inside else " before"
        parts.append(_rect(x - width / 2, middle - given, width, given, f"bar given{faded}"))
        parts.append(_rect(x - width / 2, middle, width, short, f"bar short{faded}"))
    parts.append(_line(LEFT, middle, WIDE - RIGHT, middle, "axis"))
    parts += _day_labels(steps, MONEY_TALL)
    label = "Money by day: " + "; ".join(
        f"{step.day} given away {words.money(step.tally.given_away)}, "
        f"short-changed {words.money(step.tally.short_changed)}"
        for step in steps
    )
    return _svg(WIDE, MONEY_TALL, label, parts, "wide")


def _short(amount: float) -> str:
    for size, sign in ((1e9, "bn"), (1e6, "m"), (1e3, "k")):
        if amount >= size:
            return f"{amount / size:g}{sign}"
    return f"{amount:g}"
