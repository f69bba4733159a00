"""Training the networks that look at one index: from patches to weights, with checkpoints."""

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler
from ultralytics.nn.tasks import ClassificationModel

from vision.cards import CARDS, RANKS, SUITS
from vision.index_crops import CROP_SIDE, EXAMINED_SIDE, FACE_SIDE
from vision.index_turner import PLACE, STEPS, shares_of
from vision.training.glimpses import glimpse_as_it_lies, glimpse_of_face, glimpse_upright
from vision.training.learnt_weights import Weights
from vision.training.shards import UNREADABLE
from vision.training.widening import widened

BATCH: Final = 48
PEAK_RATE: Final = 2e-3
GOING_ON_RATE: Final = 8e-4
"""Of a network that has learnt already."""
DECAY: Final = 0.02
SMOOTHING: Final = 0.02
BESIDES: Final = 0.5
PLACES: Final = 4.0
"""How much a place told wrongly weighs beside a wrong lean."""
NEAR: Final = 0.15
WARM_UP: Final = 0.01
AVERAGED_OVER: Final = 800
UNREADABLE_SHARE: Final = 0.18
BATCHES_BETWEEN_CHECKPOINTS: Final = 500
TOLD: Final = ("corners", "numbers", "heights", "found", "lying")
"""What is kept of every patch beside its picture."""


class Subject(StrEnum):
    """What is learnt from patches."""

    READING = "reader"
    TURNING = "turner"
    EXAMINING = "examiner"
    SURVEYING = "surveyor"

    @property
    def side(self) -> int:
        """Pixels of the squares that are looked at."""
        return {Subject.EXAMINING: EXAMINED_SIDE, Subject.SURVEYING: FACE_SIDE}.get(self, CROP_SIDE)

    def new_network(self) -> ClassificationModel:
        """A network that has learnt nothing yet."""
        described = Path(__file__).with_name(f"{self}.yaml")
        classes = STEPS + PLACE if self is Subject.TURNING else len(CARDS) + 1
        return ClassificationModel(str(described), nc=classes, verbose=False)


class Lessons(Protocol):
    """Squares with what is right of each, seen anew every time one is asked for."""

    subject: Subject

    def __len__(self) -> int: ...

    def __getitem__(self, at: int) -> tuple[torch.Tensor, torch.Tensor]: ...

    def weights(self) -> NDArray[np.float64]:
        """How often each is seen."""

    def loss(self, said: torch.Tensor, truths: torch.Tensor) -> tuple[torch.Tensor, float]:
        """How wrong it is what was said of some, and the share of them that is right."""


