"""Rankings over the engine, in LMDB files beside the book."""

from rankbook.engine.kernels import PlainKernelWarning, warn_if_plain

__all__ = ["PlainKernelWarning", "warn_if_plain"]
