"""One set at a time: order, counts, ties, both forms, and the sizes of members, keys and names."""

import random
from bisect import bisect_left

import pytest

from rankbook.engine.environment import Environment
from rankbook.errors import StoreError
from tests.engine.reading import TINY, Model, assert_same, faults, full_reading, opened

NAME = b"board"
FORMS = pytest.mark.parametrize(
    "capacities",
    [{}, TINY, {"page_bytes": 80, "compact_bytes": 0}],
    ids=["compact", "tiny pages", "tree of one or two entries a page"],
)


def key(number, size=8):
    return number.to_bytes(size, "big")


def change(environment, changes, version=1, spec=(NAME, 8, 8)):
    environment.update(lambda t: t.rankset(*spec).apply(changes, version))


def reading(environment, spec=(NAME, 8, 8), bounds=()):
    with environment.view() as transaction:
        return full_reading(transaction.rankset(*spec), bounds)


def form(environment, spec=(NAME, 8, 8)):
    with environment.view() as transaction:
        return transaction.rankset(*spec).form


def compare(environment, model, bounds=(), windows=((0, 3),), name=NAME):
    with environment.view() as transaction:
        rankset = transaction.rankset(name, model.key_bytes, model.group_bytes)
        assert_same(rankset, model, bounds, windows)


# --- one entry, a few entries --------------------------------------------------------------------


@FORMS
def test_a_set_that_nobody_wrote_to_is_empty(tmp_path, capacities):
    with opened(tmp_path, **capacities) as environment, environment.view() as transaction:
        rankset = transaction.rankset(NAME, 8, 8)
        assert (len(rankset), rankset.groups, rankset.version) == (0, 0, 0)
        assert rankset.get(b"m") is None
        assert rankset.rank(b"m") is None
        assert rankset.get_many([b"m", b"n"]) == {}
        assert rankset.scan(0, 10) == list(rankset.order()) == list(rankset.members()) == []
        assert rankset.count_before(b"\xff" * 9) == (0, 0)


@FORMS
def test_one_entry_can_be_put_moved_revalued_and_removed(tmp_path, capacities):
    with opened(tmp_path, **capacities) as environment:
        model = Model(8, 8)
        for changes in (
            [(b"asha", key(5), b"one")],
            [(b"asha", key(3), b"one")],
            [(b"asha", key(3), b"two")],
            [(b"asha", key(3), b"two")],
            [(b"asha", None, b"")],
            [(b"asha", None, b"")],
            [(b"asha", key(3), b"")],
        ):
            change(environment, changes)
            model.apply(changes)
            compare(environment, model, [b"", key(3), key(3) + b"asha", key(3) + b"b", key(9)])
            assert faults(environment) == []


@FORMS
def test_put_and_remove_change_one_member_within_a_transaction_that_sees_it(tmp_path, capacities):
    with opened(tmp_path, **capacities) as environment:

        def work(transaction):
            rankset = transaction.rankset(NAME, 8, 8)
            rankset.put(b"asha", key(5), b"A", 4)
            rankset.put(b"bram", key(4), b"B", 5)
            assert rankset.rank(b"asha") == 1
            assert transaction.rankset(NAME, 8, 8).rank(b"asha") == 1
            rankset.remove(b"bram", 6)
            assert rankset.rank(b"asha") == 0
            assert rankset.version == 6

        environment.update(work)
        assert reading(environment)[:4] == (1, 1, 6, [(b"asha", key(5), b"A")])


