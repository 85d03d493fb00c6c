"""Tests of the package against known truths: they run the program that LIKC names, or the one in the installed package."""

import math
import re
import signal
import subprocess
import sys
import time

import likc
import numpy as np
import pytest
from likc import arguments, program

THETA = {"v": 1.0, "a": 1.2, "z": 0.45, "t": 0.3}


@pytest.fixture(scope="module")
def trials():
    return likc.simulate("ddm", theta=THETA, n=1000, seed=1)


@pytest.fixture(scope="module")
def fit(trials):
    return likc.fit(trials, "ddm", chains=2, warmup=400, draws=500)


def test_fit_finds_the_truth(fit):
    table = fit.summary()
    assert list(table.index) == list(THETA)
    for name, truth in THETA.items():
        row = table.loc[name]
        assert abs(row["mean"] - truth) < 4 * row["sd"]
        assert row["sd"] < 0.1


def test_draws_are_those_of_the_summary(fit):
    table = fit.summary()
    for name, draws in fit.draws.items():
        assert draws.shape == (2, 500)
        assert math.isclose(draws.mean(), table.loc[name]["mean"], rel_tol=1e-9)
        assert math.isclose(np.std(draws, ddof=1), table.loc[name]["sd"], rel_tol=1e-9)
    assert fit.sample_stats["diverging"].dtype == bool


