"""Debian's Chromium, windows of it that complain, and the club's pages."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.club import NOW, Club, club
from tests.servers import Missing, skip_or_fail

ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
TIMEOUT_MS = 15_000

Opens = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser, or a skip (with CI=true: a failure) where there is none.

    Not for the session: while it is there, an event loop runs in this thread, and no test of
    another module could run its own.
    """
    program = shutil.which("chromium")
    if program is None:
        skip_or_fail(Missing("needs Chromium: sudo apt-get install chromium"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """The club's pages, for the tests of a module: those that change the book come last."""
    with club(tmp_path_factory.mktemp("club")) as running:
        yield running


@pytest.fixture
def opened(chromium: Browser, site: Club) -> Iterator[Opens]:
    """Opens a window at a path of the pages. At the end none has complained to the console."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(
        path: str = "/", *, width: int = 1280, expected: int = 200, excused: int = 0, **more
    ) -> Page:
        context = chromium.new_context(
            base_url=site.url, viewport={"width": width, "height": 900}, **more
        )
        contexts.append(context)
        context.set_default_timeout(TIMEOUT_MS)
        context.clock.set_fixed_time(NOW)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(f"{said.type}: {said.text}")
                if said.type in ("error", "warning") and not _excused(said.text, expected, excused)
                else None
            ),
        )
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == expected
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _excused(text: str, *statuses: int) -> bool:
    """Whether it is the browser's word for an answer that the test wants."""
    return any(f"status of {each}" in text for each in statuses)
