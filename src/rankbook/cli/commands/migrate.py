"""`rankbook migrate`: bring the tables of the log up to this program's form."""

import msgspec

from rankbook.book import read_spec
from rankbook.cli.call import Call, subcommand
from rankbook.log import migrate as bring_up


class Migration(msgspec.Struct, frozen=True, kw_only=True):
    """The number of the log's tables before and after."""

    before: int = msgspec.field(name="from")
    after: int = msgspec.field(name="to")


@subcommand
def migrate(call: Call) -> None:
    """Bring the tables of the log up to the number of this program, and say from which.

    Opening a book does so, too; this does nothing else.
    """
    where = call.directory
    done = Migration(**bring_up(read_spec(where).log, where)._asdict())
    call.answer(done, lambda: _text(done))


def _text(done: Migration) -> str:
    if done.before == done.after:
        return f"The log has schema {done.after}, this program's; nothing was changed."
    return f"The log is migrated from schema {done.before} to {done.after}."
