"""likc fits models of decisions and response times.

    import likc
    trials = likc.simulate("ddm", theta=dict(v=1, a=1.2, z=0.45, t=0.3), n=1000, seed=1)
    fit = likc.fit(trials, "ddm")
    fit.summary()

Every capability is that of the program ``likc``, which this package runs. A keyword is a flag of the program: ``max_rt=3`` is
``--max-rt 3``. ``likc.help("fit")`` prints all flags of a command. ``a`` is HALF the boundary separation: Stan, brms and HDDM report twice
as much.
"""

from ._version import version as __version__
from .commands import check, compare, contrast, distil, eval, fit, models, recover, simulate
from .compiled import LogLik, compile
from .fits import Fit, read_fit
from .program import Error, help, run

__all__ = [
    "Error", "Fit", "LogLik", "check", "compare", "compile", "contrast", "distil", "eval", "fit", "help", "models", "read_fit",
    "recover", "run", "simulate",
]
