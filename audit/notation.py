"""A round on one line, as fixtures, failure messages, `catwalk explain` and the review show it.

    P 2H 3D 8C / B KS 3S
    P 2H 3D 8C / B KS 3S | alice:banker 100=-100, tie 25=+200, outcome banker, next 4C 9D
    1 8H 8S split 3D double TC / 1.2 TC stand / D 7C TH | main@1 100=+100, split@1.2 100=-100

Hands come first, between slashes: `P` and `B`; or boxes `1` to `9`, their split hands `1.2` and
`D`; and `burn` and `discard`. A hand with nothing in it only says which game it is. In a box's
hand decisions stand where they were made, `surrender:bob` with who made it, `split>1.3` with the
hand that it formed where that is not the box's next. Cards left the shoe in the order of the
game, hands being played one after the other, unless every card has its place: `2H#3`.

After the bar come, between commas:

    alice:pair@1.2 50=-50 late for bob       a wager: stake, net, box or split hand
    pair@1 10=-10 settled#5                  one that was settled after five cards
    alice:control@1#0 absent                 a call, here before the first card; else after the last
    next 4C ??, sealed, first, before bob    the shoe's next cards; the next round began; first of
                                             the shoe; let through under the minimum before
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from audit.cards import parse_card
from audit.errors import BadInput
from audit.hands import GREATEST_BOX, GREATEST_SPLIT, Hand, Place, box_hand
from audit.money import parse_amount, parse_stake
from audit.observations import (
    DECISIONS,
    Call,
    CallKind,
    CardSeen,
    Game,
    Wager,
    WagerKind,
    parse_call_kind,
    parse_wager_kind,
)
from audit.rounds import Circumstances, Round

_HANDS = {"burn": Hand(Place.BURN), "P": Hand(Place.PLAYER), "B": Hand(Place.BANKER)}
_HANDS |= {
    f"{box}.{formed}".removesuffix(".1"): box_hand(box, formed)
    for box in range(1, GREATEST_BOX + 1)
    for formed in range(1, GREATEST_SPLIT + 1)
}
_HANDS |= {"D": Hand(Place.DEALER), "discard": Hand(Place.DISCARD)}
_LABELS = {hand: label for label, hand in _HANDS.items()}
_RANK = {hand: rank for rank, hand in enumerate(_LABELS)}
_BY_NAME = {name.lower(): hand for hand, label in _LABELS.items() for name in (label, str(hand))}

_GAMES = {Place.PLAYER: Game.BACCARAT, Place.BANKER: Game.BACCARAT}
_GAMES |= {Place.BOX: Game.BLACKJACK, Place.DEALER: Game.BLACKJACK}
_SAYS_ONLY_THE_GAME = {Game.BACCARAT: _HANDS["P"], Game.BLACKJACK: _HANDS["D"]}
_INITIAL_CARDS = {Place.PLAYER: 2, Place.BANKER: 2, Place.BOX: 2, Place.DEALER: 1}
_BURNT, _FIRST_CARDS, _PLAYED_OUT = 0, 1, 3

_WAGERS_ONLY = frozenset(map(str, WagerKind)) - frozenset(map(str, CallKind))
_CALLS_ONLY = frozenset(map(str, CallKind)) - frozenset(map(str, WagerKind))
_BEFORE_DECISIONS = (CallKind.BETS_OPEN, CallKind.BETS_CLOSED, CallKind.CONTROL, CallKind.INSURANCE)
_FOLDS = (CallKind.SURRENDER, CallKind.EVEN_MONEY)
_MARKS_WITH_WORDS = {"next": True, "before": True, "sealed": False, "first": False}

_DECISION = re.compile(r"([A-Za-z_]+)(?:>([^:]*))?(?::(.*))?")
_HEAD = re.compile(r"(?:([^:]+):)?([^:@#]+)(?:@([^:#]*))?(?:#(.*))?")
_LIKE_AN_AMOUNT = re.compile(r"[+-]?\.?[0-9]", re.ASCII)
_AFTER_STAKE = re.compile(r"(late)? ?(?:settled#([0-9]{1,9}))? ?(?:for ([^ ]+))?", re.ASCII)
_BOX_OF_WAGER = re.compile(r"(?:box)?([1-9][0-9]?)(\.[0-9])?|", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,15}", re.ASCII)

_Slot = tuple[Hand, int]
"""The card of a hand that has so many cards of that hand before it."""


@dataclass(frozen=True, slots=True)
class _Decision:
    """A decision as it stands in a hand, behind so many of the hand's cards."""

    kind: CallKind
    hand: Hand
    behind: int
    bettor: str
    forms: Hand | None


