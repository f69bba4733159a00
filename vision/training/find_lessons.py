"""Learning from what was doubted: what examiner and surveyor have to say beside the reader."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import Dataset

from vision.training.crop_training import Subject, loss_of_cards
from vision.training.doubtful_finds import REAL, SPARE, chances
from vision.training.glimpses import EXAMINED, FACE, glimpse_of_find
from vision.training.shards import UNREADABLE

BY_ITSELF: Final = 0.4
"""What it weighs how wrong one is by itself, beside how wrong it is with the reader."""
OF_THE_READER: Final = 0.7
BESIDE_THE_READER: Final = 0.4
"""What the reader's word and the other's weigh together while the other learns."""


class Finds(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """All finds of some lots. What belongs to each is its number, and what the reader said."""

    def __init__(self, files: Sequence[Path], subject: Subject, seed: int) -> None:
        """Read the files; they stay in memory."""
        self.subject = subject
        self._seed = seed
        self._squares: list[NDArray[np.uint8]] = []
        numbers, heights, promised, read, real = [], [], [], [], []
        for file in files:
            with np.load(file) as stored:
                if subject is Subject.EXAMINING:
                    self._squares.extend(stored["upright"])
                else:
                    self._squares.extend(np.split(stored["faces"], stored["face_ends"])[:-1])
                numbers.append(stored["numbers"])
                heights.append(stored["heights"])
                promised.append(stored["promised"])
                read.append(stored["read"].astype(np.float32))
                real.append(np.full(len(numbers[-1]), file.name.startswith(REAL)))
        self._numbers, self._heights, self._promised, self._read, self._real = map(
            np.concatenate, (numbers, heights, promised, read, real)
        )

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, at: int) -> tuple[torch.Tensor, torch.Tensor]:
        rng = np.random.default_rng((self._seed, int(torch.randint(2**31, ()).item())))
        square, looked_at = self._squares[at], EXAMINED
        if self.subject is Subject.SURVEYING:
            square = np.asarray(cv2.imdecode(square, cv2.IMREAD_COLOR), np.uint8)
            looked_at = FACE
        seen = glimpse_of_find(square, looked_at, SPARE, float(self._heights[at]), rng)
        planes = np.ascontiguousarray(seen[..., ::-1].transpose(2, 0, 1))
        truth = np.append(np.float32(self._numbers[at]), self._read[at])
        return torch.from_numpy(planes), torch.from_numpy(truth)

    def weights(self) -> NDArray[np.float64]:
        """How often each find is seen."""
        return chances(self._read, self._promised, self._real, self._numbers == UNREADABLE)

    def loss(self, said: torch.Tensor, truths: torch.Tensor) -> tuple[torch.Tensor, float]:
        """How wrong the cards are that are told by itself, and by the reader and it together."""
        loss, _ = loss_of_cards(said, truths)
        numbers, read = truths[:, 0].long(), truths[:, 1:]
        both = OF_THE_READER * read + BESIDE_THE_READER * said
        right = float((both.argmax(1) == numbers).float().mean())
        return BY_ITSELF * loss + torch.nn.functional.cross_entropy(both, numbers), right
