"""Writes the networks of this folder by torch, and rows.json with their outputs by onnxruntime. It needs torch, onnx, onnxscript and
onnxruntime."""

import json

import onnx
import onnxruntime
import torch


class Standardised(torch.nn.Module):
    """Standardises its inputs, has hidden layers of sigmoids, and scales its output."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(6, 7), torch.nn.Sigmoid(), torch.nn.Linear(7, 4), torch.nn.Sigmoid(), torch.nn.Linear(4, 1))
        self.register_buffer("mean", torch.tensor([0, 1.4, 0.5, 1, 2, 0]))
        self.register_buffer("sd", torch.tensor([1.7, 0.6, 0.2, 0.6, 1.5, 1]))

    def forward(self, row):
        return (3 * self.layers((row - self.mean) / self.sd) - 1.5).squeeze()


def strip(path):
    """Removes what torch tells of the Python source, with its folder."""
    model = onnx.load(path)
    for part in (model, model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    onnx.save(model, path)


torch.manual_seed(1)
mlp = torch.nn.Sequential(torch.nn.Linear(6, 9), torch.nn.Tanh(), torch.nn.Linear(9, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))
flat, row = torch.zeros(6), torch.zeros(1, 6)
networks = {
    "gemm": (mlp, row, {"dynamo": False}),
    "matmul": (mlp, flat, {"dynamo": False}),
    "dynamo": (mlp, row, {"dynamo": True, "external_data": False}),
    "standardised": (Standardised(), flat, {"dynamo": False}),
    "standardised_dynamo": (Standardised(), flat, {"dynamo": True, "external_data": False}),
}
low, high = torch.tensor([-3, 0.3, 0.1, 0, 0.1, -1]), torch.tensor([3, 2.5, 0.9, 2, 5, 1])
rows = low + (high - low) * torch.rand(20, 6)
rows[:, 5] = torch.sign(rows[:, 5])
outputs = {}
for name, (module, dummy, settings) in networks.items():
    torch.onnx.export(module.eval(), (dummy,), f"{name}.onnx", **settings)
    strip(f"{name}.onnx")
    session = onnxruntime.InferenceSession(f"{name}.onnx")
    key = session.get_inputs()[0].name
    outputs[name] = [float(session.run(None, {key: x.reshape(dummy.shape).numpy()})[0].item()) for x in rows]
with open("rows.json", "w") as f:
    json.dump({"rows": rows.tolist(), "outputs": outputs}, f, indent=1)
    f.write("\n")