class _Deal:
    """The order in which a round's cards left the shoe, by the hands they went to."""

    def __init__(self, order: Iterable[_Slot], *, places_given: bool) -> None:
        self._positions = {slot: position for position, slot in enumerate(order, 1)}
        self.places_given = places_given
        self._later = [slot for slot in self._positions if _dealing_order(slot)[0] == _PLAYED_OUT]

    def after(self, kind: CallKind, hand: Hand, behind: int) -> int:
        """Count the cards dealt when a decision behind so many cards of a hand was made.

        Folding is offered to everybody before the first hand is played out.
        """
        dealt = len(self._positions) - len(self._later)
        if not self.places_given and kind not in _FOLDS:
            dealt += sum(_RANK[earlier] < _RANK[hand] for earlier, _ in self._later)
        return max(dealt, self._positions.get((hand, behind - 1), 0))

    def behind(self, kind: CallKind, hand: Hand, after: int) -> int | None:
        """Find the last spot in a hand for a decision made after so many cards of the round."""
        held = sum(hand == other for other, _ in self._positions)
        spots = range(held, -1, -1) if held else ()
        return next((behind for behind in spots if self.after(kind, hand, behind) == after), None)


def _dealing_order(slot: _Slot) -> tuple[int, int, int]:
    """Tell when a card is dealt: burnt, first cards, second cards, then hand by hand."""
    hand, held = slot
    if hand.place is Place.BURN:
        return _BURNT, _RANK[hand], held
    initial = _INITIAL_CARDS.get(hand.place, 0) if hand.formed == 1 else 0
    return (_FIRST_CARDS + held if held < initial else _PLAYED_OUT), _RANK[hand], held


def _slots(cards: Iterable[CardSeen]) -> list[_Slot]:
    held: Counter[Hand] = Counter()
    slots = []
    for seen in cards:
        if seen.hand is None or seen.hand not in _LABELS:
            hand = f"there is no hand {seen.hand}" if seen.hand else "its hand is unknown"
            raise BadInput(f"card {seen.seq}, {seen.card}, cannot be written: {hand}")
        slots.append((seen.hand, held[seen.hand]))
        held[seen.hand] += 1
    return slots


def parse_round(text: str) -> Round:
    """Read a round from its line."""
    dealt, _, told = text.partition("|")
    hands = _read_hands(dealt.strip())
    game = _game_of(hands, dealt.strip())
    tokens = [token for hand, words in hands.items() for token in _read_tokens(hand, words)]
    cards, deal = _dealt([token for token in tokens if isinstance(token, CardSeen)])
    items, around = _read_items(told, game, len(cards))
    decisions = _as_calls((token for token in tokens if isinstance(token, _Decision)), deal)
    wagers = tuple(item for item in items if isinstance(item, Wager))
    calls = _merged(decisions, (item for item in items if isinstance(item, Call)))
    return Round(game, cards, wagers, calls, around)


def _read_hands(text: str) -> dict[Hand, list[str]]:
    hands: dict[Hand, list[str]] = {}
    for part in text.split("/"):
        label, *words = part.split() or [""]
        if not label:
            raise BadInput(f"{text!r} lacks a hand: write hands like P 2H 3D / B KS 3S")
        hand = _read_label(label)
        if hand in hands:
            raise BadInput(f"hand {label!r} stands twice: write all cards of a hand together")
        hands[hand] = words
    return hands


def _read_label(text: str) -> Hand:
    if text.lower() not in _BY_NAME:
        raise BadInput(
            f"{text!r} is not a hand: write P, B, D, 1 to {GREATEST_BOX}, 1.2 to "
            f"1.{GREATEST_SPLIT} for the hands that splits form, burn or discard"
        )
    return _BY_NAME[text.lower()]


def _game_of(hands: Iterable[Hand], text: str) -> Game:
    found = {_GAMES[hand.place]: _LABELS[hand] for hand in hands if hand.place in _GAMES}
    if not found:
        raise BadInput(f"{text!r} is of no game: baccarat has P or B, blackjack has D or boxes")
    if len(found) > 1:
        mixed = " and ".join(found.values())
        raise BadInput(f"{mixed} are hands of two games: a round is baccarat or blackjack")
    return next(iter(found))


def _read_tokens(hand: Hand, words: Iterable[str]) -> Iterator[CardSeen | _Decision]:
    behind = 0
    for word in words:
        match = _DECISION.fullmatch(word)
        if match and match[1].lower() in DECISIONS:
            yield _read_decision(hand, match, behind)
        else:
            yield _read_card(hand, word)
            behind += 1


