"""The command `rankbook`, put together from its subcommands."""

import sys
from importlib import metadata
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rankbook.cli.commands.among import among
from rankbook.cli.commands.around import around
from rankbook.cli.commands.at import at
from rankbook.cli.commands.backup import backup
from rankbook.cli.commands.ban import ban
from rankbook.cli.commands.boards import boards
from rankbook.cli.commands.bundle import bundle
from rankbook.cli.commands.correct import correct
from rankbook.cli.commands.doctor import doctor
from rankbook.cli.commands.fold import fold
from rankbook.cli.commands.forget import forget
from rankbook.cli.commands.histogram import histogram
from rankbook.cli.commands.import_ import import_
from rankbook.cli.commands.init import init
from rankbook.cli.commands.key import key
from rankbook.cli.commands.migrate import migrate
from rankbook.cli.commands.outcome import outcome
from rankbook.cli.commands.page import page
from rankbook.cli.commands.player import player
from rankbook.cli.commands.profile import profile
from rankbook.cli.commands.rank import rank
from rankbook.cli.commands.rebuild import rebuild
from rankbook.cli.commands.repair import repair
from rankbook.cli.commands.restore import restore
from rankbook.cli.commands.scores import scores
from rankbook.cli.commands.seasons import seasons
from rankbook.cli.commands.serve import serve
from rankbook.cli.commands.submit import submit
from rankbook.cli.commands.top import top
from rankbook.cli.commands.unban import unban
from rankbook.cli.commands.unvoid import unvoid
from rankbook.cli.commands.verify import verify
from rankbook.cli.commands.void import void
from rankbook.cli.demo.demo import demo
from rankbook.cli.exits import interruptible, one_line
from rankbook.cli.options import BookOption
from rankbook.cli.screen.output import show


class Commands(TyperGroup):
    """The subcommands. An error that a user can act on is printed as one line."""

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


COMMANDS = (
    *(init, boards, submit, outcome, import_),
    *(void, unvoid, correct, ban, unban, profile, forget),
    *(top, page, around, among, rank, at, scores, histogram, player, bundle, seasons),
    *(fold, verify, rebuild, repair, doctor, backup, restore, migrate, key, serve, demo),
)
SUBCOMMANDS = {command.__name__.rstrip("_"): command for command in COMMANDS}
"""The subcommands by name, in the order in which the help lists them."""

for name, command in SUBCOMMANDS.items():
    app.command(name)(command)


def main() -> None:
    """Run the command. Characters that the output's encoding lacks are printed escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with interruptible():
        app(prog_name="rankbook")


if __name__ == "__main__":
    main()