class Patches(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """All patches of some files, each seen anew every time it is asked for.

    What belongs to a patch is the number of its card, or the degrees by which it leans and the four
    numbers of its place.
    """

    def __init__(self, files: Sequence[Path], subject: Subject, seed: int) -> None:
        """Read the files; they stay in memory."""
        self.subject = subject
        # One file after the other: together they would for a moment need twice the room.
        parts = [_part(file, subject) for file in files]
        self.pictures = [part["pictures"] for part in parts]
        self.first = np.cumsum([0, *(len(part) for part in self.pictures)])
        self.corners, self.numbers, self.heights, self.found, self.lying = (
            np.concatenate([part[name] for part in parts]) for name in TOLD
        )
        self.seed = seed

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, at: int) -> tuple[torch.Tensor, torch.Tensor]:
        rng = np.random.default_rng((self.seed, int(torch.randint(2**31, ()).item())))
        file = int(np.searchsorted(self.first, at, side="right")) - 1
        patch, corners = self.pictures[file][at - self.first[file]], self.corners[at]
        height, lying = float(self.heights[at]), self.lying[at]
        truth = self.numbers[at : at + 1]
        if self.subject is Subject.TURNING:
            crop, truth = glimpse_as_it_lies(patch, corners, height, self.found[at], rng)
        elif self.subject is Subject.READING:
            crop = glimpse_upright(patch, corners, height, lying, rng)
        else:
            face = np.asarray(cv2.imdecode(patch, cv2.IMREAD_COLOR), np.uint8)
            crop = glimpse_of_face(face, height, rng, as_told=bool(np.isfinite(lying).all()))
        planes = np.ascontiguousarray(crop[..., ::-1].transpose(2, 0, 1))
        return torch.from_numpy(planes), torch.from_numpy(truth)

    def weights(self) -> NDArray[np.float64]:
        """How often each patch is seen: every card alike, what cannot be read a fixed share."""
        counts = np.bincount(self.numbers, minlength=len(CARDS) + 1)
        unreadable = 0.0 if self.subject is Subject.TURNING else UNREADABLE_SHARE
        shares = np.full(len(CARDS) + 1, (1 - unreadable) / len(CARDS))
        shares[UNREADABLE] = unreadable
        by_number = np.divide(shares, counts, out=np.zeros_like(shares), where=counts > 0)
        return np.asarray(by_number[self.numbers])

    def loss(self, said: torch.Tensor, truths: torch.Tensor) -> tuple[torch.Tensor, float]:
        """How wrong the leans or the cards are."""
        turning = self.subject is Subject.TURNING
        return (loss_of_leans if turning else loss_of_cards)(said, truths)


def _part(file: Path, subject: Subject) -> dict[str, Any]:
    """What a subject takes from the patches of a file; what cannot be read has no lean."""
    with np.load(file) as stored:
        kept = stored["numbers"] < (UNREADABLE if subject is Subject.TURNING else UNREADABLE + 1)
        part: dict[str, Any] = {name: stored[name][kept] for name in TOLD}
        if subject is Subject.SURVEYING:
            part["pictures"] = np.split(stored["faces"], stored["face_ends"][:-1])
        else:
            part["pictures"] = stored["images"][kept]
    return part


@dataclass(slots=True)
class Progress:
    """How far a training is; what a checkpoint holds beside the weights."""

    batches: int
    of: int
    loss: float
    right: float


def train_on_crops(
    lessons: Lessons,
    checkpoint: Path,
    batches: int,
    *,
    seed: int,
    tell: Callable[[Progress], None],
    start: Weights | None = None,
    going_on_rate: float = GOING_ON_RATE,
    workers: int = 1,
    minutes: float | None = None,
) -> ClassificationModel:
    """Train for so many batches in all, going on from the checkpoint if there is one.

    Otherwise it begins with the weights to start from, or with none.
    """
    torch.manual_seed(seed)
    subject = lessons.subject
    model = subject.new_network()
    averaged = deepcopy(model).eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, weight_decay=DECAY)
    done = 0
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(kept["model"])
        averaged.load_state_dict(kept["averaged"])
        optimizer.load_state_dict(kept["optimizer"])
        done = kept["batches"]
        torch.manual_seed(seed + done)
    elif start is not None:
        taken_over = widened(start, as_arrays(model), seed)
        model.load_state_dict({name: torch.tensor(each) for name, each in taken_over.items()})
        averaged.load_state_dict(model.state_dict())
    if done >= batches:
        return averaged
    sampler = WeightedRandomSampler(lessons.weights().tolist(), (batches - done) * BATCH)
    loader = DataLoader(
        lessons,
        BATCH,
        sampler=sampler,
        num_workers=workers,
        drop_last=True,
        persistent_workers=False,
    )
    model.train()
    model = model.to(memory_format=torch.channels_last)
    loss_so_far, right_so_far, until = 0.0, 0.0, time.monotonic() + 60 * (minutes or 1e6)
    for since_start, (images, truths) in enumerate(loader, 1):
        for group in optimizer.param_groups:
            group["lr"] = (going_on_rate if start else PEAK_RATE) * _rate(done / batches)
        given = images.float().div_(255).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            said = model(given)
        loss, right = lessons.loss(said.float(), truths)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        done += 1
        _average(averaged, model, min(1 - 1 / AVERAGED_OVER, (1 + done) / (10 + done)))
        loss_so_far += (float(loss.detach()) - loss_so_far) / min(since_start, 100)
        right_so_far += (right - right_so_far) / min(since_start, 100)
        if done % 10 == 0:
            tell(Progress(done, batches, loss_so_far, right_so_far))
        stop = time.monotonic() > until
        if done % BATCHES_BETWEEN_CHECKPOINTS == 0 or done == batches or stop:
            _keep(checkpoint, model, averaged, optimizer, done)
        if stop:
            break
    return averaged


