"""Who may ask: tokens, and what browsers say about where a request comes from."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from lexfield.errors import InputError
from lexfield.serve.access import Guesses, check_token, network_of
from tests.serve.test_guard import LONG, Toy, get


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "::", "example.org"])
def test_beyond_this_machine_short_tokens_are_refused(host: str) -> None:
    with pytest.raises(InputError, match="15 characters"):
        check_token(host, "x" * 15)
    check_token(host, "x" * 16)
    check_token("127.0.0.1", "x")


def test_guessing_is_slow_and_the_right_token_is_let_in() -> None:
    toy = Toy(token=LONG)
    statuses = [
        get(toy, "/hello", authorization=f"Bearer {number}").status_code for number in range(15)
    ]
    assert statuses[0] == 401 and statuses[-1] == 429
    refused = get(toy, f"/hello?token={LONG[:-1]}")
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) > 0
    assert get(toy, "/hello", authorization=f"Bearer {LONG}").status_code == 200
    assert get(toy, "/hello").status_code == 401  # no token is no guess


def test_of_a_short_token_no_guess_is_looked_at_after_too_many() -> None:
    toy = Toy(token="s3cret")
    for number in range(15):
        get(toy, "/hello", cookie=f"lexfield_token_8000={number}")
    assert get(toy, "/hello", authorization="Bearer s3cret").status_code == 429


def test_to_repeat_a_wrong_token_is_no_guess() -> None:
    """A page of an earlier run of the server sends its cookie again and again."""
    for toy in (Toy(token=LONG), Toy(token="s3cret")):
        old = {"cookie": "lexfield_token_8000=of-an-earlier-run"}
        answers = [get(toy, "/hello", **old) for _ in range(30)]
        assert {answer.status_code for answer in answers} == {401}
        assert "earlier run" in answers[0].json()["error"]
        for number in range(9):
            refused = get(toy, f"/hello?token={number}", **old)
            assert refused.status_code == 401


def test_every_wrong_token_of_a_request_is_a_guess() -> None:
    toy = Toy(token="s3cret")
    for number in range(4):
        name = f"lexfield_token_8000=a{number}"
        get(toy, f"/hello?token=b{number}", cookie=name, authorization=f"Bearer c{number}")
    assert get(toy, "/hello", authorization="Bearer s3cret").status_code == 429


def test_who_was_let_in_is_not_locked_out_by_guesses_of_others() -> None:
    toy = Toy(token="s3cret")
    cookie = get(toy, "/hello?token=s3cret").headers["set-cookie"].partition(";")[0]
    for number in range(15):
        get(toy, "/hello", authorization=f"Bearer {number}")
    assert get(toy, "/hello", authorization="Bearer s3cret").status_code == 429
    assert get(toy, "/hello", cookie=cookie).status_code == 200
    assert get(toy, "/hello", cookie="lexfield_token_8000=s3cret:").status_code == 429
    # The same token in another run of the server.
    assert get(Toy(token="s3cret"), "/hello", cookie=cookie).status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("127.0.0.1", "127.9.8.7", True),
        ("127.0.0.1", "::1", True),
        ("::ffff:127.0.0.2", "::1", True),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_guesses_are_counted_by_network(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same
    guesses = Guesses()
    for _ in range(30):
        guesses.add(one)
    assert guesses.too_many(other) is same


@pytest.mark.parametrize(
    "others", ["a b=c; {}", 'j={{"x": [1, 2]}}; {}', "x@y; {}; @=,", "={}; {}", ";;{};"]
)
def test_cookies_of_other_programs_do_no_harm(others: str) -> None:
    cookie = others.replace("{}", f"lexfield_token_8000={LONG}")
    assert get(Toy(token=LONG), "/hello", cookie=cookie).status_code == 200


@pytest.mark.parametrize("origin", ["http://[::1", "http://[", "//", "", "null", "http://[x]:y"])
def test_a_malformed_origin_is_refused(origin: str) -> None:
    assert get(Toy(), "/hello", origin=origin).status_code == 403


@pytest.mark.parametrize(
    "host", ["[127.0.0.1]", "127.0.0.1:99999", "[localhost]", "[::1", "[1]", "localhost:65536"]
)
def test_a_malformed_host_is_refused(host: str) -> None:
    assert get(Toy(), "/hello", host=host).status_code == 421


def test_guesses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("lexfield.serve.access.time.monotonic", lambda: now)
    guesses = Guesses()
    for _ in range(30):
        guesses.add("10.0.0.1")
    assert guesses.too_many("10.0.0.1") and not guesses.too_many("10.0.0.2")
    now += 7
    assert not guesses.too_many("10.0.0.1")


def test_a_cookie_is_of_one_port() -> None:
    toy = Toy(token=LONG)
    answer = get(toy, f"/hello?token={LONG}")
    assert answer.headers["set-cookie"].startswith(f"lexfield_token_8000={LONG};")
    assert get(toy, "/hello", cookie=f"lexfield_token_8000={LONG}").status_code == 200
    assert get(toy, "/hello", cookie=f"lexfield_token_8001={LONG}").status_code == 401


VISIT = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/hello", {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}, 200),
        ("/hello", {"sec-fetch-site": "none", **VISIT}, 200),
        ("/hello", {"sec-fetch-site": "cross-site", **VISIT}, 200),  # somebody follows a link
        ("/hello", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
        ("/hello", {"sec-fetch-site": "cross-site", **VISIT, "sec-fetch-dest": "iframe"}, 403),
        ("/hello", {"sec-fetch-site": "cross-site"}, 403),
        ("/hello", {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"}, 403),  # another port
        ("/v1/search", {"sec-fetch-site": "cross-site", **VISIT}, 403),
        ("/search.json", {"sec-fetch-site": "cross-site", **VISIT}, 403),
        ("/events", {"sec-fetch-site": "cross-site", **VISIT}, 403),
    ],
)
def test_other_sites_may_link_to_a_page_and_nothing_else(
    path: str, headers: dict[str, str], status: int
) -> None:
    assert get(Toy(), path, **headers).status_code == status
