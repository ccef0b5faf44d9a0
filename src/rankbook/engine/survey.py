"""What an environment holds, in numbers, for `rankbook doctor`."""

from typing import Any

from rankbook.engine import page_cy as kernel
from rankbook.engine.environment import FORMAT, Environment
from rankbook.engine.kernels import KERNELS, is_compiled
from rankbook.engine.rankset import RankSet
from rankbook.engine.records import read_header


def survey(environment: Environment) -> dict[str, Any]:
    """Sizes in bytes, counts, and shares between 0 and 1. Reads every set's record and every page's
    header.

    `free_bytes` are in pages that hold nothing now. While a reader holds an old state, its pages
    cannot be reused. `readers` are the snapshots of older states.
    """
    resources = environment.resources
    with environment.view() as view:
        compact = trees = entries = 0
        for filed, record in view.handle.cursor(resources.sets_db):
            head = read_header(filed, record)
            rankset = RankSet(view, head.name, head.key_bytes, head.group_bytes)
            compact += rankset.tree is None
            trees += rankset.tree is not None
            entries += len(rankset)
        leaves = inner = page_bytes = 0
        for _page_id, page in view.handle.cursor(resources.pages_db):
            leaves += kernel.kind(page) == kernel.LEAF
            inner += kernel.kind(page) == kernel.INNER
            page_bytes += len(page)
        held = sum(_bytes(view.handle.stat(db)) for db in resources.databases())
    sizes = environment.sizes()
    capacity = (leaves + inner) * resources.page_bytes
    return {
        "format": FORMAT,
        **sizes,
        "free_bytes": max(0, sizes["used_bytes"] - held),
        "rankings_compact": compact,
        "rankings_tree": trees,
        "entries": entries,
        "tree_leaves": leaves,
        "tree_inner_pages": inner,
        "tree_page_fill": round(page_bytes / capacity, 3) if capacity else None,
        "cached_pages": resources.cache.held(),
        "cache_limit_pages": resources.cache.limit_pages(),
        "readers": [each for each in environment.readers() if each.behind],
        "durability": environment.durability,
        "kernels": {name: "compiled" if is_compiled(name) else "plain" for name in KERNELS},
    }


def _bytes(database: dict[str, int]) -> int:
    """The bytes of a database's pages, by LMDB's own numbers."""
    pages = database["branch_pages"] + database["leaf_pages"] + database["overflow_pages"]
    return pages * database["psize"]
