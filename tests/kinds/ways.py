"""Every way in which a result comes into a book, each given the same texts."""

import asyncio
import io
import sqlite3
from decimal import Decimal

import httpx
from typer.testing import CliRunner

from rankbook import Event, Rankbook, RankbookError, Refused
from rankbook.cli.main import app as command
from rankbook.http import Settings, app
from rankbook.importing import FORMATS, Importer, Source, import_query
from rankbook.rules import parse_instant
from tests.http.running import key


def over_http(place, body):
    """One event as JSON; a refusal has its field in the problem's `field`."""
    token = key(place, "submit")

    async def main(book):
        application = app(book, Settings(directory=place))
        transport = httpx.ASGITransport(app=application)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        async with httpx.AsyncClient(transport=transport, base_url="http://club") as client:
            return await client.post("/v1/events", content=body, headers=headers)

    with Rankbook.open(place) as book:
        answer = asyncio.run(main(book))
    if answer.status_code != 200:
        problem = answer.json()
        raise Refused(problem.get("field", ""), problem["detail"])


def by_http(place, at, points, id):
    over_http(place, _json(at, points, id))


def by_http_list(place, at, points, id):
    over_http(place, f"[{_json(at, points, id)}]")


def by_command(place, at, points, id):
    _command(place, ["submit", "asha", f"points={points}", "--at", at, "--id", id])


def by_stdin(place, at, points, id):
    _command(place, ["submit", "-"], _json(at, points, id))


def by_csv(place, at, points, id):
    _import(place, "csv", f"player,at,points,id\nasha,{at},{points},{id}\n")


def by_ndjson(place, at, points, id):
    _import(place, "ndjson", _json(at, points, id))


def by_query(place, at, points, id):
    database = place / "own.sqlite"
    own = sqlite3.connect(database)
    own.execute("DROP TABLE IF EXISTS result")
    own.execute("CREATE TABLE result (player, at, points, id)")
    own.execute(f"INSERT INTO result VALUES ('asha', ?, {points}, ?)", [at, id])
    own.commit()
    own.close()
    with Rankbook.open(place) as book:
        importer = Importer(book)
        import_query(importer, f"sqlite:{database}", "SELECT * FROM result")
        _end(importer)


def by_library(place, at, points, id):
    with Rankbook.open(place) as book:
        values = {"points": Decimal(points)}
        book.submit(Event(player="asha", at=parse_instant(at), values=values, id=id))


def _json(at, points, id):
    return f'{{"player": "asha", "id": "{id}", "at": "{at}", "values": {{"points": {points}}}}}'


def _command(place, arguments, given=None):
    done = CliRunner().invoke(command, ["--book", str(place), *arguments], input=given)
    if done.exit_code:
        assert isinstance(done.exception, RankbookError | SystemExit), done.exception
        raise Refused("", done.output)


def _import(place, format, text):
    with Rankbook.open(place) as book:
        importer = Importer(book)
        source = Source(io.StringIO(text), "results")
        importer.rows(source, FORMATS[format].read(source))
        _end(importer)


def _end(importer):
    for fault in importer.finish().faults:
        raise Refused(fault.column, fault.reason)


BY_JSON = [by_http, by_http_list, by_stdin, by_ndjson]
WAYS = [*BY_JSON, by_command, by_csv, by_query, by_library]