@FORMS
def test_the_seven_of_the_tie_example_have_their_counts(tmp_path, capacities):
    points = {"Asha": 50, "Bram": 50, "Chidi": 30, "Dora": 30, "Emil": 10, "Femi": 0, "Gita": -5}
    names = [name.encode() for name in points]
    keys = [key(1000 - score) for score in points.values()]
    with opened(tmp_path, **capacities) as environment:
        change(environment, [(*pair, b"") for pair in zip(names, keys, strict=True)])
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            before = [rankset.count_before(k) for k in keys]
            assert [items + 1 for items, _groups in before] == [1, 1, 3, 3, 5, 6, 7]
            assert [groups + 1 for _items, groups in before] == [1, 1, 2, 2, 3, 4, 5]
            assert [rankset.rank(name) + 1 for name in names] == [1, 2, 3, 4, 5, 6, 7]
            assert rankset.rank(b"Hugo") is None
        environment.update(lambda t: t.rankset(NAME, 8, 8).remove(b"Femi"))
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            items, groups = rankset.count_before(keys[-1])
            assert (items + 1, groups + 1, rankset.rank(b"Gita") + 1) == (6, 4, 6)


@FORMS
def test_the_version_is_the_one_of_the_last_change_and_none_when_empty(tmp_path, capacities):
    with opened(tmp_path, **capacities) as environment:
        change(environment, [(b"a", key(1), b"")], 17)
        assert reading(environment)[2] == 17
        change(environment, [(b"a", key(1), b"")], 2**64 - 1)
        assert reading(environment)[2] == 2**64 - 1
        change(environment, [(b"a", None, b"")], 19)
        assert reading(environment)[2] == 0
        with environment.view() as transaction:
            assert list(transaction.names()) == []


@FORMS
def test_an_empty_batch_changes_nothing(tmp_path, capacities):
    with opened(tmp_path, **capacities) as environment:
        change(environment, [(b"a", key(1), b"x")], 1)
        change(environment, [], 2)
        assert reading(environment)[3] == [(b"a", key(1), b"x")]


def test_removing_a_long_member_that_is_not_there_leaves_no_set(tmp_path):
    with opened(tmp_path) as environment:
        change(environment, [(b"x" * 5000, None, b"")])
        with environment.view() as transaction:
            assert list(transaction.names()) == []
            assert transaction.rankset(NAME, 8, 8).version == 0


