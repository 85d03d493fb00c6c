"""PyMC and NumPyro draw from the posteriors that likc fit draws from, by the density that likc compile writes."""

import importlib.util

import likc
import numpy as np
import pytest
from likc import program

THETA = {"v": 1.0, "a": 1.2, "z": 0.45, "t": 0.3}
RANGES = {"v": (-3, 3), "a": (0.3, 2.5), "z": (0.1, 0.9)}


@pytest.fixture(scope="module")
def trials():
    frame = likc.simulate("ddm", theta=THETA, n=300, seed=1)
    return {name: np.asarray(frame[name], dtype=float) for name in ("rt", "choice")}


@pytest.fixture(scope="module")
def fit(trials):
    return likc.fit(trials, "found57", chains=4, warmup=500, draws=1000, seed=1, no_figures=True)


@pytest.fixture(scope="module")
def logpdf(tmp_path_factory):
    """The log density of a trial under found57, from the file that likc writes."""
    folder = tmp_path_factory.mktemp("density") / "found57"
    program.run("compile", "found57", "--target", "python", "-o", folder)
    spec = importlib.util.spec_from_file_location("ddmlik", folder / "ddmlik.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.logpdf


@pytest.fixture(scope="module")
def jnp():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_disable_most_optimizations", True)  # compiling takes most of the time
    return jax.numpy


def test_numpyro_has_the_posterior_of_fit(trials, fit, logpdf, jnp):
    numpyro = pytest.importorskip("numpyro")
    import jax
    from numpyro.distributions import Uniform
    from numpyro.infer import MCMC, NUTS

    rt, c = trials["rt"], trials["choice"]

    def model():
        theta = {name: numpyro.sample(name, Uniform(*ends)) for name, ends in RANGES.items()}
        theta["t"] = numpyro.sample("t", Uniform(0, rt.min()))
        numpyro.factor("trials", logpdf(rt, c, **theta, xp=jnp).sum())

    sampler = MCMC(NUTS(model), num_warmup=300, num_samples=500, num_chains=4, chain_method="vectorized", progress_bar=False)
    sampler.run(jax.random.PRNGKey(1))
    assert_same_posterior(fit, sampler.get_samples(group_by_chain=True))


def test_pymc_has_the_posterior_of_fit(trials, fit, logpdf, jnp):
    pymc, nutpie, pytensor = (pytest.importorskip(name) for name in ("pymc", "nutpie", "pytensor"))
    rt, c = trials["rt"], trials["choice"]
    density = pytensor.wrap_jax(lambda rt, c, v, a, z, t: logpdf(rt, c, v, a, z, t, xp=jnp))
    with pymc.Model() as model:
        theta = {name: pymc.Uniform(name, *ends) for name, ends in RANGES.items()}
        theta["t"] = pymc.Uniform("t", 0, rt.min())
        pymc.CustomDist("rt", c, *theta.values(), logp=density, observed=rt)
    compiled = nutpie.compile_pymc_model(model, backend="jax")
    drawn = nutpie.sample(compiled, draws=500, tune=300, chains=4, cores=1, seed=1, progress_bar=False)
    assert_same_posterior(fit, {name: drawn.posterior[name].values for name in theta})


def assert_same_posterior(fit, draws):
    """Means and standard deviations differ by 4 of their standard errors at most."""
    for name, ours in fit.draws.items():
        theirs = np.asarray(draws[name])
        for what, statistic in (("mean", mean_and_error), ("sd", sd_and_error)):
            (x, x_error), (y, y_error) = statistic(ours), statistic(theirs)
            assert abs(x - y) <= 4 * np.hypot(x_error, y_error), f"{what} of {name}: {x} ± {x_error} and {y} ± {y_error}"


def mean_and_error(draws):
    arviz = pytest.importorskip("arviz")
    return draws.mean(), draws.std() / np.sqrt(float(arviz.ess(draws, method="mean")))


def sd_and_error(draws):
    variance, error = mean_and_error((draws - draws.mean()) ** 2)
    return np.sqrt(variance), error / (2 * np.sqrt(variance))
