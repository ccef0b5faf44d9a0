"""Which kernels run: compiled if they were built, plain otherwise, or as two switches say.

`RANKBOOK_PLAIN=1` runs the plain files even if compiled ones exist. With
`RANKBOOK_REQUIRE_COMPILED=1`, a missing compiled kernel is an error.
"""

import importlib
import importlib.util
import os
import sys
import warnings
from importlib.machinery import ExtensionFileLoader, PathFinder
from pathlib import Path

KERNELS = ("page_cy", "pager_cy", "tree_cy", "members_cy")


class PlainKernelWarning(RuntimeWarning):
    """The embedded engine was not compiled, so it runs as plain Python, which is slower."""


def select() -> None:
    """Load the kernels as the switches say. Raises ImportError for a missing compiled one."""
    if os.environ.get("RANKBOOK_PLAIN") == "1":
        for name in KERNELS:
            _load_plain(name)
    elif os.environ.get("RANKBOOK_REQUIRE_COMPILED") == "1":
        missing = [name for name in KERNELS if not is_compiled(name)]
        if missing:
            raise ImportError(
                f"RANKBOOK_REQUIRE_COMPILED is set and these kernels are not compiled: {missing}; "
                "install a C compiler and Cython, and build again"
            )


def is_compiled(name: str) -> bool:
    """Whether the kernel of that name runs compiled."""
    return bool(importlib.import_module(f"rankbook.engine.{name}").COMPILED)


def plain() -> list[str]:
    """The names of the kernels that are not compiled. Looks at their files, and loads none."""
    folder = [str(Path(__file__).parent)]
    specs = {name: PathFinder.find_spec(f"rankbook.engine.{name}", folder) for name in KERNELS}
    return [
        name
        for name, spec in specs.items()
        if spec is None or not isinstance(spec.loader, ExtensionFileLoader)
    ]


def warn_if_plain() -> None:
    """Warn with `PlainKernelWarning` if a kernel is not compiled, unless the user chose that.

    `RANKBOOK_PLAIN=1` chooses it. The warning names the caller of the caller: the import.
    """
    missing = plain()
    if missing and os.environ.get("RANKBOOK_PLAIN") != "1":
        warnings.warn(
            f"Rankbook runs as plain Python, which is slower: {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not compiled. Build it again where Cython "
            "and a C compiler are installed, or choose plain Python with RANKBOOK_PLAIN=1",
            PlainKernelWarning,
            stacklevel=3,
        )


def _load_plain(name: str) -> None:
    full = f"rankbook.engine.{name}"
    spec = importlib.util.spec_from_file_location(full, Path(__file__).with_name(f"{name}.py"))
    if spec is None or spec.loader is None:
        raise ImportError(f"the plain kernel {name} is not there")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    spec.loader.exec_module(module)
    setattr(sys.modules["rankbook.engine"], name, module)
