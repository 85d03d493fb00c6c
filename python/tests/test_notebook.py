"""A notebook goes from a data frame to a figure."""

import pytest

CELLS = (
    "import likc\ntrials = likc.simulate('ddm', theta=dict(v=1, a=1.2, z=0.45, t=0.3), n=300, seed=1)\ntype(trials).__module__",
    "fit = likc.fit(trials, 'ddm')\nfit",
    "fit.plot()",
)


def test_notebook_from_data_frame_to_figure(tmp_path):
    pytest.importorskip("pandas")
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python", "language": "python"}
    nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    frame, fit, figure = (cell.outputs[-1].data for cell in notebook.cells)
    assert "pandas" in frame["text/plain"]
    assert "<table" in fit["text/html"] and "<svg" in fit["text/html"]
    assert "<svg" in figure["image/svg+xml"]
