"""What the store suites share: seven entries, a few verbs, and answers counted the slow way."""

from rankbook.store.base import Change, RankingId, Row, Slice

R = RankingId("r", 2, 1)
OTHER = RankingId("r2", 2, 1)
EMPTY = Slice(version=0, count=0, groups=0, start=0, before=0, groups_before=0, rows=[])

# Three groups: a tie of 3 (different keys, one group byte), one alone, and a tie of 2 (equal keys).
SEVEN = [
    Row(b"asha", b"\x00\x01", b"A"),
    Row(b"bram", b"\x00\x01", b"B"),
    Row(b"aa", b"\x00\x09", b"C"),
    Row(b"dora", b"\x05\x00", b"D"),
    Row(b"e\x00", b"\xff\x00", b"E"),
    Row(b"e\xff", b"\xff\x00", b"F"),
    Row(b"a", b"\xff\xff", b"G"),
]


def put(rows, ranking=R):
    return [Change(ranking, row.member, row.key, row.value) for row in rows]


def remove(*members, ranking=R):
    return [Change(ranking, member, None) for member in members]


def publish(store, changes, receipts=()):
    """Publish at the store's own position; gives the position it moved to."""
    expect = store.position()
    store.publish(changes, receipts, expect=expect, then=expect + 1)
    return expect + 1


def ask(store, query):
    [answer] = store.read([query]).answers
    return answer


def in_order(rows):
    return sorted(rows, key=lambda row: (row.key, row.member))


def part(rows, start, limit, version, group=1):
    """The Slice of sorted `rows`, counted the slow way."""
    groups = [row.key[:group] for row in rows]
    wanted = rows[start : start + limit]
    if not wanted:
        return Slice(version, len(rows), len(set(groups)), 0, 0, 0, [])
    before = groups.index(groups[start])
    return Slice(
        version, len(rows), len(set(groups)), start, before, len(set(groups[:before])), wanted
    )
