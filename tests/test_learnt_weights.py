"""What was trained is found again in the files that read pictures."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from vision.training.half_digits import FEWEST, halve_digits
from vision.training.learnt_weights import EPSILON, is_learnt, keep_norms, learnt_weights


def test_weights_are_those_before_the_normalisation_was_multiplied_in(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    trained = {
        "model.0.conv.weight": rng.normal(size=(32, 8, 3, 3)),
        "model.0.bn.weight": rng.uniform(0.5, 2, 32),
        "model.0.bn.bias": rng.normal(size=32),
        "model.0.bn.running_mean": rng.normal(size=32),
        "model.0.bn.running_var": rng.uniform(0.5, 2, 32),
        "model.1.linear.weight": rng.normal(size=(5, 32)),
    }
    trained["model.0.bn.weight"][3] = 0
    gain = trained["model.0.bn.weight"] / np.sqrt(trained["model.0.bn.running_var"] + EPSILON)
    exported = {
        "network.model.0.conv.weight": trained["model.0.conv.weight"] * gain[:, None, None, None],
        "network.model.0.conv.bias": np.zeros(32),
        "network.model.1.linear.weight": trained["model.1.linear.weight"],
    }
    kept = [numpy_helper.from_array(each.astype(np.float32), key) for key, each in exported.items()]
    graph = onnx.helper.make_graph([], "tiny", [], [], kept)
    onnx.save(onnx.helper.make_model(graph), tmp_path / "reader.onnx")
    assert trained["model.0.conv.weight"].size > FEWEST
    halve_digits(tmp_path / "reader.onnx")

    assert not is_learnt(tmp_path, "reader")
    keep_norms(trained, tmp_path, "reader")
    assert is_learnt(tmp_path, "reader")
    assert {path.name for path in tmp_path.iterdir()} == {"reader.onnx", "reader.norms.npz"}
    learnt = learnt_weights(tmp_path, "reader")
    assert learnt.keys() == trained.keys()
    trained["model.0.conv.weight"][3] = 0  # what is shut off stays so
    for name, value in trained.items():
        assert learnt[name] == pytest.approx(value, rel=2e-3, abs=1e-5), name
