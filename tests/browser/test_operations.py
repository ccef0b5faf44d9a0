"""The operations page: an admin key, and what it opens."""

import pytest
from playwright.sync_api import expect

from tests.browser.club import club
from tests.browser.test_every_page import violations


@pytest.fixture
def inside(opened, site):
    """The operations page of an admin, who came in by the form."""
    page = opened("/operations")
    page.get_by_label("Admin key").fill(site.key("admin"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Lag and sizes")).to_be_visible()
    return page


def test_a_key_that_is_none_or_no_admins_opens_nothing(opened, site):
    for key in ("rankbook_0_none", site.key("read", "submit")):
        page = opened("/operations", excused=403)
        page.get_by_label("Admin key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("not an admin key")
        assert page.context.cookies() == []


def test_the_session_is_a_cookie_that_no_script_sees_and_not_the_key(inside, site):
    [cookie] = inside.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert not cookie["value"].startswith("rankbook_")
    assert inside.evaluate("document.cookie") == ""
    inside.get_by_role("button", name="Sign out").click()
    expect(inside.get_by_label("Admin key")).to_be_visible()


def test_verify_shows_its_report_and_axe_has_nothing_to_say(inside):
    expect(inside.locator(".big").first).to_contain_text("0 pending")
    inside.get_by_role("button", name="Verify").click()
    expect(inside.locator(".outcome")).to_have_text("The rankings agree with the log.")
    report = inside.get_by_role("region", name="Verify")
    expect(report).to_contain_text("log position")
    for theme in ("light", "dark"):
        inside.emulate_media(color_scheme=theme)
        assert violations(inside) == []


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_nothing_is_wider_than_the_screen(inside, width):
    inside.get_by_text("What the store says of itself").click()
    inside.set_viewport_size({"width": width, "height": 900})
    assert inside.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_rebuild_and_repair_run_and_are_listed(inside):
    inside.get_by_role("button", name="Rebuild").click()
    expect(inside.locator(".outcome")).to_contain_text("Made anew up to log position")
    inside.get_by_role("button", name="Repair").click()
    expect(inside.locator(".outcome")).to_have_text("The rankings agree with the log.")
    jobs = inside.locator(".jobs li")
    expect(jobs.first).to_contain_text("repair")
    expect(jobs.nth(1)).to_contain_text("rebuild")


def test_a_form_of_another_site_sets_nothing_going(inside, site):
    answer = inside.request.post(
        f"{site.url}/operations/verify", headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status == 403
    without = inside.context.browser.new_context()
    assert without.request.post(f"{site.url}/operations/rebuild").status == 401
    without.close()


def test_where_reading_needs_a_key_the_pages_say_so_and_open_to_an_admin(chromium, tmp_path):
    with club(tmp_path, read_open=False) as closed:
        context = chromium.new_context(base_url=closed.url)
        page = context.new_page()
        answer = page.goto("/")
        assert answer.status == 401
        page.get_by_role("link", name="Sign in with a key").click()
        page.get_by_label("Admin key").fill(closed.key("admin"))
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Standings").click()
        expect(page.locator("h1")).to_have_text("All time Overall")
        context.close()
