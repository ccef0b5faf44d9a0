"""Which kernels run: compiled where they were built, plain otherwise, or as two switches say.

`RANKBOOK_PLAIN=1` runs the plain files though compiled ones are there, and
`RANKBOOK_REQUIRE_COMPILED=1` makes it an error when a compiled one is not.
"""

import importlib
import importlib.util
import os
import sys
from pathlib import Path

KERNELS = ("page_cy", "pager_cy", "tree_cy", "members_cy")


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


def _load_plain(name: str) -> None:
    full = f"rankbook.engine.{name}"
    spec = importlib.util.spec_from_file_location(full, Path(__file__).with_name(f"{name}.py"))
    if spec is None or spec.loader is None:
        raise ImportError(f"the plain kernel {name} is not there")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    spec.loader.exec_module(module)
    setattr(sys.modules["rankbook.engine"], name, module)
