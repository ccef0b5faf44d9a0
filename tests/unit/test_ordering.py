"""Order keys: ascending bytes are rank order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook.rules.ordering import Column, OrderCodec

integers = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
instants = st.integers(-62135596800000000, 253402300799999999)
directions = st.booleans()


@st.composite
def orders(draw):
    """Columns, and two rows of numbers for them that often agree."""
    count = draw(st.integers(1, 4))
    columns, left, right = [], [], []
    for index in range(count):
        is_float = draw(st.booleans())
        numbers = floats if is_float else integers
        columns.append(Column(index, draw(directions), is_float))
        left.append(draw(numbers))
        right.append(draw(st.one_of(st.just(left[-1]), numbers)))
    return columns, left, right


def rank_order(columns, numbers, at, tie_break):
    """What sorts ascending as ranks do, with numbers instead of bytes."""
    signed = [-numbers[c.measure] if c.descending else numbers[c.measure] for c in columns]
    return (*signed, *{"first": [at], "last": [-at], "player": []}[tie_break])


@given(orders(), instants, instants, st.sampled_from(["first", "last", "player"]))
def test_the_order_of_keys_is_the_order_of_values(order, at, other, tie_break):
    columns, left, right = order
    codec = OrderCodec(columns, tie_break)
    keys = codec.key(left, at), codec.key(right, other)
    wanted = (
        rank_order(columns, left, at, tie_break),
        rank_order(columns, right, other, tie_break),
    )
    assert (keys[0] < keys[1]) == (wanted[0] < wanted[1])
    assert (keys[0] == keys[1]) == (wanted[0] == wanted[1])


@given(orders(), instants, instants)
def test_rows_are_tied_exactly_when_their_group_bytes_agree(order, at, other):
    columns, left, right = order
    codec = OrderCodec(columns, "first")
    groups = [codec.key(row, t)[: codec.group_bytes] for row, t in ((left, at), (right, other))]
    assert (groups[0] == groups[1]) == (left == right)


@given(orders(), instants)
def test_the_first_number_reads_back_from_the_key(order, at):
    columns, left, _ = order
    codec = OrderCodec(columns, "first")
    assert codec.first(codec.key(left, at)) == left[0]


@given(orders(), instants)
def test_a_prefix_is_how_the_key_of_these_numbers_begins(order, at):
    columns, left, _ = order
    codec = OrderCodec(columns, "last")
    key = codec.key(left, at)
    assert all(key.startswith(codec.prefix(left[:n])) for n in range(len(left) + 1))


def test_columns_take_their_own_measures_in_any_order():
    codec = OrderCodec([Column(2, True, False), Column(0, False, False)], "player")
    assert codec.key((1, 99, 5), 0) < codec.key((2, 0, 5), 0) < codec.key((1, 0, 4), 0)


@pytest.mark.parametrize(("tie_break", "size"), [("first", 24), ("last", 24), ("player", 16)])
def test_a_key_has_eight_bytes_a_part(tie_break, size):
    codec = OrderCodec([Column(0, True, False), Column(1, False, True)], tie_break)
    assert (codec.group_bytes, codec.key_bytes) == (16, size)
    assert len(codec.key((1, 2.5), 7)) == size