def test_polars_mapping_and_file_give_the_same_draws(trials, fit, tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "trials.csv"
    trials.to_csv(path, index=False)
    mapping = {name: trials[name].to_numpy() for name in trials.columns}
    for data in (polars.from_pandas(trials), mapping, path, str(path)):
        again = likc.fit(data, "ddm", chains=2, warmup=400, draws=500, no_figures=True)
        assert np.array_equal(again.draws["v"], fit.draws["v"])


def test_compiled_likelihoods_are_those_of_the_program():
    """Values equal those of likc eval, gradients central differences."""
    lik = likc.compile("expr2")
    assert lik.columns == ("rt", "c") and lik.params == ("v", "a", "z", "t")
    rt = np.linspace(0.4, 2, 50)
    choice = np.where(np.arange(50) % 3 == 0, -1.0, 1.0)
    bound = lik.bind(rt, choice)
    theta = np.array([1.0, 1.2, 0.45, 0.3])
    value, gradient = bound.grad(theta)
    assert math.isclose(value, bound(theta), rel_tol=1e-13)
    assert math.isclose(value, sum(lik.log_density(theta, x, c) for x, c in zip(rt, choice)), rel_tol=1e-12)
    for k in range(4):
        step = np.zeros(4)
        step[k] = 1e-5
        assert math.isclose(gradient[k], (bound(theta + step) - bound(theta - step)) / 2e-5, rel_tol=1e-6)
    evaluated = likc.eval({"rt": rt, "choice": choice}, "expr2", dict(zip(lik.params, theta)))
    assert math.isclose(value, evaluated["loglik"], rel_tol=1e-12)
    with pytest.raises(likc.Error, match="trial 1: -2"):
        lik.bind(rt, choice * 2)
    with pytest.raises(ValueError):
        bound(theta[:3])


def test_compiled_models_that_are_no_formulas(tmp_path):
    """An exact density, and a model with states of two participants, have the values of likc eval."""
    exact = likc.compile("ddm")
    assert exact.columns == ("rt", "choice") and exact.params == ("v", "a", "z", "t")
    data = {"rt": np.linspace(0.4, 2, 50), "choice": np.where(np.arange(50) % 3 == 0, -1.0, 1.0)}
    value = exact.bind(data["rt"], data["choice"])([1.0, 1.2, 0.45, 0.3])
    assert math.isclose(value, likc.eval(data, "ddm", THETA)["loglik"], rel_tol=1e-12)
    states = likc.compile("rl_ddm")
    rng, n = np.random.default_rng(1), 50
    columns = {"rt": data["rt"], "reward": rng.integers(0, 2, n) * 1.0, "c": data["choice"], "person": np.arange(n) // 25, "block": np.ones(n)}
    assert states.columns == tuple(columns)
    theta = dict(zip(states.params, (0.3, 3.0, 1.2, 0.2)))
    value, gradient = states.bind(*columns.values()).grad(list(theta.values()))
    columns["choice"], columns["participant"] = columns.pop("c"), columns.pop("person")
    assert math.isclose(value, likc.eval(columns, "rl_ddm", theta, subject="participant")["loglik"], rel_tol=1e-12)
    assert np.all(np.isfinite(gradient))
    with pytest.raises(likc.Error, match="trials before it"):
        states.log_density(list(theta.values()), 0.5, 1.0, 1.0)


def test_study(tmp_path):
    """Drifts of five participants are found, by a hierarchy."""
    pandas = pytest.importorskip("pandas")
    truth = {f"p{k}": drift for k, drift in enumerate((0.0, 0.5, 1.0, 1.5, 2.0))}
    parts = []
    for k, (name, v) in enumerate(truth.items()):
        part = likc.simulate("ddm", theta={**THETA, "v": v}, n=200, seed=k + 1)
        parts.append(part.assign(id=name))
    fit = likc.fit(pandas.concat(parts), "ddm", formula="v ~ 1 + (1 | id)", output=tmp_path / "study", chains=2, warmup=400, draws=400)
    groups = fit.groups
    for name, v in truth.items():
        row = groups[(groups["id"] == name) & (groups["param"] == "v")].iloc[0]
        assert abs(row["mean"] - v) < 4 * row["sd"]
    assert likc.read_fit(tmp_path / "study").draws["a"].shape == (2, 400)
    posterior = likc.fits._by_group(fit.draws)
    assert posterior[0]["v_1|id"].shape == (2, 400, 5)
    assert posterior[1]["id__factor_dim"] == list(truth)


def test_subjects(trials, tmp_path):
    both = trials.assign(id=np.where(np.arange(len(trials)) % 2 == 0, "even", "odd"))
    fit = likc.fit(both, "ddm", subject="id", chains=2, warmup=200, draws=200, no_figures=True)
    assert sorted(fit.subjects) == ["even", "odd"]
    assert fit.subjects["odd"].draws["v"].shape == (2, 200)


def test_arviz_computes_what_the_program_does(fit):
    arviz = pytest.importorskip("arviz")
    data = fit.to_arviz()
    table = fit.summary()
    rhat, ess = arviz.rhat(data), arviz.ess(data, method="bulk")
    for name in THETA:
        assert math.isclose(float(rhat[name]), table.loc[name]["rhat"], abs_tol=1e-6)
        assert math.isclose(float(ess[name]), table.loc[name]["ess_bulk"], rel_tol=1e-6)


def test_figures_and_report(fit, tmp_path):
    assert fit.plot()._repr_svg_().startswith("<svg") or "<svg" in fit.plot().svg
    assert "<table" in fit._repr_html_()
    assert fit.report(tmp_path / "fit.html").read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(likc.Error, match="no figure"):
        fit.figure("nonsense")


def test_compare(trials, fit):
    other = likc.fit(trials, "ddm", fix={"z": 0.5}, chains=2, warmup=300, draws=300, no_figures=True)
    table = likc.compare(fit, other)
    assert table["diff"].iloc[0] == 0


def test_errors_are_the_programs_lines(trials):
    with pytest.raises(likc.Error, match="nonsense"):
        likc.fit(trials, "nonsense")
    with pytest.raises(likc.Error, match="--no-such-flag"):
        likc.fit(trials, "ddm", no_such_flag=1)
    with pytest.raises(ValueError, match="lengths"):
        likc.fit({"rt": [0.5, 0.6], "choice": [1]}, "ddm")
    with pytest.raises(TypeError):
        likc.fit(3, "ddm")


def test_missing_values_are_missing(tmp_path):
    data = {"rt": [0.5, float("nan"), 0.7], "choice": [1, -1, 1]}
    with pytest.raises(likc.Error, match="row 2"):
        likc.fit(data, "ddm")


@pytest.mark.parametrize("command", ["fit", "simulate", "recover", "eval", "check", "compare", "contrast", "compile", "distil"])
def test_every_flag_has_a_keyword(command):
    text = program.run(command, "--help")
    flags = re.findall(r"^\s+(?:-\w, )?--([a-z0-9-]+)", text, re.M)
    assert len(flags) > 1
    for flag in flags:
        assert arguments.flags({flag.replace("-", "_"): True}) == ["--" + flag]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a console")
def test_an_interrupt_keeps_what_was_drawn(tmp_path):
    script = f"""
import likc, warnings
warnings.simplefilter("ignore")
trials = likc.simulate("ddm", theta={THETA!r}, n=3000, seed=1)
print("begin", flush=True)
fit = likc.fit(trials, "ddm", draws=200000, output={str(tmp_path / "fit")!r}, no_figures=True, no_loo=True)
print("kept", fit.draws["v"].shape[1] > 0, fit.info.get("partial"))
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begin\n"
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "kept True True\n"
