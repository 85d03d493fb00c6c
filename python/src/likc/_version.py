"""The version of this package, which is that of the program inside it."""

version = "0.0.0"
