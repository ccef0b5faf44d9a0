"""Small things that every reader of rankings needs."""

from rankbook.store.base import Answer, Slice

MAX_LIMIT = 1000
RETRIES = 100


def checked(limit: int) -> int:
    """A number of rows that may be asked for. Raises ValueError."""
    if not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit is {limit}; it may be 1 to {MAX_LIMIT}")
    return limit


def sliced(answer: Answer) -> Slice:
    """An answer that is rows."""
    if not isinstance(answer, Slice):
        raise TypeError("the store answered another question")
    return answer