def as_arrays(network: ClassificationModel) -> Weights:
    """All that a network has learnt."""
    return {name: each.numpy() for name, each in network.state_dict().items()}


def loss_of_leans(said: torch.Tensor, truths: torch.Tensor) -> tuple[torch.Tensor, float]:
    """How far the steps said are from the two that a lean lies between, and places from theirs.

    Besides, how many are near in both.
    """
    steps, places = said[:, :STEPS], said[:, STEPS:]
    wanted = torch.from_numpy(shares_of(truths[:, 0].numpy()))
    apart = (steps.argmax(1) - wanted.argmax(1)).abs()
    off = (places - truths[:, 1:]).abs()
    near = (torch.minimum(apart, STEPS - apart) <= 1) & (off.amax(1) < NEAR)
    loss = torch.nn.functional.cross_entropy(steps, wanted) + PLACES * off.mean()
    return loss, float(near.float().mean())


def loss_of_cards(said: torch.Tensor, truths: torch.Tensor) -> tuple[torch.Tensor, float]:
    """How wrong the card is, and besides how wrong its rank and its suit alone.

    Rank and suit are learnt sooner than the card, and bring it along.
    """
    numbers = truths[:, 0].long()
    whole = torch.nn.functional.cross_entropy(said, numbers, label_smoothing=SMOOTHING)
    right = float((said.argmax(1) == numbers).float().mean())
    readable = numbers < UNREADABLE
    if not bool(readable.any()):
        return whole, right
    cards = said[readable][:, :UNREADABLE].reshape(-1, len(RANKS), len(SUITS))
    cards = cards - cards.logsumexp(dim=(1, 2), keepdim=True)
    truth = numbers[readable]
    ranks = torch.nn.functional.nll_loss(cards.logsumexp(dim=2), truth // len(SUITS))
    suits = torch.nn.functional.nll_loss(cards.logsumexp(dim=1), truth % len(SUITS))
    return whole + BESIDES * (ranks + suits), right


def _rate(share: float) -> float:
    """The learning rate by its peak: a short rise, then half a cosine down."""
    if share < WARM_UP:
        return 0.02 + 0.98 * share / WARM_UP
    along = (share - WARM_UP) / (1 - WARM_UP)
    return 0.005 + 0.995 * 0.5 * (1 + float(np.cos(np.pi * along)))


@torch.no_grad()
def _average(averaged: ClassificationModel, model: ClassificationModel, keep: float) -> None:
    new = model.state_dict()
    for name, value in averaged.state_dict().items():
        if value.dtype.is_floating_point:
            value.mul_(keep).add_(new[name].detach(), alpha=1 - keep)
        else:
            value.copy_(new[name])


def _keep(
    checkpoint: Path,
    model: ClassificationModel,
    averaged: ClassificationModel,
    optimizer: torch.optim.Optimizer,
    done: int,
) -> None:
    unfinished = checkpoint.with_suffix(".unfinished")
    torch.save(
        {
            "model": model.state_dict(),
            "averaged": averaged.state_dict(),
            "optimizer": optimizer.state_dict(),
            "batches": done,
        },
        unfinished,
    )
    unfinished.replace(checkpoint)
