"""ArviZ computes from the files of a fit what likc computes."""

import math

import likc
import numpy as np
import pytest

arviz = pytest.importorskip("arviz")

THETA = {"v": 1.0, "a": 1.2, "z": 0.45, "t": 0.3}


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    trials = likc.simulate("ddm", theta=THETA, n=150, seed=2)
    folder = tmp_path_factory.mktemp("arviz") / "fit"
    return likc.fit(trials, "ddm", output=folder, chains=2, warmup=400, draws=500, no_figures=True, zarr=True, log_lik=True)


def elpd(loo):
    """The estimate, to which ArviZ comes with another relative sample size: so the last printed digit may differ."""
    return float(loo.elpd_loo if hasattr(loo, "elpd_loo") else loo.elpd)


def test_summary_of_the_store(fit):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    tree = xarray.open_datatree(fit.folder / "draws.zarr", engine="zarr")
    store = arviz.InferenceData.from_datatree(tree) if hasattr(arviz, "InferenceData") else tree
    theirs, ours = arviz.summary(store, round_to="none"), fit.summary()
    for name in THETA:
        for column, own in (("mean", "mean"), ("sd", "sd"), ("r_hat", "rhat"), ("ess_bulk", "ess_bulk"), ("ess_tail", "ess_tail")):
            assert math.isclose(theirs.loc[name, column], ours.loc[name, own], rel_tol=1e-9), (name, column)
    loo = fit.info["loo"]
    assert math.isclose(elpd(arviz.loo(store, var_name="response", reff=1)), loo["elpd"], abs_tol=0.05)


def test_log_densities(fit):
    """Their sums are the likelihood at the draw, and their PSIS-LOO is likc's."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pandas.read_parquet(fit.folder / "log_lik.parquet")
    each = table["log_lik"].to_numpy().reshape(150, 2, 500)
    assert list(table["row"].unique()) == list(range(1, 151))
    trials = likc.simulate("ddm", theta=THETA, n=150, seed=2)
    for chain, draw in ((0, 0), (1, 17), (1, 499)):
        theta = {name: float(draws[chain, draw]) for name, draws in fit.draws.items()}
        assert math.isclose(each[:, chain, draw].sum(), likc.eval(trials, "ddm", theta)["loglik"], abs_tol=1e-5)
    data = arviz.from_dict(posterior=fit.draws, log_likelihood={"response": np.moveaxis(each, 0, 2)})
    assert math.isclose(elpd(arviz.loo(data)), fit.info["loo"]["elpd"], abs_tol=0.05)
