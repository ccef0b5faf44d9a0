"""Example books, and making a book from one."""

from importlib import resources
from pathlib import Path

from rankbook.book import FILE, Rankbook
from rankbook.errors import BookError, NotFound

EXAMPLES = ("points", "typing")


def template(example: str) -> str:
    """The text of an example's rankbook.toml. Raises `NotFound` and lists the examples."""
    if example not in EXAMPLES:
        raise NotFound(f"no example {example!r}; there are: {', '.join(EXAMPLES)}")
    return resources.files(__name__).joinpath(f"{example}.toml").read_text(encoding="utf-8")


def make(directory: Path, text: str) -> None:
    """Make a book with this rankbook.toml. Raises `BookError` where one is, and changes nothing."""
    path = directory / FILE
    directory.mkdir(parents=True, exist_ok=True)
    try:
        stream = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise BookError(f"{path} is there already; nothing was changed") from None
    try:
        with stream:
            stream.write(text)
        Rankbook.open(directory).close()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
