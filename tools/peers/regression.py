"""Symbolic regression of the diffusion model's log density by other programs, at equal processor time.

    python3 regression.py rows ROWS.npz                   # draw the rows
    python3 regression.py PEER ROWS.npz --seconds 60      # PEER: pyoperon, eggp, gplearn or pysindy
    python3 regression.py formula ROWS.npz --file F.lik   # the figures of a formula that likc wrote

A peer sees v, a, z, x = rt - t and the exact log density of the upper boundary; the lower one is its mirror image (-v, 1 - z).
The result is the median over 200 fresh parameter vectors of the Kullback-Leibler divergence from the exact density, in nats a trial,
once the expression is divided by its integral over both boundaries.
"""

import argparse
import ast
import json
import re
import time

import numpy as np

NAMES = ["v", "a", "z", "x"]
RANGES = {"v": (-3, 3), "a": (0.3, 2.5), "z": (0.1, 0.9)}
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


def vectors(rng, n):
    return {name: rng.uniform(*ends, n) for name, ends in RANGES.items()}


def times(a):
    """Times with all of the mass, spaced evenly in their log."""
    return a[:, None] ** 2 * np.exp(np.linspace(np.log(1e-3), np.log(30), GRID))[None, :]


def draw_rows(path, rng, count=100_000, each=100):
    theta = vectors(rng, count // each)
    x = times(theta["a"])
    logs = log_density(*(theta[k][:, None] for k in NAMES[:3]), x)
    mass = np.cumsum(np.exp(logs) * x, axis=1)
    rows = []
    for i in range(len(x)):
        at = np.interp(rng.uniform(0, mass[i, -1], each), mass[i], x[i])
        rows.append(np.column_stack([np.full(each, theta[k][i]) for k in NAMES[:3]] + [at]))
    rows = np.concatenate(rows)
    np.savez(path, rows=rows, logs=log_density(*rows.T))


def divergences(predict, seed=4321, n=200):
    theta = vectors(np.random.default_rng(seed), n)
    x = times(theta["a"])
    true, guess = [], []
    for sign in (1, -1):
        v = sign * theta["v"]
        z = theta["z"] if sign == 1 else 1 - theta["z"]
        columns = [np.broadcast_to(k[:, None], x.shape).ravel() for k in (v, theta["a"], z)] + [x.ravel()]
        true.append(log_density(*columns).reshape(x.shape))
        with np.errstate(all="ignore"):
            guess.append(np.asarray(predict(np.column_stack(columns)), float).reshape(x.shape))
    true, guess = np.concatenate(true, 1), np.nan_to_num(np.concatenate(guess, 1), nan=-1e3, posinf=1e3, neginf=-1e3)
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
    known = {k: getattr(np, k) for k in ("exp", "log", "sqrt", "sin", "cos", "abs", "tanh")} | {"square": np.square}

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
    v, a, z, t = x[:2000].T
    each = {"1": 1 + 0 * v, "v": v, "a": a, "(1/a)": 1 / a, "log(a)": np.log(a), "z": z, "log(z)": np.log(z), "log(1-z)": np.log(1 - z), "x": t, "(1/x)": 1 / t, "log(x)": np.log(t), "exp(-x)": np.exp(-t)}
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
    return re.sub(r"\brt\b", "x", re.sub(r"\brt - t\b", "x", body))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("what"), p.add_argument("rows")
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seen", type=int, default=10_000, help="rows that the search sees")
    p.add_argument("--file")
    s = p.parse_args()
    if s.what == "rows":
        draw_rows(s.rows, np.random.default_rng(1))
        return
    data = np.load(s.rows)
    rows, logs = data["rows"], data["logs"]
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
    kl = divergences(best.pop("predict"))
    print(json.dumps({"peer": s.what} | best | {"kl_median": float(np.median(kl)), "kl_mean": float(np.mean(kl))}))


main()
