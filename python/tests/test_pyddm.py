"""A process that is written down has the density that PyDDM computes for it, by another method."""

import math

import likc
import numpy as np
import pytest

pyddm = pytest.importorskip("pyddm")

LEAK = """model leak {
  trial rt positive
  choice c
  param v in [-3, 3]
  param g in [-3, 3]
  param a in [0.3, 2.5]
  evidence x after 0 { start 0 drift v - g*x upper a }
}"""


def test_density_is_that_of_pyddm(tmp_path):
    text = tmp_path / "leak.lik"
    text.write_text(LEAK)
    process = pyddm.gddm(drift=lambda x: 1.28 - 2 * x, bound=1.5, mixture_coef=0, T_dur=1.5, dt=0.005, dx=0.005)
    solution = process.solve_numerical_cn()
    for response, choice in (("correct", 1), ("error", -1)):
        density = np.asarray(solution.pdf(response))
        keep = solution.t_domain > 0.3  # before, PyDDM's steps are too long for a density that rises so fast
        rt = solution.t_domain[keep]
        trials = {"rt": rt, "c": np.full(len(rt), choice)}
        value = likc.eval(trials, text, {"v": 1.28, "g": 2, "a": 1.5})["loglik"]
        assert math.isclose(value, np.log(density[keep]).sum(), abs_tol=1e-3 * len(rt))  # the error of its steps
