"""Symbolic regression of a diffusion process's log density by other programs, at equal processor time.

    python3 regression.py rows ROWS.npz                   # draw the rows of ddm
    python3 regression.py rows ROWS.npz --model angle     # or of angle or urgency, whose densities likc computes
    python3 regression.py PEER ROWS.npz --seconds 60      # PEER: pyoperon, eggp, gplearn or pysindy
    python3 regression.py formula ROWS.npz --file F.lik   # the figures of a formula that likc wrote

A peer sees v, a, z, further parameters, x = rt - t and the log density of the upper boundary; the lower one is its mirror image
(-v, 1 - z). The result is the median over 200 fresh parameter vectors of the Kullback-Leibler divergence from the density, in nats a
trial, once the expression is divided by its integral over both boundaries.
"""

import argparse
import ast
import json
import os
import re
import subprocess
import tempfile
import time

import numpy as np

RANGES = {"v": (-3, 3), "a": (0.3, 2.5), "z": (0.1, 0.9)}
MORE = {"ddm": {}, "angle": {"theta": (-0.1, 1.3)}, "urgency": {"g": (0, 5), "k": (0, 4)}}
NAMES = []  # of the columns that a peer sees: the parameters, then x
GRID = 600  # times of an integral
MOST = 80  # nodes


def log_density(v, a, z, x):
    """The exact log density of the upper boundary a for a start at a (2 z - 1), by both series (Navarro & Fuss, 2009)."""
    w, u = 1 - z, x / (4 * a * a)
    small = sum((w + 2 * k) * np.exp(-((w + 2 * k) ** 2 - w * w) / (2 * u)) for k in range(-7, 8))
    small = np.log(np.maximum(small, 1e-300)) - w * w / (2 * u) - 0.5 * np.log(2 * np.pi * u**3)
    late = np.maximum(u, 0.05)
    large = sum(k * np.exp(-(k * k - 1) * np.pi**2 * late / 2) * np.sin(k * np.pi * w) for k in range(1, 25))
    large = np.log(np.pi) + np.log(np.maximum(large, 1e-300)) - np.pi**2 * late / 2
    return np.where(u < 0.3, small, large) + 2 * v * a * w - v * v * x / 2 - 2 * np.log(2 * a)


def vectors(rng, n, model):
    return {name: rng.uniform(*ends, n) for name, ends in (RANGES | MORE[model]).items()}


def times(a):
    """Times with all of the mass, spaced evenly in their log."""
    return a[:, None] ** 2 * np.exp(np.linspace(np.log(1e-3), np.log(30), GRID))[None, :]


def by_likc(model, theta, x):
    """The log density of the upper boundary at the times of each row of x, by likc eval."""
    logs = np.empty(x.shape)
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "data.csv"), os.path.join(folder, "out.csv")
        for i, row in enumerate(x):
            np.savetxt(data, np.column_stack([row, np.ones(len(row))]), delimiter=",", header="rt,choice", comments="")
            values = ",".join(["t=0"] + [f"{k}={float(v[i])!r}" for k, v in theta.items()])
            subprocess.run([os.environ.get("LIKC", "likc"), "eval", model, "--theta", values, "--data", data, "--per-trial", out, "--force"],
                           check=True, capture_output=True)
            logs[i] = np.loadtxt(out, skiprows=1)
    return logs


def logs_at(model, theta, x):
    if model != "ddm":
        return by_likc(model, theta, x)
    return log_density(*(theta[k][:, None] for k in RANGES), x)


