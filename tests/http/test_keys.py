"""Keys: stored hashed, made and revoked while services run."""

import stat
import threading

import pytest

from rankbook import BookError, NotFound, Refused
from rankbook.http.auth.keys import FILE, KeyRing


@pytest.fixture
def path(tmp_path):
    return tmp_path / FILE


def test_a_token_finds_its_key_and_nothing_else_does(path):
    ring = KeyRing(path)
    key, token = ring.create("game", ["submit", "read"])
    assert ring.find(token) == key
    wrong = (token[:-1], token + "x", "", "_", "rankbook_", f"rankbook_{key.id}_", key.id, "ü" * 9)
    for other in (*wrong, token.replace(key.id, "0" * 12), "\ud800"):
        assert ring.find(other) is None, other


def test_the_file_has_no_token_and_is_its_owners_alone(path):
    _key, token = KeyRing(path).create("game", ["admin"])
    assert token.split("_", 2)[2] not in path.read_text()
    assert token not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_another_process_changes_is_noticed(path):
    ours, theirs = KeyRing(path), KeyRing(path)
    assert ours.find("rankbook_a_b") is None
    key, token = theirs.create("game", ["read"])
    assert ours.find(token) == key
    theirs.revoke(key.id)
    assert ours.find(token) is None
    _again, other = ours.create("other", ["read"])
    path.unlink()
    assert theirs.find(other) is None


def test_keys_that_are_made_at_once_are_all_kept(path):
    barrier = threading.Barrier(8)

    def create(n):
        barrier.wait()
        KeyRing(path).create(f"k{n}", ["read"])

    threads = [threading.Thread(target=create, args=(n,)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {key.name for key in KeyRing(path).list()} == {f"k{n}" for n in range(8)}


def test_admin_includes_the_other_scopes_and_they_do_not_include_each_other(path):
    ring = KeyRing(path)
    admin, submit = ring.create("a", ["admin"])[0], ring.create("s", ["submit"])[0]
    assert all(admin.may(scope) for scope in ("read", "submit", "admin"))
    assert [scope for scope in ("read", "submit", "admin") if submit.may(scope)] == ["submit"]


def test_a_signing_key_is_never_a_token(path):
    ring = KeyRing(path)
    key, secret = ring.create("server", ["submit"], signed=True)
    assert ring.signing_secret(key.id) == secret.encode()
    for token in (secret, f"rankbook_{key.id}_{secret}", f"rankbook_{key.id}_"):
        assert ring.find(token) is None
    plain, _token = ring.create("plain", ["submit"])
    assert ring.signing_secret(plain.id) is None


def test_what_is_no_key_is_refused(path):
    ring = KeyRing(path)
    for name, scopes, more in [
        ("", ["read"], {}),
        ("n" * 65, ["read"], {}),
        ("a\nb", ["read"], {}),
        ("a", [], {}),
        ("a", ["write"], {}),
        ("a", ["admin"], {"signed": True}),
    ]:
        with pytest.raises(Refused):
            ring.create(name, scopes, **more)
    with pytest.raises(NotFound, match="there are: none"):
        ring.revoke("nobody")


def test_a_damaged_file_lets_nobody_in(path):
    ring = KeyRing(path)
    _key, token = ring.create("game", ["read"])
    path.write_text(path.read_text()[:-20])
    with pytest.raises(BookError, match="cannot be read"):
        ring.find(token)


def test_without_a_path_keys_are_kept_in_memory():
    ring = KeyRing(None)
    key, token = ring.create("game", ["read"])
    assert ring.find(token) == key
    assert ring.session_secret() == ring.session_secret()
    ring.revoke(key.id)
    assert ring.find(token) is None
