"""Reviews: what people made of findings, chained so that a missing or altered row shows.

The hash of a review is taken over the hash before it and the row's own text. Whoever can write the
file could also chain it anew, so note the last hash elsewhere, for instance in the morning report:
`verify_reviews(known_hash=…)` then also shows whether reviews at the end were cut off.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from audit.errors import BadInput

NO_HASH = "0" * 64
"""What the first review follows."""


class Opinion(StrEnum):
    CONFIRMED = "confirmed"
    """The rules were broken as the finding says."""
    DISMISSED = "dismissed"
    """They were not: it stays on record and counts no more."""
    OPEN = "open"
    """Somebody else has to look."""


@dataclass(frozen=True, slots=True)
class Review:
    review_id: int
    finding_id: str
    reviewer: str
    at_ts: datetime
    verdict: str
    reason: str
    facts_hash: str
    previous_hash: str
    hash: str

    @property
    def right_hash(self) -> str:
        """The hash that this row must have, if nothing in it was altered."""
        text = json.dumps(
            [
                self.previous_hash,
                self.review_id,
                self.finding_id,
                self.reviewer,
                self.at_ts.astimezone(UTC).isoformat(timespec="microseconds"),
                self.verdict,
                self.reason,
                self.facts_hash,
            ],
            ensure_ascii=True,
        )
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ChainCheck:
    reviews: int
    last_hash: str
    broken_at: int | None = None
    """The number of the first review that does not follow from those before it."""
    why: str = ""

    @property
    def whole(self) -> bool:
        return self.broken_at is None


def check_chain(reviews: Iterable[Review], known_hash: str | None = None) -> ChainCheck:
    """Find the first broken link among reviews, which stand in the order of their numbers."""
    count, last_hash = 0, NO_HASH
    met = {NO_HASH}
    for review in reviews:
        count += 1
        why = _break(review, count, last_hash)
        if why:
            return ChainCheck(count, last_hash, count, why)
        last_hash = review.hash
        met.add(last_hash)
    if known_hash is not None and known_hash not in met:
        why = f"the review with hash {known_hash} is not there: reviews were removed from the end"
        return ChainCheck(count, last_hash, count + 1, why)
    return ChainCheck(count, last_hash)


def _break(review: Review, expected_id: int, last_hash: str) -> str:
    if review.review_id != expected_id:
        return f"review {expected_id} is missing: the next one is {review.review_id}"
    if review.hash != review.right_hash:
        return f"review {expected_id} was altered: its text does not give its hash"
    if review.previous_hash != last_hash:
        return f"review {expected_id} does not follow the one before it: one of them was replaced"
    return ""


def check_review(reviewer: str, verdict: Opinion, reason: str, at: datetime) -> None:
    """Refuse a review that does not say who, when and why."""
    if not reviewer.strip():
        raise BadInput("a review needs the name of its reviewer")
    if not reason.strip():
        raise BadInput(f"say why the finding is {verdict}: a review needs a reason")
    if at.tzinfo is None:
        raise BadInput(f"the time of a review needs its zone: {at} has none")
    for text in (reviewer, reason):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInput(f"{text!r} cannot be stored: it is not Unicode text") from None


def facts_hash(facts: Iterable[object]) -> str:
    """Hash the facts of a finding, in the order of its columns."""
    texts = [
        fact.astimezone(UTC).isoformat(timespec="microseconds")
        if isinstance(fact, datetime)
        else None
        if fact is None
        else str(fact)
        for fact in facts
    ]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()
