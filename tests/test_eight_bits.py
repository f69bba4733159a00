"""The networks as they are run count in eight bits, and say what those that were trained say."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from vision.boxes import overlaps
from vision.finder import Finder, Found
from vision.index_reader import IndexReader, softmax
from vision.index_turner import IndexTurner
from vision.model_files import FinderFile, Network, load_model_files, usual_folder
from vision.synthetic.crowded_tables import draw_crowded
from vision.synthetic.pictures import Picture
from vision.training.eight_bits import ROUNDED, file_of, round_networks

SURE = 0.95
DECKS = 50


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    return [draw_crowded(seed, DECKS, kept_out=True) for seed in range(4)]


@pytest.fixture(scope="module", params=["as shipped", "rounded anew"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both kinds: the weights of the project, and the same rounded here."""
    if request.param == "as shipped":
        return usual_folder()
    anew = tmp_path_factory.mktemp("models")
    for name in ROUNDED:
        shutil.copy(usual_folder() / f"{name}.onnx", anew)
    round_networks(anew, tables=3)
    return anew


def both(folder: Path, name: str) -> list[Network]:
    return [Network(folder / file, 1) for file in (f"{name}.onnx", file_of(name))]


def found_by(network: Network, picture: Picture) -> Found:
    return Finder(network, FinderFile("", "", threshold=0.1)).find(picture.image, (1.0,))


def test_what_is_asked_of_every_picture_is_run_rounded_and_the_rest_as_it_was_trained() -> None:
    run = {name: part.file for name, part in load_model_files().parts}
    assert {name for name, file in run.items() if ".int8." in file} == {*ROUNDED}
    assert run == {name: file_of(name) for name in run}


def test_they_are_smaller_and_leave_nothing_else_behind(folder: Path) -> None:
    for name in ROUNDED:
        rounded, whole = (
            (folder / file).stat().st_size for file in (file_of(name), f"{name}.onnx")
        )
        assert rounded < 0.7 * whole
    assert not list(folder.glob("*.unfinished"))


def test_they_find_the_same_indexes(folder: Path, pictures: list[Picture]) -> None:
    whole, rounded = both(folder, "finder")
    for picture in pictures:
        first, second = found_by(whole, picture), found_by(rounded, picture)
        sure = first.indexes[first.index_scores >= 0.5]
        assert len(sure) > 5
        shares = overlaps(sure, second.indexes).max(axis=1)
        assert (shares >= 0.7).mean() > 0.9
        assert np.median(shares) > 0.9


def test_they_tell_the_same_leans_and_places(folder: Path, pictures: list[Picture]) -> None:
    finder = Network(folder / "finder.onnx", 1)
    for picture in pictures:
        boxes = found_by(finder, picture).indexes
        first, second = (
            IndexTurner(network).turn_once(picture.image, boxes)
            for network in both(folder, "turner")
        )
        apart = np.abs((first.leans.likeliest - second.leans.likeliest + 180) % 360 - 180)
        assert np.median(apart) < 1
        assert (apart > 12).mean() < 0.1
        assert np.median(np.diag(overlaps(first.boxes, second.boxes))) > 0.95


def test_they_read_the_same_cards(folder: Path, pictures: list[Picture]) -> None:
    finder, turner = (Network(folder / f"{name}.onnx", 1) for name in ("finder", "turner"))
    read = []
    for network in both(folder, "reader"):
        said = []
        for picture in pictures:
            lying = IndexTurner(turner).turn(picture.image, found_by(finder, picture).indexes)
            leans = lying.leans.likeliest
            said.append(IndexReader(network).logits(picture.image, lying.boxes, leans))
        read.append(softmax(np.concatenate(said)))
    sure = read[0].max(axis=1) >= SURE
    assert sure.sum() > 40
    assert (read[0].argmax(axis=1) == read[1].argmax(axis=1))[sure].mean() > 0.98
    assert np.abs(read[0] - read[1]).max(axis=1).mean() < 0.05