def _read_card(hand: Hand, word: str) -> CardSeen:
    """Read a card, which is numbered 0 where its place is left to the order of the game."""
    name, mark, place = word.partition("#")
    try:
        card = parse_card(name)
    except BadInput as unknown:
        decisions = f"; a decision is one of {' '.join(sorted(DECISIONS))}"
        raise BadInput(f"{unknown}{decisions if hand.place is Place.BOX else ''}") from None
    if mark and not (_COUNT.fullmatch(place) and int(place)):
        raise BadInput(f"{word!r} has no place in the shoe's order: write it like 2H#3, from 1")
    return CardSeen(int(place or 0), card, hand)


def _read_decision(hand: Hand, match: re.Match[str], behind: int) -> _Decision:
    kind, forms, bettor = CallKind(match[1].lower()), match[2], match[3]
    if hand.place is not Place.BOX:
        raise BadInput(f"{match[0]!r} cannot stand in hand {_LABELS[hand]}: only boxes decide")
    formed = None if forms is None else _read_label(forms)
    if formed and not (kind is CallKind.SPLIT and _is_split_of(hand.box, formed)):
        raise BadInput(f"{match[0]!r} forms no hand of box {hand.box}, as split>{hand.box}.2 does")
    return _Decision(kind, hand, behind, "" if bettor is None else _name(bettor), formed)


def _is_split_of(box: int | None, hand: Hand) -> bool:
    return hand in _LABELS and hand.box == box and hand.formed > 1


def _dealt(written: Sequence[CardSeen]) -> tuple[tuple[CardSeen, ...], _Deal]:
    """Put the cards of all hands into the order in which they left the shoe."""
    placed = {seen.seq: seen for seen in reversed(written) if seen.seq}
    for seen in written:
        if placed and not seen.seq:
            raise BadInput(f"'{seen.card}' has no place: write # behind all cards or behind none")
        if placed and placed[seen.seq] is not seen:
            raise BadInput(f"'{seen.card}#{seen.seq}' has the place of {placed[seen.seq].card}")
    pairs = list(zip(written, _slots(written), strict=True))
    pairs.sort(key=lambda pair: (pair[0].seq, _dealing_order(pair[1])))
    cards = (replace(seen, seq=seen.seq or place) for place, (seen, _) in enumerate(pairs, 1))
    return tuple(cards), _Deal((slot for _, slot in pairs), places_given=bool(placed))


def _in_turn(decisions: Iterable[_Decision], deal: _Deal) -> Iterator[tuple[_Decision, int]]:
    """Give the decisions in order, each with the number of the hand that a split would form."""

    def turn(said: _Decision) -> tuple[int, int]:
        return deal.after(said.kind, said.hand, said.behind), _RANK[said.hand]

    newest: dict[int, int] = {}
    for said in sorted(decisions, key=turn):
        number = newest.get(said.hand.box, 1) + 1
        yield said, number
        if said.kind is CallKind.SPLIT:
            newest[said.hand.box] = max(number - 1, said.forms.formed if said.forms else number)


def _as_calls(decisions: Iterable[_Decision], deal: _Deal) -> Iterator[Call]:
    for said, number in _in_turn(decisions, deal):
        splits = said.kind is CallKind.SPLIT
        value = str(said.forms or box_hand(said.hand.box, number)) if splits else ""
        after = deal.after(said.kind, said.hand, said.behind)
        yield Call(said.kind, after, said.hand, said.bettor, value)


def _merged(decisions: Iterable[Call], told: Iterable[Call]) -> tuple[Call, ...]:
    """Put the decisions of the hands among the calls behind the bar, which keep their order."""
    waiting = deque(told)
    merged: list[Call] = []
    for decision in decisions:
        while waiting and _said_before(waiting[0], decision):
            merged.append(waiting.popleft())
        merged.append(decision)
    return (*merged, *waiting)


def _said_before(call: Call, decision: Call) -> bool:
    if call.after == decision.after:
        return call.kind in _BEFORE_DECISIONS
    return call.after < decision.after


def _read_items(text: str, game: Game, cards: int) -> tuple[list[Wager | Call], Circumstances]:
    items: list[Wager | Call] = []
    marks: dict[str, list[str]] = {}
    for item in filter(str.strip, text.replace("|", ",").split(",")):
        mark, *words = item.split()
        if mark.lower() not in _MARKS_WITH_WORDS:
            items.append(_read_item(" ".join([mark, *words]), game, cards))
        elif mark.lower() in marks or bool(words) != _MARKS_WITH_WORDS[mark.lower()]:
            follows = "words after it" if _MARKS_WITH_WORDS[mark.lower()] else "nothing after it"
            raise BadInput(f"{item.strip()!r} cannot be: {mark} stands once, with {follows}")
        else:
            marks[mark.lower()] = words
    return items, Circumstances(
        following=tuple(map(parse_card, marks.get("next", ()))),
        next_round_began="sealed" in marks,
        first_of_shoe="first" in marks,
        let_through_under_minimum=frozenset(map(_name, marks.get("before", ()))),
    )


