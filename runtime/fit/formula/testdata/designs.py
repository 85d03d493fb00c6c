"""Writes patsy.json: the design matrices of patsy for the formulas below. Run with Python 3 and patsy 0.5.3."""

import json

import numpy
import patsy

DATA = {
    "x": [1, 2, 3, 5, 1, 2, 4, 6, 0.5, 7, 2.5, 3.5],
    "w": [1, 0, 2, 1, 3, 1, 5, 2, 4, 4, -1, 2],
    "c": list("abcabcabcabc"),
    "d": list("uuuvvvuuuvvv"),
    "k": list("mmmmmmnnnnnn"),
    "s": [1, 1, 2, 2, 3, 3, 10, 10, 1, 2, 3, 10],
}
FORMULAS = [
    "x", "0 + x", "x - 1", "c", "0 + c", "C(c)", "0 + C(c)", "C(s)", "0 + C(s) + x",
    'C(c, Treatment(reference="b"))', "C(s, Treatment(reference=3)) + c",
    "x:c", "x + x:c", "x:c + x", "0 + x:c", "c + x:c", "c*x", "c:d", "0 + c:d", "c + c:d", "d:c + c", "0 + c + c:d", "c*d", "0 + c*d",
    "0 + c + d", "c:d:k", "c*d*k", "0 + c:d:k", "c + d:k", "c:k + d", "x:c + x:d", "x:c:d", "x + x:c:d", "x:w", "x*w", "x*w*c", "x:w:c + w:c",
    "(x + w):c", "(x + c)*d", "scale(x)", "scale(x)*d", "center(x)", "center(x):c", "I(x ** 2)", "I(x * w) + I(-x / (w + 10))",
    "scale(x * w - 1)", "c:x:d", "0 + d + c:k", "d*k + x:d:k",
]


def design(formula):
    data = {name: numpy.array(column) for name, column in DATA.items()}
    matrix = patsy.dmatrix(formula, data)
    columns = zip(matrix.design_info.column_names, numpy.asarray(matrix).T)
    return {"formula": formula, "columns": [{"name": n, "values": [float(repr(float(v))) for v in c]} for n, c in columns]}


def main():
    lines = ",\n".join(json.dumps(design(f)) for f in FORMULAS)
    source = json.dumps("patsy %s, dmatrix(formula, data); written by designs.py" % patsy.__version__)
    with open("patsy.json", "w") as out:
        out.write('{"source": %s,\n"data": %s,\n"designs": [\n%s\n]}\n' % (source, json.dumps(DATA), lines))


main()
