"""Finds the program likc, runs it, and turns its errors into exceptions."""

import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path


class Error(Exception):
    """The program refused or failed. The text is the line that it printed, without "likc: "."""


class Warning(UserWarning):
    """A warning of the program."""


def path():
    """Return the path of the program: $LIKC, else the one in this package, else the one on PATH."""
    name = "likc.exe" if os.name == "nt" else "likc"
    inside = Path(__file__).parent / "bin" / name
    for candidate in (os.environ.get("LIKC"), str(inside) if inside.exists() else None, shutil.which("likc")):
        if candidate:
            return candidate
    raise Error("the program likc was not found: set the environment variable LIKC to its path")


def help(command=None):
    """Print what a command does, with all its flags; without a command, the list of commands."""
    print(run(*([command] if command else []), "--help"))


def run(*arguments, input=None):
    """Run the program with command-line arguments and return what it prints, as text.

    Warnings of the program become Python warnings. An interrupt is passed on: the program keeps what it has drawn, and ends.
    Raises Error where the program fails.
    """
    process = subprocess.Popen(
        [path(), *map(str, arguments)],
        stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        # in a notebook, an interrupt reaches Python alone
        start_new_session=os.name != "nt",
    )
    interrupted = False
    while True:
        try:
            out, err = process.communicate(input)
            break
        except KeyboardInterrupt:
            if interrupted:
                process.kill()
                raise
            interrupted, input = True, None
            process.send_signal(signal.SIGINT if os.name != "nt" else signal.CTRL_BREAK_EVENT)
    errors = _report(err)
    if process.returncode != 0 and not (interrupted and out):
        if interrupted:
            raise KeyboardInterrupt(errors)
        raise Error(errors or f"the program ended with exit status {process.returncode}")
    return out


def _report(text):
    """Show what the program said beside its results: notes, warnings, and the error, which is returned."""
    errors = []
    for message in _messages(text):
        kind, _, rest = message.partition(": ")
        if kind == "warning":
            warnings.warn(rest, Warning, stacklevel=4)
        elif kind == "note":
            print(message, file=sys.stderr)
        else:
            errors.append(message)
    return "\n".join(errors)


def _messages(text):
    """Split the text on standard error into messages, each of which begins with "likc: " and may have indented lines."""
    messages = []
    for line in text.splitlines():
        if line.startswith("likc: ") or not messages:
            messages.append(line.removeprefix("likc: "))
        else:
            messages[-1] += "\n" + line
    return messages
