"""Pages, held against lists: the kernel that runs and the plain file side by side."""

import importlib.util
import os
import struct
import subprocess
import sys
from bisect import bisect_left, bisect_right
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankbook.engine import page_cy as running


def load_plain():
    path = Path(running.__file__).with_name("page_cy.py")
    spec = importlib.util.spec_from_file_location("plain_page_kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


plain = load_plain()
GROUP = 3
OWNERS = st.integers(0, 2**32 - 1)
few = st.sampled_from([b"\x00", b"\x01", b"\xff", b"a"])
item = st.builds(
    lambda parts, rest: b"".join(parts) + rest,
    st.lists(few, min_size=GROUP, max_size=GROUP),
    st.binary(max_size=6),
)
items = st.lists(item, unique=True, max_size=40).map(sorted)
some = st.lists(item, unique=True, min_size=1, max_size=40).map(sorted)
bound = st.one_of(item, st.binary(max_size=5), st.just(b"\xff" * 20))
child = st.tuples(
    st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.booleans()
)


def both(name, *arguments):
    """What the running kernel gives; the plain one gives the very same, or raises the same."""
    answers = []
    for kernel in (running, plain):
        try:
            answers.append(getattr(kernel, name)(*arguments))
        except LookupError as error:
            answers.append((type(error), error.args))
    assert answers[0] == answers[1]
    assert repr(answers[0]) == repr(answers[1])
    return answers[0]


def leaf(content, owner=7):
    return both("leaf_build", content, 0, len(content), owner)


@st.composite
def children_of(draw, least=1):
    """Children as a parent states them, with ascending separators."""
    separators = draw(
        st.lists(st.binary(min_size=1, max_size=6), unique=True, min_size=least - 1, max_size=20)
    )
    found = []
    for separator in [b"", *sorted(separators)]:
        page_id, count, groups, joined = draw(child)
        found.append((separator, page_id, count, groups, int(joined and separator != b"")))
    return found


def inner(children, floor=1, owner=7):
    return both("inner_build", children, 0, len(children), floor, owner)


def test_the_plain_file_is_plain():
    assert not plain.COMPILED


# --- bytes ---------------------------------------------------------------------------------------


@given(items, OWNERS)
def test_a_leaf_has_the_bytes_of_its_description(content, owner):
    at = 12 + 2 * (len(content) + 1)
    offsets = [at]
    for entry in content:
        at += len(entry)
        offsets.append(at)
    rest = struct.pack(f"<BBHI{len(offsets)}H", 1, 0, len(content), owner, *offsets)
    rest += b"".join(content)
    assert leaf(content, owner) == struct.pack("<I", crc32(rest)) + rest


@given(children_of(), st.integers(1, 255), OWNERS)
def test_an_inner_page_has_the_bytes_of_its_description(children, floor, owner):
    at = 12 + 17 * len(children) + 2 * (len(children) + 1)
    offsets = [at]
    for entry in children:
        at += len(entry[0])
        offsets.append(at)
    rest = struct.pack("<BBHI", 2, floor, len(children), owner)
    rest += b"".join(struct.pack("<QIIB", *entry[1:]) for entry in children)
    rest += struct.pack(f"<{len(offsets)}H", *offsets) + b"".join(entry[0] for entry in children)
    assert inner(children, floor, owner) == struct.pack("<I", crc32(rest)) + rest


@given(items, children_of(), OWNERS, st.integers(1, 255))
def test_the_header_reads_back(content, children, owner, floor):
    low, high = leaf(content, owner), inner(children, floor, owner)
    assert [both("kind", page) for page in (low, high)] == [running.LEAF, running.INNER]
    assert [both("level", page) for page in (low, high)] == [0, floor]
    assert [both("length", page) for page in (low, high)] == [len(content), len(children)]
    assert [both("owner", page) for page in (low, high)] == [owner, owner]


@given(some, st.data())
def test_a_page_with_any_bit_flipped_is_unsound(content, data):
    page = leaf(content)
    assert both("sound", page)
    at = data.draw(st.integers(0, len(page) - 1))
    bit = data.draw(st.integers(0, 7))
    assert not both("sound", page[:at] + bytes([page[at] ^ 1 << bit]) + page[at + 1 :])


@given(some, st.data())
def test_a_page_cut_short_is_unsound(content, data):
    page = leaf(content)
    assert not both("sound", page[: data.draw(st.integers(0, len(page) - 1))])


@given(st.binary(max_size=40))
def test_other_bytes_are_unsound_and_harmless(page):
    assume(len(page) < 4 or crc32(page[4:]) != int.from_bytes(page[:4], "little"))
    assert not both("sound", page)


# --- leaves --------------------------------------------------------------------------------------


@given(items, st.lists(bound, max_size=8))
def test_a_leaf_finds_how_many_items_are_below_a_bound(content, bounds):
    page = leaf(content)
    for one in [*bounds, *content]:
        found = bisect_left(content, one)
        assert both("leaf_find", page, one) == found
        assert both("leaf_holds", page, found, one) == (one in content)


@given(some)
def test_a_leaf_gives_back_its_items(content):
    page = leaf(content)
    assert both("leaf_items", page, 0, len(content)) == content
    assert [both("leaf_item", page, at) for at in range(len(content))] == content
    for start in range(0, len(content), 3):
        assert both("leaf_items", page, start, len(content)) == content[start:]
        assert both("leaf_items", page, 0, start) == content[:start]


@given(some, st.integers(0, GROUP))
def test_a_leaf_counts_its_groups_and_knows_its_edges(content, group):
    page = leaf(content)
    for stop in range(len(content) + 1):
        expected = len({entry[:group] for entry in content[:stop]})
        assert both("leaf_groups", page, stop, group) == expected
    assert both("leaf_edges", page, group) == (content[0][:group], content[-1][:group])


@given(some, st.data())
def test_a_leaf_of_a_part_of_a_list_is_that_of_the_part(content, data):
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, len(content)))
    assert both("leaf_build", content, start, stop, 7) == leaf(content[start:stop])