@FORMS
def test_scans_begin_and_end_where_they_are_told(tmp_path, capacities):
    model = Model(8, 8)
    model.apply([(b"m%03d" % n, key(n // 3), b"%d" % n) for n in range(100)])
    windows = [(start, limit) for start in range(0, 104, 7) for limit in (0, 1, 2, 50, 1000)]
    windows += [(99, 1), (99, 2), (100, 1), (10**9, 5)]
    with opened(tmp_path, **capacities) as environment:
        change(environment, model.scan())
        compare(environment, model, windows=windows)
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            assert rankset.scan(-5, 3) == model.scan(0, 3)
            assert rankset.scan(5, -1) == []


@FORMS
def test_members_of_any_bytes_stand_in_byte_order(tmp_path, capacities):
    bytes_of_one = [b"\x00", b"\xff", b"n", b"d"]
    members = [b"", *bytes_of_one, *(one + two for one in bytes_of_one for two in bytes_of_one)]
    model = Model(8, 4)
    model.apply([(member, bytes(8), member[:1]) for member in members])
    bounds = [bytes(8) + member for member in members] + [bytes(4), bytes(9), b"\xff"]
    with opened(tmp_path, **capacities) as environment:
        change(environment, model.scan(), spec=(NAME, 8, 4))
        compare(environment, model, bounds)


@FORMS
def test_removing_all_in_one_batch_or_one_by_one_leaves_nothing(tmp_path, capacities):
    entries = [(b"m%03d" % n, key(n * n % 97), b"v") for n in range(120)]
    gone = [(member, None, b"") for member, _key, _value in entries]
    random.Random(3).shuffle(gone)
    with opened(tmp_path, **capacities) as environment:
        for batch in (120, 1, 17):
            change(environment, entries)
            model = Model(8, 8)
            model.apply(entries)
            for start in range(0, 120, batch):
                change(environment, gone[start : start + batch])
                model.apply(gone[start : start + batch])
                if start % 10 == 0:
                    compare(environment, model, [key(40)])
            assert reading(environment)[:4] == (0, 0, 0, [])
            assert faults(environment) == []
        with environment.view() as transaction:
            assert list(transaction.names()) == []


@FORMS
def test_the_order_of_changes_in_a_batch_does_not_matter(tmp_path, capacities):
    readings = []
    for seed in range(4):
        changes = [(b"m%03d" % n, key(n % 13), b"v") for n in range(90)]
        random.Random(seed).shuffle(changes)
        with opened(tmp_path / str(seed), **capacities) as environment:
            change(environment, changes)
            readings.append(reading(environment))
    assert readings == [readings[0]] * 4


# --- the two forms -------------------------------------------------------------------------------


def test_a_set_is_promoted_when_it_grows_and_demoted_when_it_shrinks(tmp_path):
    with opened(tmp_path, page_bytes=200, compact_bytes=1000, demote_bytes=500) as environment:
        model = Model(8, 8)
        forms = []
        for n in range(100):
            changes = [(b"m%03d" % n, key(n * 37 % 50), b"value %d" % n)]
            change(environment, changes)
            model.apply(changes)
            forms.append(form(environment))
            compare(environment, model, [key(25)])
        assert forms == ["compact"] * forms.count("compact") + ["tree"] * forms.count("tree")
        assert 20 < forms.count("compact") < 45
        back = []
        for n in range(100):
            changes = [(b"m%03d" % n, None, b"")]
            change(environment, changes)
            model.apply(changes)
            back.append(form(environment))
            compare(environment, model, [key(25)])
        assert back == ["tree"] * back.count("tree") + ["compact"] * back.count("compact")
        assert 10 < back.count("compact") < forms.count("compact")


def test_a_set_is_compact_up_to_16_kib_and_compact_again_below_8(tmp_path):
    entries = [(b"m%04d" % n, key(n), b"v" * 79) for n in range(170)]  # 100 bytes each
    forms = []
    with opened(tmp_path) as environment:
        for count in (163, 164, 163, 82, 81, 82, 163, 164):
            kept, gone = entries[:count], [(m, None, b"") for m, _, _ in entries[count:]]
            change(environment, kept + gone)
            forms.append(form(environment))
            assert reading(environment)[3] == kept
    assert forms == ["compact", *["tree"] * 3, *["compact"] * 3, "tree"]


def test_a_set_between_the_two_limits_keeps_the_form_it_has(tmp_path):
    capacities = {"page_bytes": 200, "compact_bytes": 2000, "demote_bytes": 1000}
    few = [(b"m%03d" % n, key(n), b"v" * 10) for n in range(50)]
    more = [(b"x%03d" % n, key(n), b"v" * 10) for n in range(100)]
    none = [(member, None, b"") for member, _key, _value in more]
    with opened(tmp_path, **capacities) as environment:
        change(environment, few)
        assert form(environment) == "compact"
        change(environment, more)
        assert form(environment) == "tree"
        change(environment, none)
        assert form(environment) == "tree"
        compact_before = reading(environment)
        for _again in range(5):
            change(environment, [(b"m000", key(900), b"")])
            assert form(environment) == "tree"
            change(environment, few[:1])
        assert reading(environment) == compact_before
        change(environment, [(member, None, b"") for member, _key, _value in few[25:]])
        assert form(environment) == "compact"
        change(environment, few)
        assert form(environment) == "compact"
        assert reading(environment) == compact_before


def test_values_alone_promote_and_demote_a_set(tmp_path):
    with opened(tmp_path, compact_bytes=1000) as environment:
        small = [(b"m%d" % n, key(n), b"") for n in range(10)]
        change(environment, small)
        assert form(environment) == "compact"
        change(environment, [(member, k, b"x" * 500) for member, k, _value in small])
        assert form(environment) == "tree"
        assert reading(environment)[3] == [(member, k, b"x" * 500) for member, k, _ in small]
        change(environment, small)
        assert form(environment) == "compact"
        assert reading(environment)[3] == small


def test_a_set_that_went_back_leaves_no_pages_behind(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        for _round in range(5):
            change(environment, [(b"m%03d" % n, key(n), b"") for n in range(200)])
            change(environment, [(b"m%03d" % n, None, b"") for n in range(3, 200)])
            assert form(environment) == "compact"
            with environment.view() as transaction:
                pages = transaction.handle.stat(environment.resources.pages_db)["entries"]
                records = transaction.handle.stat(environment.resources.members_db)["entries"]
            assert (pages, records) == (0, 0)


def test_a_promotion_that_is_abandoned_leaves_the_compact_set(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        change(environment, [(b"m%03d" % n, key(n), b"") for n in range(5)])
        before = reading(environment)

        def work(transaction):
            rankset = transaction.rankset(NAME, 8, 8)
            rankset.apply([(b"x%03d" % n, key(n), b"") for n in range(200)], 2)
            assert rankset.form == "tree"
            raise KeyError

        with pytest.raises(KeyError):
            environment.update(work)
        assert form(environment) == "compact"
        assert reading(environment) == before


def test_every_value_is_given_back_byte_for_byte(tmp_path):
    sizes = [0, 1, 2, 100, 4000, 4064, 8192, 70_000, 1_000_000]
    with opened(tmp_path) as environment:
        model = Model(8, 8)
        values = [random.Random(size).randbytes(size) for size in sizes]
        model.apply([(b"m%d" % len(value), key(len(value)), value) for value in values])
        for member, k, value in model.scan():
            change(environment, [(member, k, value)])
        compare(environment, model)
        assert form(environment) == "tree"


# --- ties and counts -----------------------------------------------------------------------------


@pytest.mark.parametrize("page_bytes", [80, 300, 4064])
def test_rank_and_select_hold_inside_a_long_tie(tmp_path, page_bytes):
    count = 3000
    members = [b"p%06d" % (n * 7919 % 1_000_003) for n in range(count)]
    with opened(tmp_path, page_bytes=page_bytes, compact_bytes=0) as environment:
        for start in range(0, count, 500):
            change(environment, [(m, key(77), b"") for m in members[start : start + 500]])
        change(environment, [(b"first", key(1), b""), (b"last", key(99), b"")])
        order = [b"first", *sorted(members), b"last"]
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            assert rankset.groups == 3
            assert [rankset.rank(member) for member in order] == list(range(count + 2))
            assert all(
                [member for member, _key, _value in rankset.scan(at, 3)] == order[at : at + 3]
                for at in range(0, count + 2, 37)
            )
            assert rankset.count_before(key(77)) == (1, 1)
            assert rankset.count_before(key(78)) == (count + 1, 2)
            for at in range(1, count, 101):
                assert rankset.count_before(key(77) + order[at + 1]) == (at + 1, 2)


@pytest.mark.parametrize("page_bytes", [80, 200, 600])
def test_a_tie_taken_apart_from_any_side_keeps_its_counts(tmp_path, page_bytes):
    for seed in range(3):
        numbers = list(range(200))
        random.Random(seed).shuffle(numbers)
        model = Model(8, 8)
        everybody = [(b"p%03d" % n, key(1 + n // 70), b"") for n in range(200)]
        model.apply(everybody)
        path = tmp_path / str(seed)
        with opened(path, page_bytes=page_bytes, compact_bytes=0) as environment:
            change(environment, everybody)
            for start in range(0, 200, 9):
                part = numbers[start : start + 9] if seed else list(range(start, start + 9))
                changes = [(b"p%03d" % n, None, b"") for n in part]
                change(environment, changes)
                model.apply(changes)
                compare(environment, model, [key(n) for n in range(6)])
                assert faults(environment) == []


@pytest.mark.parametrize("group_bytes", [0, 1, 3, 8])
@pytest.mark.parametrize("page_bytes", [80, 250])
def test_counts_and_groups_before_any_bound_are_those_counted_one_by_one(
    tmp_path, page_bytes, group_bytes
):
    chance = random.Random(f"{group_bytes} {page_bytes}")
    model = Model(8, group_bytes)
    spec = (NAME, 8, group_bytes)
    with opened(tmp_path, page_bytes=page_bytes, compact_bytes=300) as environment:
        for _round in range(25):
            changes = {}
            for _change in range(chance.choice([1, 5, 40])):
                member = b"m%d" % chance.randrange(150)
                prefix = bytes(chance.choices([0, 1, 255], k=chance.choice([1, 2, 3])))
                k = (prefix + bytes(8))[:7] + bytes([chance.randrange(3)])
                changes[member] = (member, None if chance.random() < 0.3 else k, b"v")
            change(environment, list(changes.values()), spec=spec)
            model.apply(changes.values())
            bounds = [k[:size] for k, _ in list(model.entries.values())[:10] for size in range(9)]
            bounds += [k + m for m, (k, _) in list(model.entries.items())[:20]]
            bounds += [b"", b"\xff" * 20]
            compare(environment, model, bounds)


@pytest.mark.soak
def test_a_set_of_100000_answers_like_a_sorted_list(tmp_path):
    chance = random.Random(5)
    numbers = [chance.randrange(20_000) for _ in range(100_000)]
    with opened(tmp_path) as environment:
        change(environment, [(b"m%06d" % n, key(s), b"") for n, s in enumerate(numbers)])
        order = sorted((key(s), b"m%06d" % n) for n, s in enumerate(numbers))
        keys = [k for k, _member in order]
        distinct = sorted(set(keys))
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            assert (len(rankset), rankset.groups) == (100_000, len(distinct))
            for at in range(0, 100_000, 997):
                assert rankset.rank(order[at][1]) == at
                [(member, k, _value)] = rankset.scan(at, 1)
                assert (k, member) == order[at]
            for number in range(0, 20_000, 371):
                bound = key(number)
                expected = (bisect_left(keys, bound), bisect_left(distinct, bound))
                assert rankset.count_before(bound) == expected


# --- long members, long keys, long names ---------------------------------------------------------

SIZES = [0, 1, 2, 100, 479, 480, 481, 500, 511, 991, 992, 993, 1022, 1023, 1024, 1025]
SIZES += [4096, 60_000, 65_535, 65_536]


def member_of(size):
    return (b"%06d" % size + random.Random(size).randbytes(size))[:size]


@pytest.mark.parametrize("key_bytes", [8, 100])
@pytest.mark.parametrize("capacities", [{}, TINY], ids=["usual", "tiny"])
def test_members_of_0_to_65536_bytes_are_given_back_whole(tmp_path, capacities, key_bytes):
    spec = (NAME, key_bytes, 8)
    model = Model(key_bytes, 8)
    everybody = [(member_of(size), key(size % 7, key_bytes), b"v%d" % size) for size in SIZES]
    with opened(tmp_path, **capacities) as environment:
        for entry in everybody:
            change(environment, [entry], spec=spec)
            model.apply([entry])
            compare(environment, model, [key(3, key_bytes)])
        for size in (65_536, 1024, 480, 0, 60_000):
            moved = [(member_of(size), key(90, key_bytes), b"moved")]
            change(environment, moved, spec=spec)
            model.apply(moved)
            compare(environment, model, [key(3, key_bytes)])
        assert faults(environment) == []
        for member, _key, _value in everybody:
            change(environment, [(member, None, b"")], spec=spec)
            model.apply([(member, None, b"")])
            compare(environment, model)
        assert reading(environment, spec)[:4] == (0, 0, 0, [])


@pytest.mark.parametrize("capacities", [{}, TINY], ids=["usual", "tiny"])
def test_two_long_members_that_begin_alike_are_two_members(tmp_path, capacities):
    one, two = b"x" * 60_000 + b"one", b"x" * 60_000 + b"two"
    with opened(tmp_path, **capacities) as environment:
        change(environment, [(one, key(5), b"1"), (two, key(5), b"2"), (b"x" * 1000, key(5), b"3")])
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            assert (len(rankset), rankset.groups) == (3, 1)
            assert rankset.get_many([one, two]) == {one: (key(5), b"1"), two: (key(5), b"2")}
            assert rankset.rank(b"x" * 1000) == 0
            order = [member for member, _key, _value in rankset.scan(0, 3)]
            assert sorted(order) == sorted([one, two, b"x" * 1000])
            assert [rankset.rank(member) for member in order] == [0, 1, 2]
            assert rankset.rank(b"x" * 60_000 + b"six") is None
        change(environment, [(two, key(1), b"2")])
        assert [entry[0] for entry in reading(environment)[3]] == [two, b"x" * 1000, one]
        change(environment, [(one, None, b"")])
        assert [entry[0] for entry in reading(environment)[3]] == [two, b"x" * 1000]


def test_a_set_with_a_long_member_can_shrink_to_it_and_come_back(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        model = Model(8, 8)
        for changes in (
            [(b"m%03d" % n, key(n), b"") for n in range(60)],
            [(b"y" * 2000, key(30), b"long")],
            [(b"m%03d" % n, None, b"") for n in range(60)],
            [(b"m%03d" % n, key(n), b"") for n in range(3)],
            [(b"y" * 2000, None, b"")],
            [(b"m%03d" % n, key(n), b"") for n in range(60)],
        ):
            change(environment, changes)
            model.apply(changes)
            compare(environment, model, [key(2)])
            assert faults(environment) == []


def test_a_member_over_64_kib_is_refused_and_nothing_changes(tmp_path):
    with opened(tmp_path) as environment:
        change(environment, [(b"a", key(1), b"")])
        before = reading(environment)
        with pytest.raises(StoreError, match="65537 bytes"):
            change(environment, [(b"b", key(1), b""), (b"x" * 65_537, key(1), b"")])
        assert reading(environment) == before
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            assert rankset.get(b"x" * 65_537) is None
            assert rankset.rank(b"x" * 65_537) is None


@pytest.mark.parametrize("size", [0, 7, 9])
def test_a_key_of_another_length_is_refused_and_nothing_changes(tmp_path, size):
    with opened(tmp_path) as environment:
        change(environment, [(b"a", key(1), b"")])
        before = reading(environment)
        with pytest.raises(StoreError, match="8 belong"):
            change(environment, [(b"a", bytes(size), b"")])
        assert reading(environment) == before


def test_a_set_opened_with_other_sizes_is_a_store_error(tmp_path):
    with opened(tmp_path) as environment:
        change(environment, [(b"a", key(1), b"")])
        for sizes in ((9, 8), (8, 4)):
            with pytest.raises(StoreError, match="keys of 8 bytes"), environment.view() as t:
                t.rankset(NAME, *sizes)


@pytest.mark.parametrize("key_bytes", [8, 9, 64, 255, 256, 511, 1000, 1024])
@pytest.mark.parametrize("capacities", [{}, TINY], ids=["usual", "tiny"])
def test_keys_of_8_to_1024_bytes_keep_their_order(tmp_path, capacities, key_bytes):
    chance = random.Random(key_bytes)
    group_bytes = key_bytes - 3
    model = Model(key_bytes, group_bytes)
    spec = (NAME, key_bytes, group_bytes)
    with opened(tmp_path, **capacities) as environment:
        for _round in range(6):
            changes = [
                (
                    b"m%03d" % n + b"x" * chance.choice([0, 0, 900, 3000]),
                    chance.choice([b"\x00", b"a", b"\xff"]) * (key_bytes - 4)
                    + bytes(chance.choices([0, 1], k=4)),
                    b"v" * chance.randrange(20),
                )
                for n in chance.sample(range(60), 20)
            ]
            change(environment, changes, spec=spec)
            model.apply(changes)
            bounds = [k[:size] for _m, k, _v in changes[:8] for size in (1, group_bytes, key_bytes)]
            compare(environment, model, bounds)


@pytest.mark.parametrize("size", [0, 1, 479, 480, 481, 511, 5000, 65_535, 65_536, 200_000])
@pytest.mark.parametrize("count", [3, 200], ids=["compact", "tree"])
def test_set_names_have_any_length(tmp_path, size, count):
    name = b"s" * size
    with opened(tmp_path, **TINY) as environment:
        entries = [(b"m%03d" % n, key(n), b"") for n in range(count)]
        change(environment, entries, 5, (name, 8, 8))
        change(environment, entries[:1], 6, (name + b"!", 8, 8))
        assert reading(environment, (name, 8, 8))[2:4] == (5, entries)
        assert reading(environment, (name + b"!", 8, 8))[2:4] == (6, entries[:1])
        with environment.view() as transaction:
            assert sorted(transaction.names()) == [(name, 8, 8), (name + b"!", 8, 8)]


def test_sets_do_not_touch_one_another(tmp_path):
    names = [b"", b"a", b"ab", b"d" + b"\x00" * 32, b"n", b"s" * 600, b"s" * 601]
    with opened(tmp_path, **TINY) as environment:
        models = {name: Model(8, 4) for name in names}
        chance = random.Random(1)
        for _round in range(40):
            name = chance.choice(names)
            changes = [
                (b"m%02d" % n, chance.choice([None, key(n), key(3)]), name[:3])
                for n in chance.sample(range(60), chance.choice([1, 50]))
            ]
            change(environment, changes, spec=(name, 8, 4))
            models[name].apply(changes)
        for name, model in models.items():
            compare(environment, model, [key(9)], name=name)


@pytest.mark.parametrize("page_bytes", [1, 40, 65_000, 65_535])
def test_page_sizes_at_the_edges_still_give_the_right_order(tmp_path, page_bytes):
    with opened(tmp_path, page_bytes=page_bytes, compact_bytes=0) as environment:
        model = Model(8, 8)
        everybody = [(b"m%05d" % n, key(n * 7919 % 1000), b"") for n in range(8000)]
        if page_bytes < 100:
            everybody = everybody[:200]
        change(environment, everybody)
        model.apply(everybody)
        expected = model.scan()
        assert reading(environment)[3] == expected
        with environment.view() as transaction:
            rankset = transaction.rankset(NAME, 8, 8)
            assert [rankset.rank(entry[0]) for entry in expected] == list(range(len(expected)))


@pytest.mark.parametrize("page_bytes", [65_536, 200_000])
def test_page_sizes_that_a_page_cannot_express_are_refused(tmp_path, page_bytes):
    with pytest.raises((ValueError, StoreError), match="page"):
        Environment(tmp_path, page_bytes=page_bytes)


def test_a_cache_of_one_page_gives_the_same_answers(tmp_path):
    entries = [(b"m%03d" % n, key(n % 31), b"v") for n in range(300)]
    readings = []
    for cache_pages in (1, 2, 1000):
        path = tmp_path / str(cache_pages)
        with opened(path, page_bytes=150, compact_bytes=0, cache_pages=cache_pages) as environment:
            for start in range(0, 300, 20):
                change(environment, entries[start : start + 20])
            readings.append(reading(environment, bounds=[key(n) for n in range(32)]))
    assert readings == [readings[0]] * 3


def test_nothing_that_was_written_depends_on_the_opening(tmp_path):
    entries = [(b"m%03d" % n, key(n % 31), b"v") for n in range(100)]
    for count in range(10, 101, 10):
        environment = Environment(tmp_path, **TINY)
        change(environment, entries[:count], count)
        environment.close()
        with opened(tmp_path, **TINY) as environment:
            assert reading(environment)[:3] == (count, min(count, 31), count)
