"""Bounds of every read."""

MAX_LIMIT = 1000
RETRIES = 100


def checked(limit: int) -> int:
    """The number of rows, if a read may ask for it. Raises ValueError."""
    if not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit is {limit}; it may be 1 to {MAX_LIMIT}")
    return limit