def _read_item(item: str, game: Game, cards: int) -> Wager | Call:
    first, *words = item.split()
    head = _HEAD.fullmatch(first)
    if head is None:
        raise BadInput(f"{item!r} is neither a wager like alice:main@1 100 nor a call like void")
    bettor, name, at, after = head.groups()
    if _is_wager(name.lower(), after, words):
        kind = parse_wager_kind(name, game)
        box, formed = _BOX_OF_WAGER.fullmatch(at or ""), None
        if after is not None or not words or box is None:
            raise BadInput(f"{item!r} is not a wager: write {kind} 100, or {kind}@1 100 on a box")
        if at and box[2]:
            formed = _read_label(at)
        placed = _read_wager(item, kind, int(box[1]) if at else None, words)
        return replace(placed, bettor=bettor or "", hand=formed)
    hand = None if at is None else _read_label(at)
    if after is not None and not _COUNT.fullmatch(after):
        raise BadInput(f"{item!r} was said at no time: write after how many cards, like void#3")
    said_after = cards if after is None else int(after)
    return Call(parse_call_kind(name), said_after, hand, bettor or "", " ".join(words))


def _is_wager(kind: str, after: str | None, words: Sequence[str]) -> bool:
    """Tell a wager by its amount; yet `burn 3` is a call, and so is `insurance#4 50`."""
    if kind in _WAGERS_ONLY or kind in _CALLS_ONLY:
        return kind in _WAGERS_ONLY
    return after is None and bool(words) and bool(_LIKE_AN_AMOUNT.match(words[0]))


def _read_wager(item: str, kind: WagerKind, box: int | None, words: Sequence[str]) -> Wager:
    stake, settled, net = words[0].partition("=")
    match = _AFTER_STAKE.fullmatch(" ".join(words[1:]))
    if match is None:
        raise BadInput(
            f"{item!r} goes on after its stake: only late, settled#7 and for SOMEONE follow it"
        )
    late, after, behalf = match.groups()
    return Wager(
        bettor="",
        kind=kind,
        stake=parse_stake(stake or words[0]),
        net=parse_amount(net or words[0]) if settled else None,
        box=box,
        late=late is not None,
        on_behalf_of=_name(behalf) if behalf else None,
        settled_after=int(after) if after else None,
    )


def _name(text: str) -> str:
    """Give a bettor's name back if it can stand in the notation."""
    if text.split() != [text] or not set(text).isdisjoint(",|:"):
        raise BadInput(f"{text!r} cannot name a bettor here: no blanks, commas, bars or colons")
    return text


def format_counted_anew(played: Round) -> str:
    """Write a round of a shoe with its cards counted from 1: in turn, they then need no number."""
    cards = tuple(replace(seen, seq=place) for place, seen in enumerate(played.cards, 1))
    return format_round(replace(played, cards=cards))


def format_round(played: Round) -> str:
    """Write a round on its line, or refuse where the line would be read as another round."""
    if played.cards and (first := played.cards[0]).seq < 1:
        raise BadInput(f"card {first.seq}, {first.card}, cannot be written: places begin at 1")
    slots = _slots(played.cards)
    counted = [seen.seq for seen in played.cards] == list(range(1, len(slots) + 1))
    canonical = counted and slots == sorted(slots, key=_dealing_order)
    deal = _Deal(slots, places_given=not canonical)
    inside = _inside_hands(played.calls, deal)
    told = [call for turn, call in enumerate(played.calls) if turn not in inside]
    hands = _write_hands(played, inside.values(), deal)
    items = [_write_wager(wager) for wager in played.wagers]
    items += [_write_call(call, len(played.cards)) for call in told]
    items += _write_marks(played.around)
    return " | ".join([hands, ", ".join(items)] if items else [hands])


def _label(hand: Hand) -> str:
    if hand not in _LABELS:
        raise BadInput(f"hand {hand} cannot be written: no table has it")
    return _LABELS[hand]


