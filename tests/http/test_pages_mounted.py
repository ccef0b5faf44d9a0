"""The pages under a prefix of another application."""

import asyncio

import httpx
import pytest
from litestar import Litestar
from starlette.applications import Starlette
from starlette.routing import Mount

from rankbook import Event, Rankbook
from rankbook.http import Settings, app
from tests.browser.club import TOML
from tests.http.test_trouble import eventually

ASGIApplication = Starlette | Litestar


class Client:
    """Asks an application in this process, as a browser does."""

    def __init__(self, site: ASGIApplication) -> None:
        self._site = site

    def get(self, path: str) -> httpx.Response:
        """The answer, without following it elsewhere."""
        return asyncio.run(self._get(path))

    async def _get(self, path: str) -> httpx.Response:
        transport = httpx.ASGITransport(app=self._site)
        async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
            return await client.get(path, headers={"Accept": "text/html"})


@pytest.fixture
def client(tmp_path):
    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path) as book:
        book.submit(Event(id="e", player="asha", values={"wpm": 90, "mode": "time"}))
        ranks = app(book, Settings(directory=tmp_path))
        yield Client(Starlette(routes=[Mount("/ranks", app=ranks)]))


def addresses(text: str) -> set[str]:
    found = [part.split('"')[0] for part in text.replace('src="', 'href="').split('href="')[1:]]
    return {each for each in found if not each.startswith("#")}


@pytest.mark.parametrize(
    "path",
    ["/", "/?wall", "/player?player=asha", "/seasons", "/submissions", "/submission?event=e"],
)
def test_every_address_in_a_page_is_below_the_prefix(client, path):
    page = client.get(f"/ranks{path}")
    assert page.status_code == 200
    assert all(each.startswith("/ranks/") for each in addresses(page.text))


def test_every_address_in_a_page_leads_somewhere(client):
    seen: set[str] = set()
    ahead = {"/ranks/"}
    while ahead:
        path = ahead.pop()
        seen.add(path)
        answer = client.get(path.replace("&amp;", "&"))
        assert answer.status_code == 200, path
        if answer.headers["content-type"].startswith("text/html"):
            ahead |= addresses(answer.text) - seen
    assert len(seen) > 25


def test_a_player_who_is_found_and_a_page_that_is_not_stay_below_it_too(client):
    found = client.get("/ranks/player?q=asha")
    assert (found.status_code, found.headers["location"]) == (303, "/ranks/player?player=asha")
    lost = client.get("/ranks/nowhere")
    assert lost.status_code == httpx.codes.NOT_FOUND
    assert 'href="/ranks/player"' in lost.text
    assert client.get("/ranks/v1/nowhere").headers["content-type"] == "application/problem+json"


def test_pictures_elsewhere_are_shown_and_may_load_only_where_the_operator_says_so(tmp_path):
    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path) as book:
        profile = {"name": "Asha", "avatar": "https://example.org/a.png?x=1&y=2"}
        book.submit(Event(player="asha", values={"wpm": 90, "mode": "time"}, profile=profile))
        for remote in (False, True):
            answer = Client(app(book, Settings(remote_avatars=remote))).get("/")
            policy = answer.headers["content-security-policy"]
            assert ("img-src 'self' https:;" in policy) is remote
            assert ('src="https://example.org/a.png?x=1&amp;y=2"' in answer.text) is remote


def test_a_mounted_service_ranks_what_others_record_from_its_first_request_on(tmp_path):
    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path) as book, Rankbook.open(tmp_path) as shop:
        ranks = app(book, Settings(directory=tmp_path, upkeep_seconds=0.01))
        client = Client(Starlette(routes=[Mount("/ranks", app=ranks)]))
        assert client.get("/ranks/healthz").status_code == 200
        shop.record(Event(player="asha", values={"wpm": 90, "mode": "time"}))
        eventually(lambda: book.pending() == 0)
        asyncio.run(ranks.state.served.stop())
        assert book.ranking("speed").rank("asha") == 1
