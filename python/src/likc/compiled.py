"""Compiled likelihoods, called in this process through ctypes."""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from . import arguments, program


def compile(model, **flags):
    """Compile a model's likelihood to machine code, and return it as a LogLik. This needs a C compiler: $CC, else cc.

    Flags are those of ``likc compile``.
    """
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise program.Error("no C compiler was found: set the environment variable CC")
    folder = tempfile.mkdtemp(prefix="likc-")
    try:
        program.run("compile", model, *arguments.flags(dict(target="c", package="lik", output=folder, force=True, **flags)))
        library = Path(folder) / "lik.so"
        flags_of_c = ["-std=c99", "-O3", "-march=native", "-ffp-contract=off", "-fPIC", "-shared"]
        done = subprocess.run([*compiler.split(), *flags_of_c, "-o", library, Path(folder) / "lik.c", "-lm"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise program.Error(f"{compiler}: {done.stderr.strip()}")
        return LogLik(ctypes.CDLL(str(library)), (Path(folder) / "lik.h").read_text(encoding="utf-8"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class LogLik:
    """The log-likelihood of a model. Bind trials, then evaluate it.

    Attributes:
        params: names of the parameters, in the order of theta.
        columns: names of the columns that ``bind`` takes.
    """

    def __init__(self, library, header):
        self._library = library
        names = (ctypes.c_char_p * int(re.search(r"LIK_DIM = (\d+)", header)[1])).in_dll(library, "lik_params")
        self.params = tuple(name.decode() for name in names)
        arguments = re.search(r"lik_data \*lik_new\(size_t n, (.*?), const char \*\*error\)", header, re.S)[1]
        declared = re.findall(r"const (double|int) \*(\w+)", arguments)
        self.columns = tuple(name for _, name in declared)
        self._types = tuple({"double": float, "int": np.intc}[kind] for kind, _ in declared)
        library.lik_new.restype = ctypes.c_void_p
        library.lik_loglik.restype = library.lik_loglik_grad.restype = ctypes.c_double

    def bind(self, *columns):
        """Bind trials, a column of numbers each, in the order of ``columns``: choices are those that the model has, +1 and -1.

        The column ``person`` of a model with states has a whole number for each participant.
        """
        return Bound(self, columns)

    def log_density(self, theta, *trial):
        """Return the log density of one trial at theta. Models with states have none: it depends on earlier trials."""
        try:
            density = self._library.lik_log_density
        except AttributeError:
            raise program.Error("the log density of a trial depends on the trials before it: bind all of them") from None
        density.restype = ctypes.c_double
        return density(_pointer(_vector(theta, len(self.params))), *(ctypes.c_double(x) for x in trial))


class Bound:
    """A log-likelihood with its trials: a function of theta, an array with a value for each parameter."""

    def __init__(self, of, columns):
        if len(columns) != len(of.columns):
            raise ValueError(f"{len(columns)} columns: want {', '.join(of.columns)}")
        arrays = [np.ascontiguousarray(column, dtype=kind) for column, kind in zip(columns, of._types)]
        if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
            raise ValueError("the columns must have one length")
        error = ctypes.c_char_p()
        self._of, self._library = of, of._library
        self._data = ctypes.c_void_p(self._library.lik_new(ctypes.c_size_t(len(arrays[0])), *map(_pointer, arrays), ctypes.byref(error)))
        if not self._data:
            raise program.Error(error.value.decode())

    def __del__(self):
        if getattr(self, "_data", None):
            self._library.lik_free(self._data)

    def __call__(self, theta):
        """Return the sum of the log densities."""
        return self._library.lik_loglik(self._data, _pointer(_vector(theta, len(self._of.params))))

    def grad(self, theta):
        """Return the sum of the log densities, and its gradient."""
        at = _vector(theta, len(self._of.params))
        gradient = np.empty_like(at)
        return self._library.lik_loglik_grad(self._data, _pointer(at), _pointer(gradient)), gradient


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def _vector(theta, n):
    at = np.ascontiguousarray(theta, dtype=float)
    if at.shape != (n,):
        raise ValueError(f"theta has shape {at.shape}: want ({n},)")
    return at
