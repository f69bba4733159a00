"""What is found, set right and read: how each index lies, and what the reader says of it.

What is hard to read was mostly set right badly: a wide ten of which the nought alone was found
reads as a queen. So where the reader is in doubt, the turner looks again from where the index is
taken to lie, and it is read there.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.boxes import Image, best_of_sharing, turned_shares
from vision.finder import MOST_OF_AN_INDEX, Found
from vision.index_reader import IndexReader, softmax
from vision.index_turner import IndexTurner, Lying

SURELY_READ: Final = 0.9
"""What is read as surely as that is not looked at again."""


class SetRight(NamedTuple):
    """Indexes as they lie, each once; their scores, and what the reader's network says of them."""

    lying: Lying
    scores: NDArray[np.float32]
    read: NDArray[np.float32]

    def apart(self) -> "SetRight":
        """Those that are no other one again.

        The rank of an index and the whole of it may both have been found: set right, both are the
        whole.
        """
        lying = self.lying
        shares = turned_shares(lying.boxes, lying.sizes, lying.leans.likeliest)
        which = best_of_sharing(shares, self.scores, MOST_OF_AN_INDEX)
        return SetRight(lying.only(which), self.scores[which], self.read[which])


def set_right(image: Image, found: Found, turner: IndexTurner, reader: IndexReader) -> SetRight:
    """Tell how the indexes lie that were found, and read them."""
    lying = turner.turn(image, found.indexes)
    unread = np.zeros((len(found.indexes), 0), np.float32)
    lying, scores, _ = SetRight(lying, found.index_scores, unread).apart()
    read = reader.logits(image, lying.boxes, lying.leans.likeliest)
    doubtful = np.flatnonzero(softmax(read).max(axis=1) < SURELY_READ)
    if not len(doubtful):
        return SetRight(lying, scores, read)
    again = turner.turn_once(image, lying.boxes[doubtful])
    lying.take_over(doubtful, again)
    read[doubtful] = reader.logits(image, again.boxes, again.leans.likeliest)
    return SetRight(lying, scores, read).apart()
