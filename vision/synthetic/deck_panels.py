"""What else is printed in the middle of faces: pictures of souvenir decks, words, large ranks."""

import cv2
import numpy as np

from vision.synthetic.deck_printing import Ink, Pixels, mixed, print_shape, resized

_WORDS = ("PLAYING CARDS", "LINEN FINISH", "CASINO QUALITY", "100% PLASTIC", "MADE WITH CARE",
          "CLUB SPECIAL", "GRAND HOTEL", "No. 808", "JUMBO INDEX", "BRIDGE SIZE")  # fmt: skip


def print_photo(picture: Pixels, rng: np.random.Generator) -> None:
    """Fill with something like a photograph: soft light, an horizon, shapes that mean nothing."""
    height, width = picture.shape[:2]
    cells = (int(rng.integers(3, 9)), int(rng.integers(3, 7)))
    tones = rng.integers(30, 235, (*cells, 1)) + rng.normal(
        0, float(rng.uniform(5, 35)), (*cells, 3)
    )
    rough = np.clip(tones + rng.normal(0, 20, 3), 0, 255)
    soft = cv2.resize(rough.astype(np.uint8), (width, height), interpolation=cv2.INTER_CUBIC)
    for _ in range(int(rng.integers(2, 9))):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        reach = (int(rng.integers(5, 50)), int(rng.integers(5, 50)))
        ink = tuple(int(tone) for tone in np.clip(rng.integers(256) + rng.normal(0, 40, 3), 0, 255))
        turned = float(rng.uniform(0, 180))
        if rng.random() < 0.5:
            cv2.ellipse(soft, (x, y), reach, turned, 0, 360, ink, -1, cv2.LINE_AA)
        else:
            cv2.rectangle(soft, (x, y), (x + reach[0], y + reach[1]), ink, -1)
    noise = rng.standard_normal((height, width, 1), np.float32) * np.float32(rng.uniform(2, 12))
    picture[:] = np.clip(soft + noise, 0, 255).astype(np.uint8)


def print_words(picture: Pixels, ink: Ink, rng: np.random.Generator) -> None:
    """Set the maker's words below and above the middle."""
    height, width = picture.shape[:2]
    words = _WORDS[int(rng.integers(len(_WORDS)))]
    face = cv2.FONT_HERSHEY_TRIPLEX if rng.random() < 0.5 else cv2.FONT_HERSHEY_SIMPLEX
    size = float(rng.uniform(0.28, 0.45))
    (wide, _), _ = cv2.getTextSize(words, face, size, 1)
    for share in (0.36, 0.66) if rng.random() < 0.5 else (0.7,):
        place = ((width - wide) // 2, round(height * share))
        cv2.putText(picture, words, place, face, size, ink, 1, cv2.LINE_AA)


def print_large_rank(picture: Pixels, rank: Pixels, ink: Ink, paper: Ink, share: float) -> None:
    """Set the rank large in the middle, often pale."""
    height, width = picture.shape[:2]
    factor = min(0.5 * height / rank.shape[0], 0.55 * width / rank.shape[1])
    large = resized(rank, rank.shape[1] * factor, rank.shape[0] * factor)
    left, top = (width - large.shape[1]) // 2, (height - large.shape[0]) // 2
    print_shape(picture, large, mixed(ink, paper, share), left, top)
