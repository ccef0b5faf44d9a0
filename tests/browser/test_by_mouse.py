"""The ways through the pages, by mouse."""

from playwright.sync_api import expect

from rankbook import Event

TODAY = "/?board=speed&window=daily"


def test_tabs_lead_to_time_frames_and_modes(opened):
    page = opened("/")
    page.get_by_role("navigation", name="Time frame").get_by_text("Today").click()
    page.get_by_role("navigation", name="Kind").get_by_text("words").click()
    expect(page.locator("h1")).to_have_text("Today words")
    modes = page.locator("table.standings tbody td.detail:not(.num)").all_inner_texts()
    assert set(modes) == {"words"}


def test_a_shared_place_is_shown_as_the_board_declares_it(opened, site):
    for player in ("bram-abe", "bram-berg"):
        site.book.submit(Event(player=player, values={"wpm": 200, "mode": "time"}))
    page = opened(TODAY)
    first = page.locator("tr[data-rank='1']")
    expect(first).to_have_count(2)
    expect(first.locator(".shared")).to_have_count(2)
    assert page.locator("tr[data-rank='2']").count() == 0
    assert page.locator("tr[data-rank='3'] .shared").count() == 0


def test_the_viewers_own_row_is_pinned_and_remembered_only_when_they_say_so(opened):
    page = opened(TODAY)
    page.get_by_label("Name or id").fill("Hugo Costa")
    page.get_by_role("button", name="Find").click()
    own = page.locator("tr.own")
    expect(own).to_have_attribute("data-player", "hugo-costa")
    expect(own).to_contain_text("you")
    page.goto(TODAY)
    expect(own).to_have_count(0)
    assert page.evaluate("localStorage.length") == 0
    page.goto(f"{TODAY}&player=hugo-costa")
    page.get_by_label("Remember me in this browser").check()
    page.goto(TODAY)
    expect(own).to_have_attribute("data-player", "hugo-costa")
    page.get_by_label("Remember me in this browser").uncheck()
    page.goto(TODAY)
    expect(own).to_have_count(0)


def test_a_name_that_several_have_gives_a_choice(opened):
    page = opened("/?player=asha")
    page.get_by_role("link", name="Asha Berg").click()
    own = page.locator("tr.own")
    expect(own).to_have_attribute("data-player", "asha-berg")
    page.goto("/?player=nobody-at-all")
    expect(page.get_by_text("Nobody of that name or id is here.")).to_be_visible()


def test_a_player_is_found_by_name_and_their_places_lead_to_who_is_around(opened):
    page = opened("/player")
    page.get_by_label("Name or id").fill("gita costa")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("h1")).to_have_text("Gita Costa")
    page.locator(".card", has_text="All time words").click()
    expect(page.locator("h2#around")).to_contain_text("All time, words")
    around = page.locator("table.standings tr[data-player]")
    expect(around).to_have_count(7)
    expect(page.locator("tr.own")).to_have_attribute("data-player", "gita-costa")


def test_a_players_seasons_stand_side_by_side_with_score_and_rank(opened, site):
    page = opened("/player?player=gita-costa&board=speed&window=daily")
    points = page.locator("svg.chart circle")
    periods = site.book.player_periods("gita-costa", "speed", "daily")
    expect(points).to_have_count(len([each for each in periods if each.score is not None]))
    shown = page.locator("svg.chart text.place").all_text_contents()
    assert shown == [str(each.rank) for each in reversed(periods) if each.rank]
    best = page.locator(".best").first
    entry = site.book.ranking("speed", window="all-time").entry("gita-costa")
    expect(best).to_contain_text(str(entry.score))
    best.get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("A submission, step by step")
    assert entry.event_id in page.url.replace("%3A", ":")


def test_past_seasons_are_sealed_and_two_can_be_compared(opened, site):
    page = opened("/seasons?board=speed&window=daily")
    expect(page.locator(".heading .sealed")).to_contain_text("sealed")
    expect(page.locator("h1")).to_contain_text("2026-11-29")
    page.get_by_label("Compare with").select_option("2026-11-26")
    page.get_by_role("button", name="Compare").click()
    row = page.locator("table.between tbody tr").first
    cells = row.locator("td").all_inner_texts()
    player = row.get_by_role("link").get_attribute("href").split("player=")[1]
    views = [
        site.book.ranking("speed", window="daily", period=period).entry(player)
        for period in ("2026-11-26", "2026-11-29")
    ]
    assert cells[:4] == [str(part) for each in views for part in (each.rank, each.score)]


def test_further_places_of_a_season_follow_and_lead_back(opened):
    page = opened("/seasons?board=speed&window=daily&period=2026-11-28")
    first = page.locator("table.standings tr[data-player]").all_inner_texts()
    page.get_by_role("link", name="Further places").click()
    expect(page.locator("table.standings tr[data-player]")).to_have_count(4)
    page.get_by_role("link", name="Better places").click()
    assert page.locator("table.standings tr[data-player]").all_inner_texts() == first


def test_a_submission_tells_what_its_receipt_says(opened, site):
    event = site.submit("chidi-abe", 90.4)
    receipt = site.book.outcome(event).receipt
    page = opened("/submissions")
    page.get_by_role("row", name="chidi-abe").first.get_by_role("link").click()
    nodes = page.locator(".node.ranking")
    expect(nodes).to_have_count(len(receipt.rankings))
    for index, placement in enumerate(receipt.rankings):
        nodes.nth(index).click()
        told = page.locator(".telling")
        expect(page.locator(".step-of")).to_have_text(f"Step {index + 2} of {len(nodes.all()) + 2}")
        expect(told).to_contain_text("Changed" if placement.changed else "Not changed")
        expect(told).to_contain_text(f"{placement.score:,}")
    page.get_by_role("link", name="Onward").click()
    changed = sum(each.changed for each in receipt.rankings)
    expect(page.locator(".telling strong").first).to_have_text(str(changed))


def test_the_wall_shows_the_rankings_of_a_frame_side_by_side(opened):
    page = opened("/")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.get_by_role("link", name="Show on a wall").click()
    headings = page.locator(".wall-grid h2")
    assert headings.all_inner_texts() == ["Overall", "time", "words"]
    tops = {each.bounding_box()["y"] for each in headings.all()}
    assert len(tops) == 1
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.get_by_role("link", name="Back to the page").click()
    expect(page.locator("h1")).to_have_text("All time Overall")
