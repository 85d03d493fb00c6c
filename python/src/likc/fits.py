"""Fits: folders that the program wrote, with their draws and figures."""

import csv
import json
import re
import shutil
import tempfile
import weakref
from pathlib import Path

import numpy as np

from . import program, tables

# columns of draws that are not parameters, and their names in ArviZ
_SAMPLE_STATS = {
    "lp__": "lp", "accept_stat__": "acceptance_rate", "stepsize__": "step_size", "treedepth__": "tree_depth",
    "n_leapfrog__": "n_steps", "divergent__": "diverging", "energy__": "energy",
}


def new_folder():
    """Return the path of a temporary folder for a fit, and the function that removes it."""
    parent = tempfile.mkdtemp(prefix="likc-")
    return Path(parent) / "fit", lambda: shutil.rmtree(parent, ignore_errors=True)


def read_fit(folder):
    """Open a fit in a folder that ``likc fit -o`` or ``likc.fit(..., output=...)`` wrote."""
    return Fit(folder)


class Fit:
    """A fit of one participant, of all trials, or of a study.

    Attributes:
        folder: where the files of the fit are; ``docs/how-to/fit.md`` explains each.
        text: the table and the diagnostics as the program prints them.
    """

    def __init__(self, folder, text="", remove=None):
        self.folder, self.text = Path(folder), text
        if not self.folder.is_dir():
            raise program.Error(f"{folder}: there is no such folder of a fit")
        if remove:
            self._remove = weakref.finalize(self, remove)

    @property
    def info(self):
        """What summary.json says: model, priors, settings, diagnostics, warnings, and how the fit came about."""
        return json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))

    @property
    def subjects(self):
        """The fits of the subjects, by label, of a fit with ``subject=`` and without formulas with groups; else an empty dictionary."""
        path = self.folder / "subjects.csv"
        if not path.exists():
            return {}
        out = {}
        for summary in sorted(self.folder.glob("*/summary.json")):
            one = Fit(summary.parent)
            one._parent = self  # keeps a temporary folder
            out[one.info.get("subject", summary.parent.name)] = one
        return out

    def summary(self):
        """Return a table of the parameters: mean, sd, quantiles, MCSE, R-hat and effective sample sizes.

        It is a pandas data frame indexed by parameter (by subject, for a fit of many), or a dictionary without pandas.
        """
        if (self.folder / "subjects.csv").exists():
            columns = tables.read(self.folder / "subjects.csv")
            return tables.frame(columns, index=next(iter(columns)))
        params = self.info["params"]
        names = list(dict.fromkeys(key for values in params.values() for key in values))
        columns = {"parameter": list(params)}
        columns.update({key: [values.get(key) for values in params.values()] for key in names})
        frame = tables.frame(columns, index="parameter")
        return params if frame is columns else frame

    @property
    def draws(self):
        """The draws: an array of shape (chains, draws) for each parameter, by name."""
        names, chains = self._chains()
        return {name: np.stack([chain[:, k] for chain in chains]) for k, name in names["draws"]}

    @property
    def sample_stats(self):
        """What the sampler recorded of each draw, by ArviZ's names: arrays of shape (chains, draws)."""
        names, chains = self._chains()
        out = {name: np.stack([chain[:, k] for chain in chains]) for k, name in names["stats"]}
        out["diverging"] = out["diverging"] != 0
        return out

    def _chains(self):
        """Read the draws: columns by kind, with their places, and an array for each chain, cut to the shortest."""
        files = sorted(self.folder.glob("chain_*.csv"), key=lambda path: int(path.stem.split("_")[1]))
        if not files:
            raise program.Error(f"{self.folder}: the fit has no draws of its own: look at its subjects")
        chains = []
        for path in files:
            with open(path, newline="", encoding="utf-8") as file:
                rows = csv.reader(line for line in file if not line.startswith("#"))
                header = next(rows)
                chains.append(np.array([[float(x) for x in row] for row in rows]))
        shortest = min(len(chain) for chain in chains)
        stats = [(k, _SAMPLE_STATS[name]) for k, name in enumerate(header) if name in _SAMPLE_STATS]
        first = len(stats)
        params = list(self.info["params"])
        if len(params) != len(header) - first:
            raise program.Error(f"{files[0]}: {len(header) - first} columns of draws, but summary.json has {len(params)} parameters")
        return {"stats": stats, "draws": [(first + k, name) for k, name in enumerate(params)]}, [c[:shortest] for c in chains]

    def table(self, name):
        """Return one of the fit's CSV files as a table, as cells, groups or loo."""
        path = self.folder / f"{name}.csv"
        if not path.exists():
            raise program.Error(f"{self.folder}: this fit has no {name}.csv")
        return tables.frame(tables.read(path))

    @property
    def cells(self):
        """Every parameter in every cell of the design, on its own scale."""
        return self.table("cells")

    @property
    def groups(self):
        """Every parameter of every level of the grouping columns, on its own scale."""
        return self.table("groups")

    @property
    def loo(self):
        """PSIS-LOO of the whole fit: elpd, its standard error, and the effective number of parameters."""
        return self.info.get("loo")

    @property
    def warnings(self):
        """What is wrong with the draws or the model, a text each."""
        return self.info.get("warnings", [])

    def to_arviz(self):
        """Return the draws as ArviZ has them: an InferenceData, or a DataTree of ArviZ 1.0 and later.

        Effects of a group are one variable with a dimension, as bambi names them: v_1|subj_idx has the dimension
        subj_idx__factor_dim.
        """
        import arviz

        posterior, coords, dims = _by_group(self.draws)
        groups = {"posterior": posterior, "sample_stats": self.sample_stats}
        info = self.info
        attributes = {"inference_library": "likc", "inference_library_version": info.get("version", ""), "model": info["model"]}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict(groups, coords=coords, dims=dims, attrs={"/": attributes})
        return arviz.from_dict(**groups, coords=coords, dims=dims, attrs=attributes)

    def figure(self, name):
        """Return a figure as SVG text: predictive, trace, pairs, rank, marginal, effects, shrinkage."""
        path = self.folder / f"{name}.svg"
        if not path.exists():
            raise program.Error(f"{self.folder}: this fit has no figure {name}: it has {', '.join(self.figures) or 'none'}")
        return path.read_text(encoding="utf-8")

    @property
    def figures(self):
        """The names of the figures."""
        return sorted(path.stem for path in self.folder.glob("*.svg"))

    def plot(self, name="predictive"):
        """Return a figure that a notebook shows."""
        return Figure(self.figure(name))

    def report(self, path):
        """Write a report of the fit, one page of HTML."""
        program.run("report", self.folder, "-o", path)
        return Path(path)

    def predictive(self):
        """Return the simulated trials of a fit with ``predictive=N``, as a data frame; this needs pandas with pyarrow."""
        import pandas

        return pandas.read_parquet(self.folder / "predictive.parquet")

    def __repr__(self):
        return self.text or f"likc.Fit({str(self.folder)!r})"

    def _repr_html_(self):
        table = self.summary()
        html = table.to_html() if hasattr(table, "to_html") else f"<pre>{self.text}</pre>"
        if "predictive" in self.figures:
            html += self.figure("predictive")
        return html


class Figure:
    """An SVG figure, which a notebook shows."""

    def __init__(self, svg):
        self.svg = svg

    def save(self, path):
        """Write the figure to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self):
        return self.svg


def _by_group(draws):
    """Join the columns NAME[LEVEL] to one array for each NAME, with the levels as a coordinate."""
    joined, coords, dims = {}, {}, {}
    levels = {}
    for name in draws:
        found = re.fullmatch(r"(.*)\[(.*)\]", name)
        if found and "|" in found[1]:
            levels.setdefault(found[1], []).append((found[2], name))
        else:
            joined[name] = draws[name]
    for name, members in levels.items():
        dim = name.split("|", 1)[1] + "__factor_dim"
        labels = [label for label, _ in members]
        if coords.setdefault(dim, labels) != labels:
            dim = name + "__factor_dim"
            coords[dim] = labels
        dims[name] = [dim]
        joined[name] = np.stack([draws[member] for _, member in members], axis=-1)
    return joined, coords, dims
