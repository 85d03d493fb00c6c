"""Likelihoods called from Python beside the Go package of the same model, on the same trials. pytest -s prints their times."""

import shutil
import subprocess
import time

import likc
import numpy as np
import pytest
from likc import program

THETA = {"v": 1.0, "a": 1.2, "z": 0.45, "t": 0.3}
CALLS = 400
TIMED_IN_GO = """package main

import (
	"fmt"
	"time"

	"timed/ddm"
)

// fastest returns the microseconds of the fastest of many calls.
func fastest(f func()) float64 {
	best := time.Hour
	for range %d {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / 1e3
}

func main() {
	var n int
	theta, grad := make([]float64, ddm.Dim), make([]float64, ddm.Dim)
	fmt.Scan(&n)
	for j := range theta {
		fmt.Scan(&theta[j])
	}
	rt, choice := make([]float64, n), make([]float64, n)
	for i := range rt {
		fmt.Scan(&rt[i], &choice[i])
	}
	data, err := ddm.NewData(rt, choice)
	if err != nil {
		panic(err)
	}
	fmt.Println(data.LogLik(theta), fastest(func() { data.LogLik(theta) }), fastest(func() { data.LogLikGrad(theta, grad) }))
}
"""


def fastest(call):
    """The microseconds of the fastest of many calls, because other programs slow some of them."""
    best = float("inf")
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return 1e6 * best


def in_go(folder, rt, choice):
    """The log-likelihood by the Go package, and the microseconds of a value and of a gradient."""
    program.run("compile", "ddm", "--package", "ddm", "-o", folder / "ddm")
    (folder / "go.mod").write_text("module timed\n\ngo 1.24\n")
    (folder / "main.go").write_text(TIMED_IN_GO % CALLS)
    numbers = [len(rt), *THETA.values(), *np.column_stack([rt, choice]).ravel().tolist()]
    done = subprocess.run(["go", "run", "."], cwd=folder, input=" ".join(map(str, numbers)), capture_output=True, text=True, check=True)
    return tuple(map(float, done.stdout.split()))


def test_calls_from_python_beside_those_in_go(tmp_path):
    if not shutil.which("go"):
        pytest.skip("the Go package is built by go, which is not installed")
    trials = likc.simulate("ddm", theta=THETA, n=1000, seed=1)
    rt, choice = trials["rt"].to_numpy(), trials["choice"].to_numpy()
    bound, theta = likc.compile("ddm").bind(rt, choice), list(THETA.values())
    loglik, value, gradient = in_go(tmp_path, rt, choice)
    from_python = fastest(lambda: bound(theta)), fastest(lambda: bound.grad(theta))
    print(f"1,000 trials, µs of a value and a gradient: Python {from_python[0]:.0f}, {from_python[1]:.0f}; Go {value:.0f}, {gradient:.0f}")
    assert abs(bound(theta) - loglik) < 1e-12 * 1000
