"""Networks in ONNX: what likc writes means the same to onnxruntime, and what torch writes means the same to likc."""

import likc
import numpy as np
import pytest
from likc import program

onnxruntime = pytest.importorskip("onnxruntime")

NAMES = ("v", "a", "z", "t")
LOWER, UPPER = np.array([-3, 0.3, 0.1, 0]), np.array([3, 2.5, 0.9, 2])


def agree(path, model, tmp_path):
    """Compares a file with a teacher of the same network, at ten parameter vectors."""
    session = onnxruntime.InferenceSession(path)
    name, rng = session.get_inputs()[0].name, np.random.default_rng(1)
    for _ in range(10):
        theta = rng.uniform(LOWER, UPPER)
        rt, choice = theta[3] + rng.uniform(0.05, 3, 40), rng.choice([-1.0, 1.0], 40)
        likc.eval({"rt": rt, "choice": choice}, model, dict(zip(NAMES, theta.tolist())), per_trial=tmp_path / "each.csv")
        each = np.array([float(line) for line in (tmp_path / "each.csv").read_text().split()[1:]])
        rows = np.column_stack([np.tile(theta, (40, 1)), rt, choice]).astype(np.float32)
        outputs = np.array([session.run(None, {name: row[None]})[0].item() for row in rows])
        above = outputs > -16  # likc raises smaller densities of its own networks to a floor
        assert above.sum() > 10
        assert np.all(np.abs(each - outputs)[above] <= 1e-5 * np.maximum(1, np.abs(outputs[above])))


def test_onnxruntime_reads_what_likc_writes(tmp_path):
    lan, path = tmp_path / "lan", tmp_path / "lan.onnx"
    program.run("teacher", "train", "--kind", "lan", "--subjects", "40", "--trials", "50", "--epochs", "2", "-o", lan)
    program.run("teacher", "copy", lan, "-o", path)
    agree(path, lan, tmp_path)


def test_likc_reads_what_torch_writes(tmp_path):
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(6, 20), torch.nn.Tanh(), torch.nn.Linear(20, 10), torch.nn.Sigmoid(), torch.nn.Linear(10, 1))
    path, lan = tmp_path / "torch.onnx", tmp_path / "lan"
    torch.onnx.export(net, (torch.zeros(1, 6),), path, dynamo=False)
    program.run("teacher", "copy", path, "--model", "ddm", "-o", lan)
    agree(path, lan, tmp_path)
