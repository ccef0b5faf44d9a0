"""Replaces the `cython` module if Cython is not installed, so that `*_cy.py` run as plain
Python."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

compiled = False
int = Py_ssize_t = longlong = bint = uchar = object


def cfunc(function: F) -> F:
    """A C function when compiled; itself when plain."""
    return function


inline = ccall = cclass = cfunc


def declare(_kind: object, value: Any = None, *, visibility: str = "private") -> Any:
    """A C variable or attribute when compiled; its value when plain."""
    return value


def exceptval(*_value: object, check: bool = False) -> Callable[[F], F]:
    """How a C function signals an error; means nothing when plain."""
    return cfunc