@given(items, items, st.data())
def test_a_changed_leaf_is_the_leaf_of_the_changed_items(content, others, data):
    gone = [entry for entry in content if data.draw(st.booleans())]
    added = [entry for entry in others if entry not in content]
    changes = sorted(gone + added)
    present = [entry in added for entry in changes]
    page = leaf(content)
    expected = leaf(sorted(set(content) - set(gone) | set(added)))
    changed = both("leaf_change", page, changes, present, 0, len(changes), 65_535)
    assert changed == expected
    assert both("leaf_change", page, changes, present, 0, len(changes), len(expected)) == expected
    assert both("leaf_change", page, changes, present, 0, len(changes), len(expected) - 1) is None


@given(some, items, st.data())
def test_a_change_that_does_not_fit_the_leaf_is_a_lookup_error(content, others, data):
    page = leaf(content)
    there = data.draw(st.sampled_from(content))
    answer = both("leaf_change", page, [there], [True], 0, 1, 65_535)
    assert answer == (LookupError, (there,))
    for absent in others:
        if absent not in content and len(absent) + 2 <= len(page) - 14:
            answer = both("leaf_change", page, [absent], [False], 0, 1, 65_535)
            assert answer == (LookupError, (absent,))


def test_a_refused_change_writes_nothing_outside_its_page():
    program = """
from rankbook.engine import page_cy as kernel
content = [b"%03d" % n + b"x" * 10 for n in range(50)]
page = kernel.leaf_build(content, 0, 50, 7)
refused = 0
for size in range(1, 760):
    changes = [b"6", b"7" + b"z" * size]
    try:
        kernel.leaf_change(page, changes, [True, False], 0, 2, 4064)
    except LookupError:
        refused += 1
print(refused)
"""
    debugging = {**os.environ, "PYTHONMALLOC": "debug"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=debugging, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:2000]
    assert int(done.stdout) > 600