def draw_rows(path, rng, model, count=100_000, each=100):
    """Draws times from the times of the grid, by their mass."""
    theta = vectors(rng, count // each, model)
    x = times(theta["a"])
    logs = logs_at(model, theta, x)
    mass = np.cumsum(np.exp(logs) * x, axis=1)
    rows, values = [], []
    for i in range(len(x)):
        at = np.searchsorted(mass[i], rng.uniform(0, mass[i, -1], each))
        rows.append(np.column_stack([np.full(each, v[i]) for v in theta.values()] + [x[i, at]]))
        values.append(logs[i, at])
    np.savez(path, model=model, rows=np.concatenate(rows), logs=np.concatenate(values), **fresh(model))


def fresh(model, seed=4321, n=200):
    """Parameter vectors on which no peer learns, as columns for both boundaries, and the log density there."""
    theta = vectors(np.random.default_rng(seed), n, model)
    x = times(theta["a"])
    columns, true = [], []
    for sign in (1, -1):
        seen = theta | {"v": sign * theta["v"], "z": theta["z"] if sign == 1 else 1 - theta["z"]}
        columns.append(np.column_stack([np.broadcast_to(k[:, None], x.shape).ravel() for k in seen.values()] + [x.ravel()]))
        true.append(logs_at(model, seen, x))
    return {"columns": np.array(columns), "true": np.concatenate(true, 1)}


def divergences(predict, columns, true):
    x = columns[0][:, -1].reshape(len(true), -1)
    with np.errstate(all="ignore"):
        guess = np.concatenate([np.asarray(predict(c), float).reshape(x.shape) for c in columns], 1)
    true, guess = np.maximum(true, -1e3), np.nan_to_num(guess, nan=-1e3, posinf=1e3, neginf=-1e3)
    log_x = np.log(np.concatenate([x, x], 1))

    def normal(logs):
        logs = logs + log_x
        top = logs.max(1, keepdims=True)
        return logs - top - np.log(np.exp(logs - top).sum(1, keepdims=True))

    true, guess = normal(true), normal(guess)
    return (np.exp(true) * (true - guess)).sum(1)


def nodes(text):
    """The number of nodes of an expression: operators, calls, names and constants."""
    def count(n):
        if isinstance(n, ast.UnaryOp) and isinstance(n.operand, ast.Constant):
            return 1
        if isinstance(n, ast.BinOp):
            return 1 + count(n.left) + count(n.right)
        if isinstance(n, ast.UnaryOp):
            return 1 + count(n.operand)
        if isinstance(n, ast.Call):
            return 1 + sum(map(count, n.args))
        return 1
    return count(ast.parse(text.replace("^", "**"), mode="eval").body)


def evaluator(text):
    code = compile(text.replace("^", "**"), "expression", "eval")
    known = {k: getattr(np, k) for k in ("exp", "log", "sqrt", "sin", "cos", "abs", "tanh", "square", "where", "expm1", "log1p")}
    known |= {"max": np.maximum, "min": np.minimum, "logaddexp": np.logaddexp, "inv": lambda x: 1 / x, "softplus": lambda x: np.logaddexp(0, x)}

    def predict(columns):
        return eval(code, known | dict(zip(NAMES, columns.T))) + np.zeros(len(columns))
    return predict


def pyoperon(x, y, spent):
    from pyoperon.sklearn import SymbolicRegressor
    for seed in range(1, 1000):
        fit = SymbolicRegressor(allowed_symbols="add,sub,mul,div,constant,variable,exp,log,sqrt,square", max_length=40, optimizer_iterations=5,
                                population_size=1000, generations=10_000, max_evaluations=400_000, n_threads=1, random_state=seed,
                                objectives=["mse", "length"], max_time=max(1, int(spent())))
        fit.fit(x, y)
        for one in fit.pareto_front_:
            yield fit.get_model_string(one["tree"], 8, NAMES)
        if spent() <= 0:
            return


def eggp(x, y, spent):
    from eggp import EGGP
    while spent() > 0:
        fit = EGGP(gen=15, nPop=60, maxSize=40, nonterminals="add,sub,mul,div,exp,log,sqrt,square", optIter=20, optRepeat=1, max_time=max(1, int(spent())))
        fit.fit(x, y)
        for _, row in fit.results.iterrows():
            text = str(row["Expression"])
            for i, value in enumerate(str(row["theta"]).split(";")):
                text = text.replace(f"t{i}", f"({value})") if value else text
            for i, name in reversed(list(enumerate(NAMES))):
                text = text.replace(f"x{i}", name)
            yield text.lower()


def gplearn(x, y, spent):
    from gplearn.functions import make_function
    from gplearn.genetic import SymbolicRegressor
    exp = make_function(function=lambda p: np.exp(np.clip(p, -50, 50)), name="exp", arity=1)
    fit = SymbolicRegressor(population_size=1000, generations=1, function_set=("add", "sub", "mul", "div", "log", "sqrt", exp), const_range=(-5, 5),
                            parsimony_coefficient=0.002, warm_start=True, random_state=1, init_depth=(2, 5))
    best = {}
    while spent() > 0:
        fit.fit(x, y)
        for one in fit._programs[-1]:
            if one is not None and len(one.program) <= MOST and one.raw_fitness_ < best.get("loss", np.inf):
                best = {"loss": one.raw_fitness_, "program": one}
        fit.set_params(generations=fit.generations + 1)
    yield best["program"]


def pysindy(x, y, spent):
    """A library of products of up to three functions of one variable, and forward selection by orthogonal least squares."""
    from pysindy import FROLS
    v, a, z, *more, t = x[:2000].T
    each = {"1": 1 + 0 * v, "v": v, "a": a, "(1/a)": 1 / a, "log(a)": np.log(a), "z": z, "log(z)": np.log(z), "log(1-z)": np.log(1 - z), "x": t, "(1/x)": 1 / t, "log(x)": np.log(t), "exp(-x)": np.exp(-t)}
    each |= dict(zip(NAMES[3:-1], more))
    library, names = {}, list(each)
    for i, p in enumerate(names):
        for j, q in enumerate(names[i:], i):
            for r in names[j:]:
                library["*".join(k for k in (p, q, r) if k != "1") or "1"] = each[p] * each[q] * each[r]
    terms, columns = list(library), np.column_stack(list(library.values()))
    scale = np.linalg.norm(columns, axis=0)
    for size in range(4, 17, 2):
        if spent() <= 0:
            return
        model = FROLS(max_iter=size)
        model.fit(columns / scale, y[:2000, None])
        yield " + ".join(f"({float(c / scale[k]):.8g})*{terms[k]}" for k, c in enumerate(model.coef_[0]) if c != 0)


def of_likc(path):
    """The expression of a formula.lik, with t = 0."""
    text = re.sub(r"//.*", "", open(path).read())
    lets = dict(re.findall(r"let\s+(\w+)\s*=\s*(.+)", text))
    body = re.search(r"loglik\s*=\s*((?:.|\n)*?)(?:\n\s*normalise|\n})", text).group(1).replace("\n", " ")
    for name, value in reversed(list(lets.items())):
        body = re.sub(rf"\b{name}\b", f"({value})", body)
    return re.sub(r"\brt\b", "x", re.sub(r"\brt - t\b", "x", body)).replace("if(", "where(")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("what"), p.add_argument("rows")
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seen", type=int, default=10_000, help="rows that the search sees")
    p.add_argument("--file")
    p.add_argument("--model", default="ddm", choices=MORE)
    s = p.parse_args()
    if s.what == "rows":
        draw_rows(s.rows, np.random.default_rng(1), s.model)
        return
    data = np.load(s.rows)
    rows, logs = data["rows"], data["logs"]
    NAMES.extend([*RANGES, *MORE[str(data["model"])], "x"])
    some = np.random.default_rng(2).choice(len(rows), s.seen, replace=False)
    if s.what == "formula":
        candidates = [of_likc(s.file)]
    else:
        start = time.process_time()
        candidates = globals()[s.what](rows[some], logs[some], lambda: s.seconds - (time.process_time() - start))
    best = {"loss": np.inf}
    for one in candidates:
        predict = one.execute if hasattr(one, "execute") else evaluator(one)
        size = len(one.program) if hasattr(one, "execute") else nodes(one)
        with np.errstate(all="ignore"):
            loss = float(np.mean((predict(rows) - logs) ** 2))
        if loss < best["loss"] and (size <= MOST or s.what == "formula"):
            best = {"loss": loss, "size": size, "expression": str(one), "predict": predict}
    if s.what != "formula":
        best["seconds"] = round(time.process_time() - start, 1)
    if "predict" not in best:
        raise SystemExit(f"regression: {s.what}: no expression within {MOST} nodes is defined at all rows")
    kl = divergences(best.pop("predict"), data["columns"], data["true"])
    print(json.dumps({"peer": s.what} | best | {"kl_median": float(np.median(kl)), "kl_mean": float(np.mean(kl))}))


main()
