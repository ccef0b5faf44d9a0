"""The names of all keys in Redis. This is version 1 of the form; docs/format.md describes it.

    rankbook:1:{TAG}:head            hash: generation (the served one), beside (the staged), last
    rankbook:1:{TAG}:removed         set: generations that were given up and are being removed
    rankbook:1:{TAG}:stage:ID:N      list: a part of a publish that is too large for one call
    rankbook:1:{TAG}:G:state         hash: position, by (last publish), made (first publish)
    rankbook:1:{TAG}:G:rankings      hash: name -> key bytes, group bytes and version
    rankbook:1:{TAG}:G:order:NAME    sorted set, all scores 0: key and member
    rankbook:1:{TAG}:G:members:NAME  hash: member -> key and value
    rankbook:1:{TAG}:G:groups:NAME   sorted set, all scores 0: the groups that have an entry
    rankbook:1:{TAG}:G:receipts:B    hash: log position -> receipt, for 64 positions
    rankbook:1:{TAG}:G:audit         string: the audit that is under way; it expires
    rankbook:1:{TAG}:G:audit:members hash: ranking and member -> its entry when the audit began
    rankbook:1:{TAG}:G:audit:order   sorted set: ranking, key and member of those entries

G is the number of a generation. All keys of a book share the hash tag {TAG}, so that they are in
one slot of a cluster: what is published together lives and falls together.
"""

from rankbook.errors import SpecError

VERSION = 1
BUCKET = 64
MOST_NAMES = 10_000
DEFAULT_TAG = "book"
KINDS = {"order": "zset", "groups": "zset", "removed": "set", "stage": "list"}  # others: hash


class Keys:
    """The key names of one generation of one book."""

    def __init__(self, tag: str, generation: int) -> None:
        self.tag = tag
        self.generation = generation
        self.book = f"rankbook:{VERSION}:{{{tag}}}:"
        self.own = f"{self.book}{generation}:"
        self.head = self.book + "head"
        self.removed = self.book + "removed"
        self.state = self.own + "state"
        self.rankings = self.own + "rankings"
        self.audit = [self.own + "audit", self.own + "audit:members", self.own + "audit:order"]
        self.common = [self.head, self.state, self.rankings]
        self._names: dict[str, list[str]] = {}

    def of_ranking(self, name: str) -> list[str]:
        """Order, members and groups of a ranking."""
        found = self._names.get(name)
        if found is None:
            if len(self._names) > MOST_NAMES:
                self._names.clear()
            own = self.own
            found = [f"{own}order:{name}", f"{own}members:{name}", f"{own}groups:{name}"]
            self._names[name] = found
        return found

    def members(self, name: str) -> str:
        """The members of a ranking."""
        return f"{self.own}members:{name}"

    def bucket(self, number: int) -> str:
        """A bucket of receipts."""
        return f"{self.own}receipts:{number}"

    def stage(self, publish: str, part: int) -> str:
        """A part of a publish."""
        return f"{self.book}stage:{publish}:{part}"

    def kind(self, key: str) -> str:
        """The type in Redis that a key of this generation has, as TYPE names it."""
        part = key.removeprefix(self.own).removeprefix(self.book).split(":", 1)[0]
        whole = key.removeprefix(self.own)
        if whole in ("audit", "audit:order"):
            return "string" if whole == "audit" else "zset"
        return KINDS.get(part, "hash")


def checked_tag(tag: str) -> str:
    """The tag, if it may stand in key names. Raises `SpecError`."""
    if not tag or not tag.isprintable() or set(tag) & set("{} "):
        raise SpecError("book.store", f"a tag is printable, without braces or spaces: {tag!r}")
    return tag
