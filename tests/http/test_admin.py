"""Administration: taking back, keeping out, sealing, and jobs that check and mend."""

import subprocess
import sys
import time

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from rankbook import Rankbook
from rankbook.http import Settings
from rankbook.http.jobs import Busy, Jobs
from tests.http.running import SECONDS, make_book, result
from tests.http.threaded import threaded
from tests.http.within import Within, within

TOML = """\
[book]
name = "typing"

[[board]]
name = "speed"
measures = { score = "wpm" }
order_by = ["score desc"]
windows = ["all-time", "daily"]
seal = true
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    directory = make_book(tmp_path_factory.mktemp("admin") / "book", TOML)
    with Rankbook.open(directory) as book:
        with threaded(book, Settings(directory=directory)) as found:
            yield found
        assert book.verify().agrees


@pytest.fixture(scope="module")
def admin(running):
    with running.client("admin") as found:
        yield found


def top(client) -> dict[str, int]:
    found = client.get("/v1/boards/speed/ranking", params={"limit": 100}).json()
    return {entry["player"]: entry["score"] for entry in found["entries"]}


def ended(client, job: str) -> dict[str, object]:
    """The job once it has ended."""
    until = time.monotonic() + SECONDS
    while (found := client.get(f"/v1/jobs/{job}").json())["status"] == "running":
        assert time.monotonic() < until
        time.sleep(0.01)
    return found


def test_a_void_takes_a_result_back(admin):
    admin.post("/v1/events", json=[result("v", 5, id="v1"), result("v", 9, id="v2")])
    answer = admin.post("/v1/admin/void", json={"event": "v2", "id": "void-v2"})
    assert answer.status_code == 200
    assert top(admin)["v"] == 5
    again = admin.post("/v1/admin/void", json={"event": "v2", "id": "void-v2"})
    assert again.content == answer.content
    unknown = admin.post("/v1/admin/void", json={"event": "none"})
    assert (unknown.status_code, unknown.json()["field"]) == (422, "target")


def test_an_unvoid_lets_a_result_count_again(admin):
    admin.post("/v1/events", json=[result("u", 5, id="u1"), result("u", 9, id="u2")])
    admin.post("/v1/admin/void", json={"event": "u2"})
    assert top(admin)["u"] == 5
    answer = admin.post("/v1/admin/unvoid", json={"event": "u2", "id": "unvoid-u2"})
    assert answer.status_code == 200
    assert top(admin)["u"] == 9
    again = admin.post("/v1/admin/unvoid", json={"event": "u2", "id": "unvoid-u2"})
    assert again.content == answer.content
    unknown = admin.post("/v1/admin/unvoid", json={"event": "none"})
    assert (unknown.status_code, unknown.json()["field"]) == (422, "target")


def test_a_correction_gives_a_result_other_values(admin):
    admin.post("/v1/events", json=result("c", 5, id="c1"))
    answer = admin.post("/v1/admin/correct", json={"event": "c1", "values": {"wpm": 7}})
    assert answer.status_code == 200
    assert top(admin)["c"] == 7


def test_a_ban_keeps_out_and_an_unban_lets_in(admin):
    admin.post("/v1/events", json=result("b", 5))
    assert admin.post("/v1/admin/ban", json={"player": "b"}).status_code == 200
    assert "b" not in top(admin)
    assert admin.post("/v1/admin/unban", json={"player": "b"}).status_code == 200
    assert top(admin)["b"] == 5


def test_who_is_forgotten_is_in_no_answer_and_no_log(admin, running):
    admin.post("/v1/events", json=result("f", 5, id="f1", profile={"name": "Secret"}))
    assert admin.post("/v1/admin/forget", json={"player": "f"}).status_code == 200
    assert "f" not in top(admin)
    [recorded] = running.served.book.log.find(["f1"])
    assert recorded is not None
    assert (recorded.player, recorded.body) == ("", b"{}")


def test_a_period_that_is_over_can_be_sealed_once(admin):
    admin.post("/v1/events", json=result("s", 5, at="2026-01-05T10:00:00Z"))
    period = {"board": "speed", "window": "daily", "period": "2026-01-05"}
    assert admin.post("/v1/admin/seal", json={**period, "id": "seal-1"}).status_code == 200
    assert admin.post("/v1/admin/seal", json={**period, "id": "seal-1"}).status_code == 200
    for wrong in ({"board": "x"}, {"window": "x"}, {"period": "x"}, {"period": "9999-01-01"}):
        answer = admin.post("/v1/admin/seal", json={**period, **wrong})
        assert answer.status_code == 422, wrong


@pytest.mark.parametrize("kind", ["verify", "repair", "rebuild"])
def test_long_work_is_a_job_with_progress_and_a_result(admin, kind):
    admin.post("/v1/events", json=[result(f"j{n}", n) for n in range(50)])
    body = {"json": {}} if kind == "rebuild" else {}
    answer = admin.post(f"/v1/admin/{kind}", **body)
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    done = ended(admin, job["id"])
    assert (done["status"], done["error"]) == ("done", "")
    assert done["done"] >= 50
    assert done["result"] if kind == "rebuild" else done["result"]["agrees"]
    assert job["id"] in [each["id"] for each in admin.get("/v1/jobs").json()]


def test_one_board_or_one_period_can_be_made_anew(admin):
    answer = admin.post("/v1/admin/rebuild", json={"board": "speed", "period": "all-time"})
    assert ended(admin, answer.json()["id"])["status"] == "done"
    unknown = admin.post("/v1/admin/rebuild", json={"board": "none"})
    assert unknown.status_code == 404
    assert "there are: speed" in unknown.json()["detail"]
    assert admin.post("/v1/admin/rebuild", json={"period": "all-time"}).status_code == 404


def test_an_unknown_job_is_404_with_what_there_is(admin):
    for path in ("none", "..", "a" * 200):
        assert admin.get(f"/v1/jobs/{path}").status_code in (404, 405)
        assert admin.post(f"/v1/jobs/{path}/cancel").status_code == 404


def test_what_no_admin_says_is_refused(admin):
    for name, body in [
        ("void", {}),
        ("void", {"event": 5}),
        ("unvoid", {}),
        ("correct", {"event": "x"}),
        ("ban", {"player": "x", "more": 1}),
        ("rebuild", []),
    ]:
        assert admin.post(f"/v1/admin/{name}", json=body).status_code == 422, name


class Work:
    """Work that goes on, telling of one thing at a time, until it is stopped."""

    def __init__(self):
        self.told = 0

    def __call__(self, told):
        while True:
            told(1)
            self.told += 1
            time.sleep(0.001)


def wait_for(holds) -> None:
    until = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_job_runs_alone_and_can_be_stopped_from_another_process(admin, running):
    jobs = running.served.jobs
    work = Work()
    job = jobs.start("verify", work)
    wait_for(lambda: work.told > 3)
    answer = admin.post("/v1/admin/verify")
    assert answer.status_code == 409
    assert job.id in answer.json()["detail"]
    elsewhere = Jobs(running.served.settings.directory / "jobs")
    with pytest.raises(Busy):
        elsewhere.start("repair", work)
    assert elsewhere.get(job.id).status == "running"
    assert elsewhere.cancel(job.id).id == job.id
    assert ended(admin, job.id)["status"] == "cancelled"
    after = admin.post("/v1/admin/verify")
    assert ended(admin, after.json()["id"])["status"] == "done"


CHILD = """
import sys, time
from pathlib import Path
from rankbook.http.jobs import Jobs

