"""The OpenAPI document: everything there is, described, and true of what is answered."""

import re

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from rankbook.http.problems import KINDS, STATUSES
from tests.docs.markdown import section
from tests.http.within import Within, within

RANKING = "/v1/boards/speed/ranking"
READS = {
    "/healthz": "/healthz",
    "/readyz": "/readyz",
    "/v1/boards": "/v1/boards",
    "/v1/boards/{board}/periods": "/v1/boards/speed/periods",
    "/v1/players/{player}": "/v1/players/asha",
    "/v1/bundles/{name}": "/v1/bundles/home",
    "/v1/boards/{board}/ranking": f"{RANKING}?limit=1",
    "/v1/boards/{board}/around/{player}": "/v1/boards/speed/around/asha",
    "/v1/boards/{board}/players/{player}": "/v1/boards/speed/players/asha",
    "/v1/boards/{board}/among": "/v1/boards/speed/among?player=asha",
    "/v1/boards/{board}/scores": "/v1/boards/speed/scores",
    "/v1/boards/{board}/histogram": "/v1/boards/speed/histogram",
}


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    with within(tmp_path_factory.mktemp("documented") / "club") as made:
        made.submit("asha", 50.25)
        made.submit("bram", 40)
        yield made


@pytest.fixture(scope="module")
def document(club):
    return club.json("/schema")


def operations(document):
    return [
        (path, method, operation)
        for path, there in document["paths"].items()
        for method, operation in there.items()
    ]


def test_every_route_is_in_it_but_those_of_pages(club, document):
    routes = {
        re.sub(r":\w+}", "}", route.path)
        for route in club.application.routes
        if route.path.startswith("/v1") or route.path in ("/healthz", "/readyz", "/metrics")
    }
    assert routes == set(document["paths"])


def test_every_operation_is_described_with_its_problems(document):
    groups = {each["name"] for each in document["tags"]}
    for path, method, operation in operations(document):
        assert operation["summary"], (path, method)
        assert operation.get("description"), (path, method)
        assert set(operation["tags"]) <= groups, (path, method)
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query":
                assert parameter.get("description") or path.startswith("/v1/events"), path
        for status, answer in operation["responses"].items():
            assert answer["description"], (path, status)
            if status >= "400" and answer.get("content"):
                assert "Problem" in str(answer["content"]), (path, status)


def test_every_read_has_an_example_and_says_how_it_may_be_kept(document):
    for path, method, operation in operations(document):
        if "304" in operation["responses"]:
            answer = operation["responses"]["200"]
            assert set(answer["headers"]) == {"ETag", "Cache-Control"}, path
            assert answer["content"]["application/json"]["examples"], (path, method)
            names = [each["name"] for each in operation["parameters"]]
            assert "If-None-Match" in names
            assert ("tags" in names) == ("rankings" in operation["tags"])


def test_numbers_are_numbers_and_structs_say_what_they_are(document):
    schemas = document["components"]["schemas"]
    entry = schemas["Entry"]["properties"]
    assert entry["score"] == {"type": "number"}
    assert entry["measures"]["additionalProperties"] == {"type": "number"}
    assert entry["details"]["additionalProperties"] == {
        "anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]
    }
    assert "rank" in schemas["Entry"]["description"]
    assert "decimal" not in str(schemas)


@pytest.mark.parametrize("path", READS)
def test_answers_and_examples_are_of_the_shape_that_is_described(club, document, path):
    content = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
    fits(document, content["schema"], club.json(READS[path]))
    for example in content.get("examples", {}).values():
        fits(document, content["schema"], example["value"])


KINDS_OF_JSON = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def fits(document, schema, value):
    """Raises AssertionError where a value is not of a schema, in so far as ours are used."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        assert any(is_one(document, each, value) for each in choices), (schema, value)
    elif schema["type"] == "array":
        assert isinstance(value, list)
        for each in value:
            fits(document, schema["items"], each)
    elif schema["type"] == "object":
        assert set(schema.get("required", [])) <= set(value), (schema, value)
        for name, each in value.items():
            more = schema.get("additionalProperties")
            fits(document, schema.get("properties", {}).get(name, more), each)
    else:
        assert isinstance(value, KINDS_OF_JSON[schema["type"]]), (schema, value)


def is_one(document, schema, value):
    try:
        fits(document, schema, value)
    except AssertionError:
        return False
    return True


def test_under_a_prefix_it_says_where_it_is(club):
    host = Starlette(routes=[Mount("/club", app=club.application)])
    mounted = Within(club.book, club.clock, host, "/club")
    for service, prefix in ((mounted, "/club"), (club, "/")):
        assert service.json("/schema")["servers"] == [{"url": prefix}]


def test_every_status_and_type_is_in_the_document_for_people():
    rows = section("docs/http.md", "Errors")
    for status, (name, _title) in STATUSES.items():
        assert re.search(rf"^\| {status} \|.*`{name}`", rows, re.MULTILINE), (status, name)
    for kind in KINDS.values():
        if kind.name != "specification":
            assert re.search(rf"^\| {kind.status} \|.*`{kind.name}`", rows, re.MULTILINE), kind
