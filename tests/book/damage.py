"""Damage to one index of a ranking, under the store: its members, without touching its order.

What stands in the order alone is made of it: publish an entry, and take its record away.
"""

from rankbook.engine import members_cy as records
from rankbook.store.memory import MemoryStore


def take(store, id, player):
    """Take the player's record out of the member index; gives it back."""
    member = player.encode()
    if isinstance(store, MemoryStore):
        return store._rankings[id.name].members.pop(member)

    def work(transaction):
        place = _place(transaction, id, member)
        record = transaction.handle.get(place, db=transaction.resources.members_db)
        assert transaction.handle.delete(place, db=transaction.resources.members_db)
        return record

    return store._environment.update(work)


def put(store, id, player, record):
    """Put a record, as `take` or `packed` gives it, into the member index."""
    member = player.encode()
    if isinstance(store, MemoryStore):
        store._rankings[id.name].members[member] = record
        return

    def work(transaction):
        transaction.handle.put(
            _place(transaction, id, member), record, db=transaction.resources.members_db
        )

    store._environment.update(work)


def packed(store, player, stored):
    """The sound record of an entry, checksum and all."""
    if isinstance(store, MemoryStore):
        return stored
    return records.pack(player.encode(), stored.key, stored.value)


def _place(transaction, id, member):
    rankset = transaction.rankset(id.name.encode(), id.key_bytes, id.group_bytes)
    assert rankset.form == "tree"
    return records.index_key(rankset.set_id, member)
