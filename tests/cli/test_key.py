"""`rankbook key`."""

import json

from rankbook.http.auth.keys import FILE, KeyRing
from tests.http.running import make_book


def test_the_command_creates_lists_and_revokes(rankbook, tmp_path):
    book = make_book(tmp_path / "book")
    made = rankbook("key", "create", "game", "--scope", "submit", "--book", book)
    token = made.stdout.strip()
    key = KeyRing(book / FILE).find(token)
    assert key is not None
    assert "once" in made.line
    listed = rankbook("key", "list", "--book", book)
    assert key.id in listed.stdout
    assert "submit" in listed.stdout
    assert token.split("_", 2)[2] not in listed.stdout
    [row] = rankbook("key", "list", "--book", book, "--json").json
    assert row["scopes"] == ["submit"]
    revoked = rankbook("key", "revoke", key.id, "--book", book)
    assert revoked.code == 0
    assert KeyRing(book / FILE).find(token) is None


def test_the_command_prints_a_new_key_as_a_document(rankbook, tmp_path):
    book = make_book(tmp_path / "book")
    made = rankbook("key", "create", "x", "--scope", "submit", "--signed", "--json", "--book", book)
    document = json.loads(made.stdout)
    assert KeyRing(book / FILE).signing_secret(document["id"]) == document["key"].encode()


def test_the_command_says_what_is_wrong(rankbook, tmp_path):
    book = make_book(tmp_path / "book")
    assert rankbook("key", "create", "--book", book).code == 2
    assert rankbook("key", "create", "a", "--book", book).line.endswith("read, submit, admin")
    assert rankbook("key", "revoke", "b", "--book", book).code == 3
    assert rankbook("key", "list", "--book", tmp_path).code == 5
