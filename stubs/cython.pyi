"""What the kernels use of Cython's pure mode, for the type checker."""

import builtins
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

F = TypeVar("F")

compiled: bool
int = builtins.int
Py_ssize_t = builtins.int
longlong = builtins.int
ushort = builtins.int
uint = builtins.int
bint = builtins.bool
p_char: TypeAlias = Any

def cfunc(function: F) -> F: ...
def inline(function: F) -> F: ...
def ccall(function: F) -> F: ...
def exceptval(*value: object, check: bool = ...) -> Callable[[F], F]: ...
def declare(kind: object, value: F) -> F: ...
def cast(kind: object, value: Any) -> Any: ...
def address(value: object) -> Any: ...
