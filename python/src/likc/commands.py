"""The commands of the program as functions. Keywords that a function does not name are flags of the command."""

import json
import tempfile
from contextlib import contextmanager
from pathlib import Path

from . import arguments, fits, program, tables


def fit(data, model, *, formula=None, priors=None, output=None, **flags):
    """Fit a model to trials by NUTS, and return a Fit.

    Args:
        data: a data frame or a mapping with columns rt (seconds) and choice, or the path of a CSV or Parquet file.
        model: the name of a model, as "ddm", or the path of a .lik file.
        formula: regression formulas, one text or a list: ["v ~ 1 + x + (1 | id)"].
        priors: a prior for each parameter or coefficient that shall have one: {"v": "normal(0, 2)"}.
        output: a folder that keeps the fit; without it, a temporary one that goes with the Fit.
        **flags: flags of ``likc fit``: chains, draws, seed, subject="id", lapse="beta(1,20)", range={"v": (-5, 5)}, predictive=100, …

    Raises likc.Error where the program refuses. An interrupt keeps what was drawn.
    """
    remove = None
    folder = output
    if folder is None:
        folder, remove = fits.new_folder()
    try:
        with _file_of(data) as path:
            text = program.run("fit", model, *arguments.flags(dict(data=path, output=folder, formula=formula, prior=priors, **flags)))
    except BaseException:
        if remove:
            remove()
        raise
    return fits.Fit(folder, text, remove)


def simulate(model, *, theta=None, n=None, seed=1, **flags):
    """Simulate trials of a model, and return them as a pandas data frame, or as a mapping of columns without pandas.

    Args:
        theta: a value for each parameter: {"v": 1, "a": 1.2, "z": 0.5, "t": 0.3}.
        n: the number of trials.
        seed: of the random numbers.
        **flags: flags of ``likc simulate``.
    """
    with tempfile.TemporaryDirectory(prefix="likc-") as folder:
        path = Path(folder) / "trials.csv"
        settings = dict(theta=arguments.pairs(theta), seed=seed, output=path, **flags)
        program.run("simulate", model, *arguments.flags(settings), *(["-n", n] if n is not None else []))
        return tables.frame(tables.read(path))


def eval(data, model, theta, **flags):
    """Return the summed log-likelihood and its gradient at theta: {"loglik": …, "gradient": {…}}."""
    with _file_of(data) as path:
        return _json("eval", model, dict(data=path, theta=arguments.pairs(theta), **flags))


def recover(model, **flags):
    """Draw parameters from the priors, simulate trials, fit them, and compare: a dictionary with r, bias, RMSE and coverage."""
    return _json("recover", model, flags)


def compare(*compared, **flags):
    """Rank fits by PSIS-LOO, the best first: a table, or a list of dictionaries without pandas. Fits may be Fit objects or folders."""
    folders = [one.folder if isinstance(one, fits.Fit) else one for one in compared]
    rows = json.loads(program.run("compare", *folders, "--json", *arguments.flags(flags)))
    columns = {key: [row.get(key) for row in rows] for key in rows[0]}
    frame = tables.frame(columns, index="name")
    return rows if frame is columns else frame


def contrast(of, expression, **flags):
    """Return the posterior of an expression of cells, as "v[hard] - v[easy]": a dictionary."""
    folder = of.folder if isinstance(of, fits.Fit) else of
    return json.loads(program.run("contrast", folder, expression, "--json", *arguments.flags(flags)))


def check(model, **flags):
    """Return what the compiler makes of a model: a dictionary."""
    return _json("check", model, flags)


def models():
    """Return the built-in models: a list of dictionaries with name, kind, parameters and choices."""
    return json.loads(program.run("models", "--json"))


def distil(model, output, **flags):
    """Search for a formula in place of a slow density or a process, judge it, and return its summary.

    The formula is the file formula.lik in the folder ``output``: a model for every function here.
    """
    program.run("distil", model, *arguments.flags(dict(output=output, **flags)))
    return json.loads((Path(output) / "summary.json").read_text(encoding="utf-8"))


def _json(command, model, flags):
    return json.loads(program.run(command, model, "--json", *arguments.flags(flags)))


@contextmanager
def _file_of(data):
    """Give the path of a file with the trials."""
    if tables.is_file(data):
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="likc-") as folder:
        path = Path(folder) / "trials.csv"
        tables.write(data, path)
        yield path
