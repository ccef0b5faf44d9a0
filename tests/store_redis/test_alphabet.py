"""The alphabet: text that sorts as the bytes do, reads back, and is carried by JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook.errors import Corrupt
from rankbook.store.redis.alphabet import (
    bound_text,
    key_text,
    read_key,
    read_text,
    shape,
    text,
)

SIZES = st.tuples(st.integers(0, 10), st.integers(0, 10)).filter(any)
ODD = st.sampled_from([b"", b"\x00", b"\xff", b"a", b"\x7f", b"\x80"])
RAW = st.lists(ODD | st.binary(max_size=6), max_size=4).map(b"".join)


def keys(size):
    return st.binary(min_size=size, max_size=size) | st.lists(
        st.sampled_from([0, 1, 127, 128, 255]), min_size=size, max_size=size
    ).map(bytes)


@given(st.data(), SIZES)
def test_a_key_reads_back_and_has_one_length(data, sizes):
    group, rest = sizes
    of = shape(group + rest, group)
    key = data.draw(keys(group + rest))
    digits = key_text(key, group)
    assert len(digits) == of.key_digits
    assert digits.isascii()
    assert read_key(digits, of) == key
    assert digits[: of.group_digits] == key_text(key[:group], group)


@given(st.data(), SIZES)
def test_items_sort_as_key_and_member_do(data, sizes):
    group, rest = sizes
    pair = st.tuples(keys(group + rest), RAW)
    left, right = data.draw(pair), data.draw(pair)
    shown = [(key_text(key, group) + text(member)).encode() for key, member in (left, right)]
    assert (shown[0] < shown[1]) == (left[0] + left[1] < right[0] + right[1])


@given(st.data(), SIZES)
def test_exactly_the_items_before_a_bound_sort_before_its_text(data, sizes):
    group, rest = sizes
    of = shape(group + rest, group)
    item = data.draw(keys(group + rest)) + data.draw(RAW)
    bound = data.draw(RAW | st.integers(0, len(item)).map(lambda end: item[:end]))
    shown = key_text(item[: group + rest], group) + text(item[group + rest :])
    assert (shown.encode() < bound_text(bound, of).encode()) == (item < bound)


@given(RAW)
def test_any_bytes_read_back_through_json(raw):
    assert read_text(json.loads(json.dumps(text(raw)))) == raw
    assert text(raw).encode().decode() == text(raw)


def test_plain_text_stays_readable():
    assert text(b"player-1 [x]") == "player-1 [x]"


@pytest.mark.parametrize("digits", ["", "-", "----", "-------!", "é-------"])
def test_what_is_no_key_is_corrupt(digits):
    with pytest.raises(Corrupt):
        read_key(digits, shape(6, 3))


def test_a_character_that_is_no_byte_is_corrupt():
    with pytest.raises(Corrupt):
        read_text("Ā")