# --- inner pages ---------------------------------------------------------------------------------


@given(children_of(), st.lists(bound, max_size=8))
def test_an_inner_page_finds_the_child_whose_range_holds_a_bound(children, bounds):
    page = inner(children)
    separators = [entry[0] for entry in children]
    for one in [*bounds, *separators, *(entry[0] + b"\x00" for entry in children)]:
        expected = max(bisect_right(separators, one, lo=1) - 1, 0)
        assert both("inner_find", page, one) == expected


@given(children_of(), some)
def test_a_run_of_items_is_cut_where_the_children_end(children, content):
    page = inner(children)
    separators = [entry[0] for entry in children]
    start = 0
    while start < len(content):
        index = both("inner_find", page, content[start])
        end = both("inner_reach", page, index, content, start, len(content))
        expected = len(content)
        if index + 1 < len(children):
            expected = bisect_left(content, separators[index + 1])
        assert end == expected > start
        start = end


@given(children_of())
def test_an_inner_page_gives_back_its_children(children):
    page = inner(children)
    assert both("inner_children", page) == children
    assert [both("inner_child", page, at) for at in range(len(children))] == [
        entry[1] for entry in children
    ]
    assert [bool(both("inner_joined", page, at)) for at in range(len(children))] == [
        bool(entry[4]) for entry in children
    ]


@given(children_of())
def test_counts_before_a_child_are_sums_and_a_group_that_carries_on_counts_once(children):
    page = inner(children)
    for index in range(len(children) + 1):
        counted = sum(entry[2] for entry in children[:index])
        groups = sum(entry[3] - entry[4] for entry in children[:index])
        assert both("inner_before", page, index) == (counted, groups)
    assert both("inner_totals", page) == (counted, groups)


@given(children_of(), st.data())
def test_a_position_falls_in_the_child_that_holds_it(children, data):
    children = [(s, page_id, count % 50 + 1, g, j) for s, page_id, count, g, j in children]
    page = inner(children)
    total = sum(entry[2] for entry in children)
    position = data.draw(st.integers(0, total - 1))
    index, rest = both("inner_position", page, position)
    assert sum(entry[2] for entry in children[:index]) + rest == position
    assert 0 <= rest < children[index][2]


@given(children_of(least=2), st.data())
def test_an_inner_page_of_a_part_begins_with_no_separator_and_unjoined(children, data):
    start = data.draw(st.integers(0, len(children) - 1))
    stop = data.draw(st.integers(start + 1, len(children)))
    part = children[start:stop]
    part[0] = (b"", *part[0][1:4], 0)
    assert both("inner_build", children, start, stop, 1, 7) == inner(part)


@given(children_of(), st.data())
def test_a_patched_page_is_the_page_of_the_patched_children(children, data):
    patched = list(children)
    counts, joins = [], []
    for index in range(len(children)):
        separator, page_id, count, groups, joined = children[index]
        if data.draw(st.booleans()):
            _page_id, count, groups, _joined = data.draw(child)
            counts.append((index, count, groups))
        if index and data.draw(st.booleans()):
            joined = int(data.draw(st.booleans()))
            joins.append((index, joined))
        patched[index] = (separator, page_id, count, groups, joined)
    assert both("inner_patch", inner(children), counts, joins) == inner(patched)


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_a_separator_is_the_shortest_string_that_separates(left, right):
    assume(left != right)
    left, right = sorted((left, right))
    found = both("separator", left, right)
    assert left < found <= right
    assert right.startswith(found)
    assert all(right[:size] <= left for size in range(len(found)))


@pytest.mark.parametrize("size", [60_000, 65_400])
def test_a_page_may_come_close_to_64_kib(size):
    content = sorted(b"%06d" % n + b"x" * 200 for n in range(size // 208 - 2))
    page = leaf(content)
    assert both("leaf_items", page, 0, len(content)) == content
    assert both("leaf_find", page, content[-1]) == len(content) - 1
