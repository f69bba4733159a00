"""The weights in `models/`: what belongs to them, whether they are whole, and how they are run.

`models.json` lies beside the weights and says all that reading a picture needs besides them:

    {
      "finder": {"file": "finder.int8.onnx", "sha256": "…", "threshold": 0.3,
                 "doubted_from": 0.06, "back_threshold": 0.5, "overlap": 0.5,
                 "longest_side": 1600},
      "turner": {"file": "turner.int8.onnx", "sha256": "…"},
      "reader": {"file": "reader.int8.onnx", "sha256": "…", "temperature": 1.2, "sure_from": 0.97,
                 "weight": 0.7, "readable": 0.5, "by_score": 1.1, "by_reading": 0.8,
                 "by_card": 0.2, "offset": 2.0, "believed": 0.5},
      "examiner": {"file": "examiner.onnx", "sha256": "…", "weight": 0.5},
      "surveyor": {"file": "surveyor.onnx", "sha256": "…", "weight": 0.4}
    }

This is the only file that knows in which framework the weights run.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from audit.errors import CatwalkError
from vision.index_belief import Belief

DESCRIPTION = "models.json"
THREADS = 2
READABLE = 0.5
"""The probability from which on an index is called readable."""
SURE_FROM = 0.99
"""Where the reader is as sure as that, nobody looks again."""


class BadModel(CatwalkError):
    """Weights that are missing, damaged or not of the kind that is needed."""


@dataclass(frozen=True, slots=True)
class FinderFile:
    """The weights that find indexes and card backs, and how far they are to be believed."""

    file: str
    sha256: str
    threshold: float = 0.3
    """From which score on something is an index, by both looks at it if it is doubtful."""
    doubted_from: float = 0.06
    """From which score on something is looked at again."""
    back_threshold: float = 0.5
    """From which score on something is the back of a card."""
    overlap: float = 0.5
    """Two boxes round backs that share more than this of their area are one find."""
    longest_side: int = 1600
    """Pictures that are longer are shrunk to this many pixels."""


@dataclass(frozen=True, slots=True)
class TurnerFile:
    """The weights that tell how far an index leans."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ReaderFile:
    """The weights that read an index, and the temperature that makes their word good."""

    file: str
    sha256: str
    temperature: float = 1.0
    sure_from: float = SURE_FROM
    """Where it is as sure as that, examiner and surveyor are not asked."""
    weight: float = 1.0
    """What its word weighs beside theirs."""
    readable: float = READABLE
    """An index is called readable from this probability on."""
    by_score: float = 1.0
    by_reading: float = 1.0
    by_card: float = 0.0
    offset: float = 0.0
    """What the finder's score and the reader's word weigh in whether a find is an index."""
    believed: float = 0.0
    """How likely a find has to be an index."""

    @property
    def belief(self) -> Belief:
        """How likely a find is an index."""
        return Belief(self.by_score, self.by_reading, self.by_card, self.offset)


@dataclass(frozen=True, slots=True)
class SecondLookFile:
    """The weights that look again where the reader is in doubt, and what their word weighs."""

    file: str
    sha256: str
    weight: float = 0.5


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A folder with the weights, checked."""

    folder: Path
    finder: FinderFile
    turner: TurnerFile
    reader: ReaderFile
    examiner: SecondLookFile
    surveyor: SecondLookFile

    @property
    def parts(self) -> tuple[tuple[str, "Described"], ...]:
        """What belongs to each network, with the network's name."""
        return (
            ("finder", self.finder),
            ("turner", self.turner),
            ("reader", self.reader),
            ("examiner", self.examiner),
            ("surveyor", self.surveyor),
        )


