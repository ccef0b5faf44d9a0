"""The command `rankbook`, put together from its subcommands."""

import sys
from collections.abc import Callable
from importlib import metadata
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rankbook.cli.among import among
from rankbook.cli.around import around
from rankbook.cli.at import at
from rankbook.cli.backup import backup
from rankbook.cli.ban import ban
from rankbook.cli.boards import boards
from rankbook.cli.bundle import bundle
from rankbook.cli.correct import correct
from rankbook.cli.demo import demo
from rankbook.cli.doctor import doctor
from rankbook.cli.exits import one_line
from rankbook.cli.fold import fold
from rankbook.cli.forget import forget
from rankbook.cli.histogram import histogram
from rankbook.cli.import_ import import_
from rankbook.cli.init import init
from rankbook.cli.key import key
from rankbook.cli.migrate import migrate
from rankbook.cli.options import BookOption
from rankbook.cli.outcome import outcome
from rankbook.cli.output import show
from rankbook.cli.page import page
from rankbook.cli.player import player
from rankbook.cli.profile import profile
from rankbook.cli.rank import rank
from rankbook.cli.rebuild import rebuild
from rankbook.cli.repair import repair
from rankbook.cli.restore import restore
from rankbook.cli.scores import scores
from rankbook.cli.seasons import seasons
from rankbook.cli.serve import serve
from rankbook.cli.submit import submit
from rankbook.cli.top import top
from rankbook.cli.unban import unban
from rankbook.cli.verify import verify
from rankbook.cli.void import void


class Commands(TyperGroup):
    """The subcommands, with every error that is meant to be told in one line told so."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        with one_line():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


app = typer.Typer(
    cls=Commands,
    name="rankbook",
    help="Leaderboards that are true: recorded once, ranked exactly, checked at any time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        show(f"rankbook {metadata.version('rankbook')}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
]


@app.callback()
def root(ctx: typer.Context, book: BookOption = None, version: VersionOption = False) -> None:
    """Leaderboards that are true: recorded once, ranked exactly, checked at any time."""
    ctx.obj = book


SUBCOMMANDS: dict[str, Callable[..., None]] = {
    "init": init,
    "boards": boards,
    "submit": submit,
    "outcome": outcome,
    "import": import_,
    "void": void,
    "correct": correct,
    "ban": ban,
    "unban": unban,
    "profile": profile,
    "forget": forget,
    "top": top,
    "page": page,
    "around": around,
    "among": among,
    "rank": rank,
    "at": at,
    "scores": scores,
    "histogram": histogram,
    "player": player,
    "bundle": bundle,
    "seasons": seasons,
    "fold": fold,
    "verify": verify,
    "rebuild": rebuild,
    "repair": repair,
    "doctor": doctor,
    "backup": backup,
    "restore": restore,
    "migrate": migrate,
    "key": key,
    "serve": serve,
    "demo": demo,
}
for name, command in SUBCOMMANDS.items():
    app.command(name)(command)


def main() -> None:
    """Run the command; what a narrow encoding cannot show is shown escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="rankbook")


if __name__ == "__main__":
    main()