Jobs(Path(sys.argv[1])).start("verify", lambda told: time.sleep(600))
time.sleep(600)
"""


def test_a_job_whose_process_was_killed_is_lost_and_another_can_start(tmp_path):
    jobs = Jobs(tmp_path / "jobs")
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path / "jobs")])
    try:
        wait_for(lambda: [each.status for each in jobs.list()] == ["running"])
    finally:
        child.kill()
        child.wait()
    assert [each.status for each in jobs.list()] == ["lost"]
    again = jobs.start("verify", lambda _told: {"fine": True})
    wait_for(lambda: jobs.get(again.id).status == "done")


def test_a_job_that_fails_says_why_and_not_more(tmp_path):
    jobs = Jobs(tmp_path / "jobs")

    def refused(_told):
        raise Busy("another")

    def broken(_told):
        raise ValueError("a secret place")

    for work, said in ((refused, "another"), (broken, "ValueError")):
        job = jobs.start("repair", work)
        wait_for(lambda job=job: jobs.get(job.id).status != "running")
        found = jobs.get(job.id)
        assert (found.status, "secret" in found.error) == ("failed", False)
        assert said in found.error


def test_a_service_that_stops_ends_its_job(tmp_path):
    directory = make_book(tmp_path / "book", TOML)
    with Rankbook.open(directory) as book:
        with threaded(book, Settings(directory=directory)) as found:
            job = found.served.jobs.start("verify", Work())
        assert found.served.jobs.get(job.id).status == "cancelled"


def test_a_job_under_a_prefix_is_where_its_location_says(tmp_path):
    with within(tmp_path / "club") as club:
        _key, token = club.served.keys.create("ops", ["admin"])
        headers = {"Authorization": f"Bearer {token}"}
        host = Starlette(routes=[Mount("/ranks", app=club.application)])
        site = Within(club.book, club.clock, host)
        place = site.ask("/ranks/v1/admin/verify", "POST", headers=headers).headers["location"]
        wait_for(lambda: site.json(place, headers=headers)["status"] == "done")


def test_without_a_directory_there_are_jobs_too(tmp_path):
    with (
        Rankbook.open(make_book(tmp_path / "book", TOML)) as book,
        threaded(book) as found,
        found.client("admin") as client,
    ):
        answer = client.post("/v1/admin/verify")
        assert ended(client, answer.json()["id"])["result"]["agrees"]
