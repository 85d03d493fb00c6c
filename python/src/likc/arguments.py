"""Turns keywords into flags of the program."""

from collections.abc import Mapping


def flags(settings):
    """Return the flags of a dictionary of keywords.

    ``max_rt=3`` is ``--max-rt 3``; True is a flag alone, False and None are no flag; a list gives its flag once for each element; a
    dictionary gives it once for each entry, as NAME=VALUE. A trailing underscore is for names that Python reserves.
    """
    out = []
    for name, value in settings.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
            continue
        for one in _each(value):
            out.append(f"{flag}={one}")
    return out


def pairs(values):
    """Return NAME=VALUE,NAME=VALUE for the flags that take all values at once."""
    if isinstance(values, Mapping):
        return ",".join(f"{name}={text(value)}" for name, value in values.items())
    return values


def text(value):
    """Write a value as the program reads it: a pair of numbers as LOW,HIGH."""
    if isinstance(value, (tuple, list)):
        return ",".join(text(one) for one in value)
    return repr(float(value)) if isinstance(value, float) else str(value)


def _each(value):
    if isinstance(value, Mapping):
        return [f"{name}={text(one)}" for name, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [text(one) for one in value]
    return [text(value)]
