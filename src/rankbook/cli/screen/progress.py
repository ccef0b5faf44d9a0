"""Progress bars on stderr, shown on a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from rankbook.cli.screen.output import stderr

Told = Callable[[str, int, int | None], None]


@contextmanager
def progress() -> Iterator[Told]:
    """A function that shows progress: what is being done, how much is done, how much there is."""
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
    tasks: dict[str, int] = {}

    def told(what: str, done: int, total: int | None) -> None:
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=total, amount="")
        amount = f"{done:,}" if total is None else f"{done:,} / {total:,}"
        bars.update(tasks[what], completed=done, total=total, amount=amount)  # type: ignore[arg-type]

    with bars:
        yield told


class Counter:
    """Counts things done, and shows the sum. The expected `total` may be too low."""

    def __init__(self, told: Told, what: str, total: int | None) -> None:
        self._told = told
        self._what = what
        self._total = total
        self.done = 0

    def __call__(self, count: int) -> None:
        """So many more are done."""
        self.done += count
        total = None if self._total is None else max(self.done, self._total)
        self._told(self._what, self.done, total)


@contextmanager
def counting(what: str, total: int | None = None) -> Iterator[Counter]:
    """A counter with a progress bar."""
    with progress() as told:
        yield Counter(told, what, total)
