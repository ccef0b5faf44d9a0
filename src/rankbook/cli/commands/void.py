"""`rankbook void`: take a result back."""

from rankbook.cli.call import Call, subcommand
from rankbook.cli.changes import submit_change
from rankbook.cli.options import EventArgument, IdOption
from rankbook.model import Event


@subcommand
def void(call: Call, event_id: EventArgument, id: IdOption = "") -> None:
    """Take a result back until an unvoid: the player's next best result counts, if any."""
    with call.open() as book:
        submit_change(call, book, Event(kind="void", player="", target=event_id, id=id))
