"""Progress bars on stderr, shown on a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from rankbook.cli.screen.output import stderr

Told = Callable[[str, int, int | None], None]


@contextmanager
def progress() -> Iterator[Told]:
    """A function to tell progress: what is being done, how much is done, and how much there is."""
    console = stderr()
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[amount]}", justify="right", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bars:
        yield _teller(bars)


def _teller(bars: Progress) -> Told:
    tasks: dict[str, int] = {}

    def told(what: str, done: int, total: int | None) -> None:
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=total, amount="")
        amount = f"{done:,}" if total is None else f"{done:,} / {total:,}"
        bars.update(tasks[what], completed=done, total=total, amount=amount)  # type: ignore[arg-type]

    return told


def counted(told: Told, what: str, total: int | None = None) -> Callable[[int], None]:
    """A function that is told numbers of things done, and adds them up; `total` may be too low."""
    done = 0

    def more(count: int) -> None:
        nonlocal done
        done += count
        told(what, done, None if total is None else max(done, total))

    return more
