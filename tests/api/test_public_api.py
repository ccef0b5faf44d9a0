"""The public API: one sorted list, where every name is there and documented, and one drawn tree."""

import inspect
import re
from types import ModuleType

import rankbook
from rankbook import errors


def test_the_list_is_sorted_and_exactly_what_can_be_imported():
    public = [
        name
        for name, value in vars(rankbook).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    ]
    assert rankbook.__all__ == sorted(public)
    assert len(set(rankbook.__all__)) == len(rankbook.__all__)


def test_a_star_import_gives_the_list():
    names = {}
    exec("from rankbook import *", names)
    assert sorted(names.keys() - {"__builtins__"}) == rankbook.__all__


def test_every_public_name_has_a_docstring_of_its_own():
    assert rankbook.__doc__
    for name in rankbook.__all__:
        public = getattr(rankbook, name)
        assert public.__doc__, name
        bases = public.__mro__[1:] if inspect.isclass(public) else ()
        assert public.__doc__ not in [base.__doc__ for base in bases], name


def test_every_public_method_has_a_docstring():
    for name in rankbook.__all__:
        for method, value in vars(getattr(rankbook, name)).items():
            if inspect.isroutine(value) and not method.startswith("_"):
                assert inspect.getdoc(value), f"{name}.{method}"


def drawn():
    """The tree in the docstring of errors.py: each name and that of its parent."""
    parents, above = {}, []
    for line in errors.__doc__.splitlines():
        match = re.match(r"^( {4}(?:[| ] {3}|[|`]-- )*)([A-Z]\w+)(?: {2,}\S.*)?$", line)
        if match is None:
            continue
        depth = (len(match[1]) - 4) // 4
        del above[depth:]
        parents[match[2]] = above[-1] if above else "Exception"
        above.append(match[2])
    return parents


def test_the_errors_are_the_tree_that_is_drawn():
    defined = {
        name: value.__base__.__name__
        for name, value in vars(errors).items()
        if inspect.isclass(value) and value.__module__ == errors.__name__
    }
    assert drawn() == defined
    assert drawn()["PositionMoved"] == "StoreError"
    assert drawn()["RebuildNeeded"] == "BookError"


def test_every_line_of_the_drawing_is_read():
    assert len(drawn()) == errors.__doc__.count("-- ") + 1


def test_the_errors_that_callers_meet_are_public():
    public = {name for name in rankbook.__all__ if name in drawn()}
    assert drawn().keys() - public == {"PositionMoved"}
