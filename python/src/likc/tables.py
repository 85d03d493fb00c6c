"""Trials as files that the program reads, and files of the program as tables."""

import csv
import math
import os
from collections.abc import Mapping

import numpy as np


def write(data, path):
    """Write trials to a CSV file: a pandas or polars data frame, or a mapping of columns."""
    columns = _columns(data)
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError("the columns have different lengths: " + ", ".join(f"{name} {len(v)}" for name, v in columns.items()))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*([_cell(x) for x in values] for values in columns.values())))


def is_file(data):
    """Report whether data are a path."""
    return isinstance(data, (str, os.PathLike))


def frame(columns, index=None):
    """Return a pandas data frame of a mapping of columns, or the mapping itself without pandas."""
    try:
        import pandas
    except ImportError:
        return columns
    out = pandas.DataFrame(columns)
    return out.set_index(index) if index else out


def read(path):
    """Read a CSV file of the program. Columns of numbers are float arrays; an empty cell of such a column is NaN."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    columns = {}
    for name, values in zip(rows[0], zip(*rows[1:]) if len(rows) > 1 else [()] * len(rows[0])):
        try:
            columns[name] = np.array([float(x) if x else math.nan for x in values])
        except ValueError:
            columns[name] = np.array(values)
    return columns


def _columns(data):
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return {str(name): data[name].to_list() for name in data.columns}
    if isinstance(data, Mapping):
        return {str(name): list(values) for name, values in data.items()}
    raise TypeError("data must be a data frame, a mapping of columns, or the path of a CSV or Parquet file")


def _cell(value):
    """Write a value so that the program reads the same number; a missing one is empty."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return "" if math.isnan(value) else repr(float(value))
    return value
