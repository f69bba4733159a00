"""What is found, set right and read: how each index lies, and what the reader says of it.

What is hard to read was mostly set right badly: a wide ten of which the nought alone was found
reads as a queen. So where the reader is in doubt, the turner looks again, closer, from where the
index is taken to lie, and it is read there, too. Neither look is the better one; what both say
together is right more often than either.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Boxes, Image, best_of_sharing, turned_shares
from vision.finder import MOST_OF_AN_INDEX, Found
from vision.index_reader import IndexReader, softmax
from vision.index_turner import IndexTurner, Lying

CLOSER: Final = 0.7
"""How large the box that the turner looks at again is by the one that it told."""


class Looked(NamedTuple):
    """Indexes as they lie by one look, and what the reader's network says of them there."""

    lying: Lying
    read: NDArray[np.float32]

    def only(self, which: NDArray[np.intp]) -> "Looked":
        """Some of them."""
        return Looked(self.lying.only(which), self.read[which])


class SetRight(NamedTuple):
    """Indexes, each once: as they lie, their scores, and what was seen of them at each look."""

    finds: NDArray[np.intp]
    """Which find each of them is."""
    lying: Lying
    """By the look at which the reader was surer of a card."""
    scores: NDArray[np.float32]
    first: Looked
    closer: Looked
    """The same as at first of those that were not looked at again."""
    twice: NDArray[np.bool_]
    """Which of them were."""

    def either(self, closer: NDArray[np.bool_]) -> Looked:
        """Each at one of both looks."""
        near = np.flatnonzero(closer)
        read = np.where(closer[:, None], self.closer.read, self.first.read)
        lying = self.first.lying.taking_over(near, self.closer.lying.only(near))
        return Looked(lying, read)

    def apart(self) -> "SetRight":
        """Those that are no other one again.

        The rank of an index and the whole of it may both have been found: set right, both are the
        whole.
        """
        shares = turned_shares(self.lying.boxes, self.lying.sizes, self.lying.leans.likeliest)
        which = best_of_sharing(shares, self.scores, MOST_OF_AN_INDEX)
        return SetRight(
            self.finds[which],
            self.lying.only(which),
            self.scores[which],
            self.first.only(which),
            self.closer.only(which),
            self.twice[which],
        )


def set_right(image: Image, found: Found, turner: IndexTurner, reader: IndexReader) -> SetRight:
    """Tell how the indexes lie that were found, and read them."""
    lying = turner.turn(image, found.indexes)
    finds = np.arange(len(found.indexes))
    unread = Looked(lying, np.zeros((len(finds), 0), np.float32))
    found_once = SetRight(finds, lying, found.index_scores, unread, unread, finds < 0)
    finds, lying, scores, _, _, twice = found_once.apart()
    first = Looked(lying, reader.logits(image, lying.boxes, lying.leans.likeliest))
    doubtful = np.flatnonzero(reader.doubtful(lying.boxes, lying.leans.likeliest, first.read))
    if not len(doubtful):
        return SetRight(finds, lying, scores, first, first, twice)
    near = turner.turn_once(image, middle_parts(lying.boxes[doubtful]))
    read = first.read.copy()
    read[doubtful] = reader.logits(image, near.boxes, near.leans.likeliest)
    twice[doubtful] = True
    closer = Looked(lying.taking_over(doubtful, near), read)
    surer = np.flatnonzero(_certainty(closer.read) > _certainty(first.read))
    settled = lying.taking_over(surer, closer.lying.only(surer))
    return SetRight(finds, settled, scores, first, closer, twice).apart()


def _certainty(read: NDArray[np.float32]) -> NDArray[np.float32]:
    """How surely each is read as some card."""
    return np.asarray(softmax(read)[:, :-1].max(axis=1, initial=0.0), np.float32)


def middle_parts(boxes: Boxes) -> Boxes:
    """The middle parts of boxes."""
    middles, half = (boxes[:, :2] + boxes[:, 2:]) / 2, (boxes[:, 2:] - boxes[:, :2]) / 2
    return np.asarray(np.hstack([middles - CLOSER * half, middles + CLOSER * half]), np.float32)
