"""The same homes as the book's own tests have."""

from tests.book.conftest import clock, home, memory_home, place, temporary_directories

__all__ = ["clock", "home", "memory_home", "place", "temporary_directories"]