def _inside_hands(calls: Sequence[Call], deal: _Deal) -> dict[int, _Decision]:
    """Choose the calls, by their turn, that are read back the same when they stand in hands."""
    possible = {turn: _as_decision(call, deal) for turn, call in enumerate(calls)}
    inside = {turn: decision for turn, decision in possible.items() if decision}
    while (misplaced := _misplaced(calls, inside, deal)) is not None:
        del inside[misplaced]
    return inside


def _as_decision(call: Call, deal: _Deal) -> _Decision | None:
    hand, splits = call.hand, call.kind is CallKind.SPLIT
    if call.kind not in DECISIONS or hand is None or hand.place is not Place.BOX:
        return None
    behind = deal.behind(call.kind, hand, call.after)
    forms = _BY_NAME.get(call.value) if splits else None
    if behind is None or "/" in call.bettor or call.value != str(forms or ""):
        return None
    if splits and (forms is None or not _is_split_of(hand.box, forms)):
        return None
    return _Decision(call.kind, hand, behind, call.bettor, forms)


def _misplaced(calls: Sequence[Call], inside: Mapping[int, _Decision], deal: _Deal) -> int | None:
    """Find a decision that would be read back at another turn than its own."""
    told = (call for turn, call in enumerate(calls) if turn not in inside)
    read_back = _merged(_as_calls(inside.values(), deal), told)
    for turn, (call, read) in enumerate(zip(calls, read_back, strict=True)):
        if call != read:
            # Told calls keep their order, so only a decision can stand where one of them belongs.
            too_early = (later for later in inside if later > turn and calls[later] == read)
            return turn if turn in inside else next(too_early)
    return None


def _write_hands(played: Round, decisions: Iterable[_Decision], deal: _Deal) -> str:
    spots: dict[Hand, list[str]] = {}
    for seen in played.cards:
        if seen.hand is not None:
            card = f"{seen.card}#{seen.seq}" if deal.places_given else f"{seen.card}"
            spots.setdefault(seen.hand, [_label(seen.hand)]).append(card)
    for said, number in _in_turn(decisions, deal):
        forms = f">{_label(said.forms)}" if said.forms and said.forms.formed != number else ""
        bettor = f":{_name(said.bettor)}" if said.bettor else ""
        spots[said.hand][said.behind] += f" {said.kind}{forms}{bettor}"
    if not any(hand.place in _GAMES for hand in spots):
        spots[_SAYS_ONLY_THE_GAME[played.game]] = [_label(_SAYS_ONLY_THE_GAME[played.game])]
    return " / ".join(" ".join(spots[hand]) for hand in sorted(spots, key=_RANK.__getitem__))


def _write_wager(wager: Wager) -> str:
    at = "" if wager.box is None else f"@{wager.box}"
    if wager.hand is not None and wager.hand.formed > 1:
        at = f"@{_label(wager.hand)}"
    text = f"{_write_head(wager.bettor, wager.kind, None)}{at} {_write_amount(wager.stake)}"
    if wager.net is not None:
        net = _write_amount(wager.net)
        text += f"=+{net}" if wager.net > 0 else f"={net}"
    behalf = "" if wager.on_behalf_of is None else f" for {_name(wager.on_behalf_of)}"
    late = " late" if wager.late else ""
    settled = "" if wager.settled_after is None else f" settled#{wager.settled_after}"
    return f"{text}{late}{settled}{behalf}"


def _write_head(bettor: str, kind: str, hand: Hand | None) -> str:
    return (f"{_name(bettor)}:" if bettor else "") + kind + (f"@{_label(hand)}" if hand else "")


def _write_amount(amount: Decimal) -> str:
    text = f"{amount:z.2f}".removesuffix(".00")
    if parse_amount(text) != amount:
        raise BadInput(f"an amount of {amount} cannot be written: it is finer than a cent")
    return text


def _write_call(call: Call, cards: int) -> str:
    words = call.value.split()
    if " ".join(words) != call.value or not set(call.value).isdisjoint(",|"):
        raise BadInput(f"{call.value!r} of {call.kind} cannot be written: commas, bars or blanks")
    if call.after < 0:
        raise BadInput(f"{call.kind} after {call.after} cards cannot be written: counts begin at 0")
    when = f"#{call.after}" if call.after != cards or _is_wager(call.kind, None, words) else ""
    return " ".join([_write_head(call.bettor, call.kind, call.hand) + when, *words])


def _write_marks(around: Circumstances) -> Iterator[str]:
    if around.following:
        yield " ".join(["next", *map(str, around.following)])
    if around.next_round_began:
        yield "sealed"
    if around.first_of_shoe:
        yield "first"
    if around.let_through_under_minimum:
        yield " ".join(["before", *map(_name, sorted(around.let_through_under_minimum))])
