"""The one place where errors of connections and servers become ours."""

from rankbook.errors import Corrupt, StoreDown, StoreError

NO_SCRIPT = "NOSCRIPT"

# The first word of a server's error -> what it means to those who run a book.
MEANINGS = {
    "OOM": "the server is out of memory (maxmemory)",
    "NOAUTH": "the server wants a password",
    "WRONGPASS": "the server refuses the user or the password",
    "NOPERM": "the server's access rules refuse a command",
    "READONLY": "the server is a replica, and can only be read",
    "LOADING": "the server is still loading its data",
    "BUSY": "the server is busy with a script",
    "MISCONF": "the server cannot save its data, and refuses to write",
    "MASTERDOWN": "the server is a replica without its primary",
    "CLUSTERDOWN": "the cluster does not serve this book's slot now",
    "TRYAGAIN": "the book's slot is being moved",
    "MOVED": "the server does not serve this book's slot: it is a cluster, use redis+cluster://",
    "CROSSSLOT": "keys of one book are in several slots",
}

# Of these, what passes by itself.
PASSING = ("LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN")


def server_error(where: str, message: str) -> StoreError:
    """Our error for a server's error answer. Servers do not repeat secrets in their errors."""
    first = message.split(" ", 1)[0]
    if first == "WRONGTYPE" or "WRONGTYPE" in message:
        return Corrupt(f"{where}: a key of the book has another type: {message}")
    for code, meaning in MEANINGS.items():
        if first == code or f"{code} " in message[:200]:
            kind = StoreDown if code in PASSING else StoreError
            return kind(f"{where}: {meaning}")
    return StoreError(f"{where}: {message}")


def unreachable(where: str, seconds: float, *, timed_out: bool) -> StoreDown:
    """Our error for a server that cannot be reached, or does not answer in time."""
    if timed_out:
        return StoreDown(f"{where} does not answer within {seconds:g} seconds")
    return StoreDown(f"{where} cannot be reached")


def closed() -> StoreError:
    """The error of a closed store."""
    return StoreError("the store is closed")