class Network:
    """Weights ready to run: an array in, an array out."""

    def __init__(self, path: Path, threads: int = THREADS) -> None:
        """Load the weights; `threads` is how many processors one run may use."""
        # Imported here, for cutting out indexes to train with needs none of it.
        import onnxruntime  # type: ignore[import-untyped, unused-ignore]

        states = onnxruntime.capi.onnxruntime_pybind11_state
        refusals = (
            states.Fail,
            states.InvalidArgument,
            states.InvalidGraph,
            states.InvalidProtobuf,
            states.NoSuchFile,
            states.NotImplemented,
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Waiting threads that keep a processor busy slow down whatever runs next to them.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
        except refusals as problem:
            reason = str(problem).splitlines()[0]
            raise BadModel(f"{path} does not hold weights that can be run: {reason}") from None
        taken = self._session.get_inputs()[0]
        self._name = str(taken.name)
        self.input_shape: tuple[int | None, ...] = tuple(
            side if isinstance(side, int) else None for side in taken.shape
        )
        """What it takes; None where any size will do."""

    def run(self, given: NDArray[np.float32]) -> NDArray[np.float32]:
        """Put an array through; only the first output counts."""
        first = self._session.run(None, {self._name: given})[0]
        return np.asarray(first, dtype=np.float32)


def usual_folder() -> Path:
    """Where the weights lie: inside the installed package, or beside it in the project."""
    packed = Path(__file__).parent / "models"
    return packed if packed.is_dir() else Path(__file__).parents[1] / "models"


def load_model_files(folder: Path | None = None) -> ModelFiles:
    """Read the description, and make sure that the weights are those that it describes."""
    folder = folder or usual_folder()
    path = folder / DESCRIPTION
    try:
        described = json.loads(path.read_text("utf-8"))
    except OSError as problem:
        raise BadModel(
            f"there are no weights in {folder}: {DESCRIPTION} cannot be read ({problem.strerror})"
        ) from None
    except ValueError as problem:
        raise BadModel(f"{path} is not JSON: {problem}") from None
    if not isinstance(described, dict):
        raise BadModel(f"{path} has to hold an object with {_NAMES}")
    files = ModelFiles(
        folder,
        _read_part(described, "finder", FinderFile, path),
        _read_part(described, "turner", TurnerFile, path),
        _read_part(described, "reader", ReaderFile, path),
        _read_part(described, "examiner", SecondLookFile, path),
        _read_part(described, "surveyor", SecondLookFile, path),
    )
    if not files.reader.temperature > 0:
        raise BadModel(f"{path}, reader: the temperature has to be above 0")
    for _, described_part in files.parts:
        _check(folder / described_part.file, described_part.sha256)
    return files


def write_model_files(files: ModelFiles) -> None:
    """Write the description of weights that lie in the folder, with their checksums as they are."""
    described = {name: asdict(part) for name, part in files.parts}
    for part in described.values():
        part["sha256"] = checksum(files.folder / str(part["file"]))
    text = json.dumps(described, indent=2) + "\n"
    (files.folder / DESCRIPTION).write_text(text, "utf-8")


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Described = FinderFile | TurnerFile | ReaderFile | SecondLookFile
Part = TypeVar("Part", FinderFile, TurnerFile, ReaderFile, SecondLookFile)
_NAMES = "finder, turner, reader, examiner and surveyor"


def _read_part(described: Mapping[str, object], name: str, kind: type[Part], path: Path) -> Part:
    given = described.get(name)
    if not isinstance(given, dict):
        raise BadModel(f"{path} does not describe the {name}")
    values: dict[str, str | float] = {}
    for field in fields(kind):
        if field.name not in given:
            if field.name in ("file", "sha256"):
                raise BadModel(f"{path}, {name}: {field.name} is missing")
            continue
        value = given[field.name]
        is_text = field.name in ("file", "sha256")
        if not isinstance(value, str if is_text else int | float) or isinstance(value, bool):
            kind_of = "text" if is_text else "a number"
            raise BadModel(f"{path}, {name}: {field.name} has to be {kind_of}, not {value!r}")
        values[field.name] = value
    if unknown := given.keys() - {field.name for field in fields(kind)}:
        raise BadModel(f"{path}, {name}: {min(unknown)} is not known")
    return kind(**values)  # type: ignore[arg-type]


def _check(path: Path, expected: str) -> None:
    try:
        found = checksum(path)
    except OSError as problem:
        raise BadModel(f"the weights {path} cannot be read: {problem.strerror}") from None
    if found != expected.lower():
        raise BadModel(
            f"the weights {path} are damaged or not those of {DESCRIPTION}: their SHA-256 is "
            f"{found[:12]}…, it should be {expected[:12]}…"
        )
