"""Functions of the operators that a file in Python defines where it needs them.

They take the array module xp: numpy, torch, jax.numpy or one like them. Each is differentiated by that module,
and its gradient is no NaN where an argument is masked.
"""


def _special(xp):
    """Return the module of special functions that belongs to xp, or None for numpy and modules that have none."""
    if hasattr(xp, "special"):
        return xp.special
    name = {"jax.numpy": "jax.scipy.special", "cupy": "cupyx.scipy.special"}.get(xp.__name__)
    return importlib.import_module(name) if name else None


def _choose(xp, condition, first, second, *values):
    """Return first(*values) where a condition holds, else second(*values). Neither has a gradient where it is not taken."""
    holds = first(*(xp.where(condition, x, 1.0) for x in values))
    fails = second(*(xp.where(condition, 1.0, x) for x in values))
    return xp.where(condition, _array(xp, holds), _array(xp, fails))


def _erf(xp, x):
    special = _special(xp)
    return special.erf(x) if special else xp.vectorize(math.erf, otypes=[float])(x)


def _erfc(xp, x):
    special = _special(xp)
    return special.erfc(x) if special else xp.vectorize(math.erfc, otypes=[float])(x)


def _sigmoid(xp, x):
    """Return 1/(1 + exp(-x))."""
    special = _special(xp)
    return special.expit(x) if special else 1.0 / (1.0 + xp.exp(-x))


def _cbrt(xp, x):
    """Return the cube root."""
    return xp.cbrt(x) if hasattr(xp, "cbrt") else xp.sign(x) * xp.abs(x) ** (1.0 / 3.0)


def _log_normcdf(xp, x):
    """Return the logarithm of the standard normal distribution function, without underflow."""
    special = _special(xp)
    def far(x, of):
        z = 1.0 / (x * x)
        s = -z * (1.0 - z * (3.0 - z * (15.0 - z * (105.0 - z * (945.0 - z * 10395.0)))))
        return -0.5 * x * x - of.log(-x) - 0.9189385332046728 + of.log1p(s)
    if special: # In jax, log_ndtr has a relative error of 1e-11 in the tail, and the derivative of erfcx is NaN near -37.5.
        def lower(x):
            return xp.log(0.5 * special.erfcx(-x / math.sqrt(2.0))) - 0.5 * xp.square(x)
        def upper(x):
            return xp.log1p(-0.5 * special.erfc(x / math.sqrt(2.0)))
        def near(x):
            return _choose(xp, x < -1.0, lower, upper, x)
        return _choose(xp, x < -30.0, lambda x: far(x, xp), near, x)
    def one(x):
        if x < -37.0:
            return far(x, math)
        tail = 0.5 * math.erfc(abs(x) / math.sqrt(2.0))
        return math.log(tail) if x < 0.0 else math.log1p(-tail)
    return xp.vectorize(one, otypes=[float])(x)


def _inverse_mills(xp, x):
    """Return the standard normal density over its distribution function, without underflow."""
    special = _special(xp)
    if special:
        def lower(x):
            return math.sqrt(2.0 / math.pi) / special.erfcx(-x / math.sqrt(2.0))
        def upper(x):
            return xp.exp(-0.5 * xp.square(x)) / (math.sqrt(2.0 * math.pi) * special.ndtr(x))
        return _choose(xp, x < 0.0, lower, upper, x)
    def one(x):
        if x < -37.0:
            z = 1.0 / (x * x)
            return -x / (1.0 - z * (1.0 - z * (3.0 - z * (15.0 - z * (105.0 - z * (945.0 - z * 10395.0))))))
        return math.exp(-0.5 * x * x) / (math.sqrt(math.pi / 2.0) * math.erfc(-x / math.sqrt(2.0)))
    return xp.vectorize(one, otypes=[float])(x)


def _log1mexp(xp, x):
    """Return log(1 - exp(x)) for x < 0."""
    return _choose(xp, x > -math.log(2.0), lambda x: xp.log(-xp.expm1(x)), lambda x: xp.log1p(-xp.exp(x)), x)


def _lgamma(xp, x):
    """Return the logarithm of the gamma function of x > 0."""
    special = _special(xp)
    if special:
        return _choose(xp, x < 0.0, lambda x: math.nan, special.gammaln, x)
    return xp.vectorize(lambda x: math.lgamma(x) if x > 0.0 else math.nan, otypes=[float])(x)


def _digamma(xp, x):
    """Return the derivative of the logarithm of the gamma function, for x > 0."""
    special = _special(xp)
    if special:
        return _choose(xp, x < 0.0, lambda x: math.nan, special.digamma, x)
    def one(x):
        if not x > 0.0:
            return math.nan
        s = 0.0
        while x < 10.0:
            s -= 1.0 / x
            x += 1.0
        z = 1.0 / (x * x)
        return s + math.log(x) - 0.5 / x - z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * (691 / 32760 - z / 12))))))
    return xp.vectorize(one, otypes=[float])(x)
