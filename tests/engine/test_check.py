"""Each invariant that check() lists is broken on purpose, and reported."""

import random
import struct
from contextlib import contextmanager
from hashlib import blake2b
from zlib import crc32

import lmdb
import pytest

from rankbook.engine import page_cy as kernel
from rankbook.engine.environment import Environment
from rankbook.engine.records import read_header
from rankbook.errors import Corrupt, StoreError
from tests.engine.reading import faults

CAPACITIES = {"page_bytes": 130, "compact_bytes": 300}
TREE, SMALL, LONG = b"tree", b"small", b"long"
LONG_MEMBER = b"x" * 60_000
NUMBERS = struct.Struct("<IIQQQQ")  # set id, height, root, items, groups, payload


def entries():
    """200 entries in ties of 1 to 20, in order."""
    keys = [n - n % (1 + n // 10) for n in range(200)]
    return sorted(
        (key.to_bytes(8, "big"), b"m%03d" % (n * 7 % 200), b"v%d" % n) for n, key in enumerate(keys)
    )


ORDER = [(member, key, value) for key, member, value in entries()]


class Bytes:
    """What is stored, behind the engine's back."""

    def __init__(self, path):
        self.env = lmdb.open(str(path), max_dbs=4, writemap=True)
        names = (b"sets", b"pages", b"members", b"meta")
        self.dbs = {name: self.env.open_db(name) for name in names}

    def get(self, name, key):
        with self.env.begin() as handle:
            return handle.get(key, db=self.dbs[name])

    def put(self, name, key, value):
        with self.env.begin(write=True) as handle:
            if value is None:
                assert handle.delete(key, db=self.dbs[name])
            else:
                handle.put(key, value, db=self.dbs[name])

    def all(self, name):
        with self.env.begin() as handle:
            return dict(handle.cursor(self.dbs[name]))

    def pages(self, set_id):
        """page id -> page, of one set."""
        pages = {int.from_bytes(k, "big"): page for k, page in self.all(b"pages").items()}
        return {i: page for i, page in pages.items() if kernel.owner(page) == set_id}

    def put_page(self, page_id, page):
        self.put(b"pages", page_id.to_bytes(8, "big"), page)

    def record(self, name):
        return self.get(b"sets", b"n" + name)

    def put_record(self, name, record):
        """The record with a CRC that fits."""
        self.put(b"sets", b"n" + name, crc32(record[4:]).to_bytes(4, "little") + record[4:])

    def numbers(self, name):
        record = self.record(name)
        return list(NUMBERS.unpack_from(record, read_header(b"n" + name, record).body))

    def put_numbers(self, name, numbers):
        record = self.record(name)
        body = read_header(b"n" + name, record).body
        self.put_record(name, record[:body] + NUMBERS.pack(*numbers))

    def put_pairs(self, name, pairs):
        """The compact set's items and values."""
        record = self.record(name)
        body = read_header(b"n" + name, record).body
        lengths = [size for item, value in pairs for size in (len(item), len(value))]
        packed = struct.pack(f"<{1 + len(lengths)}I", len(pairs), *lengths)
        self.put_record(name, record[:body] + packed + b"".join(b"".join(pair) for pair in pairs))

    def leaf(self, at=0):
        """(page id, page) of a leaf of the tree, by its place."""
        set_id, height, page_id, *_rest = self.numbers(TREE)
        pages = self.pages(set_id)
        floor = [page_id]
        for _down in range(height):
            floor = [child[1] for i in floor for child in kernel.inner_children(pages[i])]
        return floor[at], pages[floor[at]]

    def root(self):
        set_id, _height, page_id, *_rest = self.numbers(TREE)
        return page_id, self.pages(set_id)[page_id]

    def put_children(self, page_id, children):
        page = self.get(b"pages", page_id.to_bytes(8, "big"))
        floor, owner = kernel.level(page), kernel.owner(page)
        self.put_page(page_id, kernel.inner_build(children, 0, len(children), floor, owner))

    def put_items(self, page_id, items):
        owner = self.numbers(TREE)[0]
        self.put_page(page_id, kernel.leaf_build(items, 0, len(items), owner))


@pytest.fixture
def book(tmp_path):
    """A directory with a deep tree, a compact set, and a tree with long members."""
    environment = Environment(tmp_path, **CAPACITIES)

    def work(transaction):
        transaction.rankset(TREE, 8, 8).apply(ORDER, 1)
        few = [(b"m%d" % n, bytes([n] * 8), b"v") for n in range(5)]
        transaction.rankset(SMALL, 8, 4).apply(few, 1)
        long = [(LONG_MEMBER, bytes(8), b"1"), (b"y" * 500, bytes(8), b"2")]
        transaction.rankset(LONG, 8, 8).apply(long, 1)

    environment.update(work)
    assert faults(environment) == []
    environment.close()
    return tmp_path


@contextmanager
def behind(path):
    stored = Bytes(path)
    try:
        yield stored
    finally:
        stored.env.close()


def found(path):
    """What check() reports; everything else that is read is right or an error of ours."""
    environment = Environment(path, **CAPACITIES)
    try:
        return faults(environment)
    finally:
        environment.close()


def assert_reported(path, pattern):
    reported = found(path)
    assert [fault for fault in reported if pattern in fault], reported


def test_a_sound_book_has_no_faults_and_its_tree_is_deep(book):
    assert found(book) == []
    with behind(book) as stored:
        assert stored.numbers(TREE)[1] >= 3


def test_progress_counts_every_entry(book):
    from rankbook.engine.check import check

    environment = Environment(book, **CAPACITIES)
    counts = []
    with environment.view() as transaction:
        assert list(check(transaction, counts.append)) == []
    environment.close()
    assert sum(counts) == 207


# --- 1: records of sets --------------------------------------------------------------------------


@pytest.mark.parametrize("name", [TREE, SMALL])
def test_a_set_record_with_a_wrong_byte_is_reported(book, name):
    with behind(book) as stored:
        record = stored.record(name)
    for at in range(0, len(record), 3):
        with behind(book) as stored:
            wrong = record[:at] + bytes([record[at] ^ 16]) + record[at + 1 :]
            stored.put(b"sets", b"n" + name, wrong)
        assert_reported(book, "fails its checksum")
        assert_reads_are_right_or_corrupt(book, name)


@pytest.mark.parametrize("size", [0, 3, 4, 10, 19])
def test_a_set_record_cut_short_is_reported(book, size):
    with behind(book) as stored:
        stored.put(b"sets", b"n" + SMALL, stored.record(SMALL)[:size])
    assert found(book)
    with behind(book) as stored:
        stored.put_record(TREE, stored.record(TREE)[:-size] if size else b"    ")
    assert found(book)


def test_a_set_record_of_an_unknown_form_is_reported(book):
    for name in (TREE, SMALL):
        with behind(book) as stored:
            record = stored.record(name)
            stored.put_record(name, record[:4] + b"\x07" + record[5:])
        assert_reported(book, "form")
        with behind(book) as stored:
            stored.put_record(name, record)


def test_keys_shorter_than_their_groups_are_reported(book):
    with behind(book) as stored:
        record = stored.record(SMALL)
        stored.put_record(SMALL, record[:8] + (9).to_bytes(2, "little") + record[10:])
    assert_reported(book, "groups of 9 bytes in keys of 8")


# --- 2: compact sets -----------------------------------------------------------------------------


def test_items_of_a_compact_set_that_do_not_ascend_are_reported(book):
    with behind(book) as stored:
        stored.put_pairs(SMALL, [(b"\x02" * 8 + b"a", b""), (b"\x01" * 8 + b"b", b"")])
    assert_reported(book, "do not ascend")


def test_a_member_that_is_twice_in_a_compact_set_is_reported(book):
    with behind(book) as stored:
        stored.put_pairs(SMALL, [(b"\x01" * 8 + b"a", b""), (b"\x02" * 8 + b"a", b"")])
    assert_reported(book, "twice")


def test_an_item_of_a_compact_set_shorter_than_a_key_is_reported(book):
    with behind(book) as stored:
        stored.put_pairs(SMALL, [(b"\x01" * 5, b""), (b"\x02" * 8 + b"a", b"")])
    assert_reported(book, "shorter than a key")


# --- 3: pages ------------------------------------------------------------------------------------


def test_a_wrong_byte_in_any_page_is_reported_and_never_gives_a_wrong_answer(book):
    chance = random.Random(1)
    with behind(book) as stored:
        pages = stored.pages(stored.numbers(TREE)[0])
    for page_id, page in pages.items():
        at = chance.randrange(len(page))
        with behind(book) as stored:
            wrong = page[:at] + bytes([page[at] ^ 1 << chance.randrange(8)]) + page[at + 1 :]
            stored.put_page(page_id, wrong)
        assert_reported(book, f"page {page_id} fails its checksum")
        assert assert_reads_are_right_or_corrupt(book, TREE) > 0
        with behind(book) as stored:
            stored.put_page(page_id, page)
    assert found(book) == []


def test_any_missing_page_is_reported_and_never_gives_a_wrong_answer(book):
    with behind(book) as stored:
        pages = stored.pages(stored.numbers(TREE)[0])
    for page_id, page in pages.items():
        with behind(book) as stored:
            stored.put(b"pages", page_id.to_bytes(8, "big"), None)
        assert_reported(book, f"page {page_id} is missing")
        assert assert_reads_are_right_or_corrupt(book, TREE) > 0
        with behind(book) as stored:
            stored.put_page(page_id, page)


@pytest.mark.parametrize("size", [0, 1, 4, 12, 13])
def test_a_page_cut_short_is_reported(book, size):
    with behind(book) as stored:
        page_id, page = stored.leaf(3)
        stored.put_page(page_id, page[:size])
    assert_reported(book, f"page {page_id} fails its checksum")
    assert assert_reads_are_right_or_corrupt(book, TREE) > 0


def test_a_page_of_another_set_is_reported(book):
    with behind(book) as stored:
        page_id, page = stored.leaf(3)
        items = kernel.leaf_items(page, 0, kernel.length(page))
        stored.put_page(page_id, kernel.leaf_build(items, 0, len(items), 77))
    assert_reported(book, f"page {page_id} is of set 77")


def test_a_page_on_another_floor_is_reported(book):
    with behind(book) as stored:
        page_id, page = stored.root()
        children = kernel.inner_children(page)
        owner, floor = kernel.owner(page), kernel.level(page)
        wrong = kernel.inner_build(children, 0, len(children), floor + 1, owner)
        stored.put_page(page_id, wrong)
    assert_reported(book, f"floor {floor + 1}")


def test_a_leaf_where_an_inner_page_belongs_is_reported(book):
    with behind(book) as stored:
        _leaf_id, leaf = stored.leaf(0)
        page_id, _root = stored.root()
        stored.put_page(page_id, leaf)
    assert_reported(book, f"page {page_id} is of set")


def test_an_empty_leaf_is_reported(book):
    with behind(book) as stored:
        page_id, _page = stored.leaf(2)
        stored.put_items(page_id, [])
    assert_reported(book, f"page {page_id} is an empty leaf")


# --- 4 and 5: the order of items, and separators -------------------------------------------------


def test_items_that_do_not_ascend_within_a_page_are_reported(book):
    with behind(book) as stored:
        page_id, page = stored.leaf(4)
        items = kernel.leaf_items(page, 0, kernel.length(page))
        stored.put_items(page_id, [items[1], items[0], *items[2:]])
    assert_reported(book, "does not ascend")


def test_an_item_that_is_twice_in_a_page_is_reported(book):
    with behind(book) as stored:
        page_id, page = stored.leaf(4)
        items = kernel.leaf_items(page, 0, kernel.length(page))
        stored.put_items(page_id, [items[0], items[0], *items[2:]])
    assert_reported(book, "does not ascend")


def test_items_that_do_not_ascend_from_page_to_page_are_reported(book):
    with behind(book) as stored:
        page_id, page = stored.leaf(4)
        other_id, other = stored.leaf(5)
        stored.put_page(page_id, other)
        stored.put_page(other_id, page)
    assert_reported(book, "does not ascend")
    assert_reported(book, "is outside its separators")


def test_an_item_outside_its_separators_is_reported(book):
    with behind(book) as stored:
        page_id, page = stored.root()
        children = kernel.inner_children(page)
        children[1] = (children[1][0] + b"\xff\xff", *children[1][1:])
        stored.put_children(page_id, children)
    assert_reported(book, "is outside its separators")


# --- 6: counts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("field", [2, 3], ids=["items", "groups"])
@pytest.mark.parametrize("child", [0, -1])
def test_a_wrong_count_of_a_child_is_reported(book, field, child):
    with behind(book) as stored:
        page_id, page = stored.root()
        children = kernel.inner_children(page)
        wrong = list(children[child])
        wrong[field] += 1
        children[child] = tuple(wrong)
        stored.put_children(page_id, children)
    assert_reported(book, f"page {page_id}: child {child % len(children)} has")


def test_a_wrong_joined_flag_is_reported_on_any_floor(book):
    with behind(book) as stored:
        pages = stored.pages(stored.numbers(TREE)[0])
    inner = [(i, page) for i, page in pages.items() if kernel.level(page) > 0]
    assert len({kernel.level(page) for _i, page in inner}) >= 3
    for page_id, page in inner:
        children = kernel.inner_children(page)
        for index in range(1, len(children)):
            wrong = kernel.inner_patch(page, [], [(index, 1 - children[index][4])])
            with behind(book) as stored:
                stored.put_page(page_id, wrong)
            assert_reported(book, f"page {page_id}: child {index} is joined")
        with behind(book) as stored:
            stored.put_page(page_id, page)


@pytest.mark.parametrize("field", [3, 4], ids=["items", "groups"])
def test_a_wrong_count_in_the_record_of_a_set_is_reported(book, field):
    with behind(book) as stored:
        numbers = stored.numbers(TREE)
        numbers[field] -= 1
        stored.put_numbers(TREE, numbers)
    assert_reported(book, "its record says")


def test_a_set_that_states_entries_and_has_no_root_is_reported(book):
    with behind(book) as stored:
        numbers = stored.numbers(TREE)
        numbers[1:3] = [0, 0]
        stored.put_numbers(TREE, numbers)
    assert_reported(book, "set b'tree'")


# --- 7 and 8: member records ---------------------------------------------------------------------


def place(stored, name, member):
    prefix = stored.numbers(name)[0].to_bytes(4, "big")
    if len(member) <= 480:
        return prefix + b"\x00" + member
    return prefix + b"\x01" + blake2b(member, digest_size=32).digest()


def member_record(member, key, value):
    return crc32(member + key + value).to_bytes(4, "little") + key + value


def test_a_missing_member_record_is_reported(book):
    member = ORDER[50][0]
    with behind(book) as stored:
        stored.put(b"members", place(stored, TREE, member), None)
    assert_reported(book, "has no member record")
    assert_reported(book, "199 member records for 200 items")
    assert assert_reads_are_right_or_corrupt(book, TREE, missing={member}) > 0


def test_a_member_record_with_another_key_is_reported(book):
    member, _key, value = ORDER[50]
    with behind(book) as stored:
        wrong = member_record(member, b"\x09" * 8, value)
        stored.put(b"members", place(stored, TREE, member), wrong)
    assert_reported(book, "has a member record with key")
    environment = Environment(book, **CAPACITIES)
    with environment.view() as transaction:
        rankset = transaction.rankset(TREE, 8, 8)
        with pytest.raises(Corrupt):
            rankset.rank(member)
        with pytest.raises(Corrupt):
            rankset.scan(40, 20)
    environment.close()


def test_a_member_record_without_an_item_is_reported(book):
    with behind(book) as stored:
        stored.put(
            b"members", place(stored, TREE, b"nobody"), member_record(b"nobody", bytes(8), b"")
        )
    assert_reported(book, "201 member records for 200 items")
    environment = Environment(book, **CAPACITIES)
    with environment.view() as transaction, pytest.raises(Corrupt):
        transaction.rankset(TREE, 8, 8).rank(b"nobody")
    environment.close()


@pytest.mark.parametrize(
    ("name", "member"), [(TREE, ORDER[50][0]), (LONG, LONG_MEMBER), (LONG, b"y" * 500)]
)
def test_a_member_record_with_a_wrong_byte_is_reported(book, name, member):
    with behind(book) as stored:
        where = place(stored, name, member)
        record = stored.get(b"members", where)
    for at in {0, 3, 4, 11, 12, 13, 14, 15, 16, 17, len(record) // 2, len(record) - 1}:
        if at < len(record):
            with behind(book) as stored:
                wrong = record[:at] + bytes([record[at] ^ 4]) + record[at + 1 :]
                stored.put(b"members", where, wrong)
            assert_reported(book, "fails its checksum")
            assert assert_reads_are_right_or_corrupt(book, name) > 0


@pytest.mark.parametrize("size", [0, 1, 3, 4, 8, 12, 13, 15, 16, 100])
@pytest.mark.parametrize(("name", "member"), [(TREE, ORDER[50][0]), (LONG, LONG_MEMBER)])
def test_a_member_record_cut_short_is_reported(book, name, member, size):
    with behind(book) as stored:
        where = place(stored, name, member)
        record = stored.get(b"members", where)
        stored.put(b"members", where, record[: min(size, len(record) - 1)])
    assert found(book)
    assert assert_reads_are_right_or_corrupt(book, name) > 0


def test_a_long_member_filed_under_another_digest_is_reported(book):
    with behind(book) as stored:
        one, two = place(stored, LONG, LONG_MEMBER), place(stored, LONG, b"y" * 500)
        stored.put(b"members", one, stored.get(b"members", two))
    assert found(book)
    assert assert_reads_are_right_or_corrupt(book, LONG) > 0


def test_a_wrong_payload_is_reported(book):
    with behind(book) as stored:
        numbers = stored.numbers(TREE)
        numbers[5] += 1
        stored.put_numbers(TREE, numbers)
    assert_reported(book, "payload")


# --- 9: what belongs to nobody, and what belongs to two ------------------------------------------


def test_a_page_that_belongs_to_no_set_is_reported(book):
    with behind(book) as stored:
        _page_id, page = stored.leaf(0)
        stored.put_page(9999, page)
    assert found(book) == ["page 9999 belongs to no set"]


def test_member_records_that_belong_to_no_set_are_reported(book):
    with behind(book) as stored:
        for set_id in (500, 2**32 - 1):
            prefix = set_id.to_bytes(4, "big") + b"\x00"
            for member in (b"a", b"b"):
                stored.put(b"members", prefix + member, member_record(member, bytes(8), b""))
    assert len(found(book)) == 2
    assert_reported(book, "member records of set 500 belong to no set")


def test_a_set_that_is_gone_leaves_pages_and_records_to_report(book):
    with behind(book) as stored:
        set_id = stored.numbers(TREE)[0]
        count = len(stored.pages(set_id))
        stored.put(b"sets", b"n" + TREE, None)
    assert len(found(book)) == count + 1
    assert_reported(book, f"member records of set {set_id} belong to no set")


def test_a_page_in_two_trees_is_reported(book):
    with behind(book) as stored:
        stored.put(b"sets", b"ntwin", stored.record(TREE))
    assert_reported(book, "is used twice")


def test_a_page_that_is_twice_in_a_tree_is_reported(book):
    with behind(book) as stored:
        page_id, page = stored.root()
        children = kernel.inner_children(page)
        children[1] = (children[1][0], children[0][1], *children[1][2:])
        stored.put_children(page_id, children)
    assert_reported(book, "is used twice")
    assert_reported(book, "belongs to no set")


# --- reads of a damaged book ---------------------------------------------------------------------


def assert_reads_are_right_or_corrupt(path, name, missing=frozenset()):
    """Read everything in small pieces; how many of the reads were refused."""
    order = {
        TREE: ORDER,
        SMALL: [(b"m%d" % n, bytes([n] * 8), b"v") for n in range(5)],
        LONG: [(LONG_MEMBER, bytes(8), b"1"), (b"y" * 500, bytes(8), b"2")],
    }[name]
    refused = 0
    environment = Environment(path, **CAPACITIES)

    def reading(read, right):
        nonlocal refused
        try:
            with environment.view() as transaction:
                answer = read(transaction.rankset(name, 8, 4 if name == SMALL else 8))
        except StoreError:
            refused += 1
        else:
            assert answer == right

    for at, (member, key, value) in enumerate(order):
        if member not in missing:
            reading(lambda rankset, m=member: rankset.rank(m), at)
            reading(lambda rankset, m=member: rankset.get(m), (key, value))
        reading(lambda rankset, at=at: rankset.scan(at, 1), [order[at]])
        below = sum(1 for _m, k, _v in order if k < key), len({k for _, k, _ in order if k < key})
        if name != SMALL:
            reading(lambda rankset, key=key: rankset.count_before(key), below)
    reading(lambda rankset: rankset.scan(0, 1000), order)
    if not missing:
        reading(lambda rankset: sorted(rankset.members()), sorted(order))
    environment.close()
    return refused
