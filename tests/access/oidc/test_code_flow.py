"""What an issuer may answer to a sign-in by the browser, where it leads, and what is refused of it."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from askwell.access.oidc.issuer import Issuer
from askwell.config.sign_in import OidcConfig
from tests.access.oidc.conftest import CALLBACK, Clock, Serving
from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, DISCOVERY, HANG, KEYS, OTHER_RSA_KEY, TOKEN, FakeIssuer

SESSION = "askwell-session"


class TestTheAnswerOfTheIssuer:
    async def test_is_good_once(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            cookies = dict(browser.cookies)
            assert (await browser.back(answer))[0] == 303
            browser.cookies = dict(cookies)
            status, _, body = await browser.back(answer)
            assert (status, body["message"]) == (403, "This sign-in was completed already.")
            # The code with a sign-in of its own: the issuer does not take it twice, and its verifier is another.
            fresh = await browser.at_the_issuer()
            status, _, body = await browser.back({**fresh, "code": answer["code"]})
            assert (status, body["message"]) == (403, "The issuer does not take the code: invalid_grant.")
            assert SESSION not in browser.cookies

    async def test_after_a_restart_too(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            cookies = dict(browser.cookies)
            await browser.back(answer)
        async with serving() as service:
            browser = service.browser()
            browser.cookies = cookies
            assert (await browser.back(answer))[0] == 403

    async def test_many_at_once_sign_in_one(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            cookies = dict(browser.cookies)
            browsers = [service.browser() for _ in range(8)]
            for one in browsers:
                one.cookies = dict(cookies)
            ended = await asyncio.gather(*(one.back(answer) for one in browsers))
        assert sorted(status for status, _, _ in ended) == [303] + [403] * 7

    async def test_belongs_to_the_browser_that_began(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser, victim = service.browser(), service.browser()
            answer = await browser.at_the_issuer()
            assert (await victim.back(answer))[0] == 403
            own = await victim.at_the_issuer()
            state = own["state"]
            wrong: list[Any] = [
                answer,
                {**own, "state": answer["state"]},
                {**own, "state": ""},
                {**own, "state": state[:-1]},
                {**own, "state": f"{state}x"},
                {**own, "state": "é"},
                {name: value for name, value in own.items() if name != "state"},
                [*own.items(), ("state", state)],
                [("state", answer["state"]), *own.items()],
                [*own.items(), ("code", answer["code"])],
                {},
            ]
            for one in wrong:
                assert (await victim.back(one))[0] == 403, one
            assert issuer.exchanged == []
            assert (await victim.back(own))[0] == 303

    async def test_with_the_code_of_another_sign_in_is_refused_by_pkce(
        self, issuer: FakeIssuer, serving: Serving
    ) -> None:
        async with serving() as service:
            attacker, victim = service.browser(), service.browser()
            theirs, own = await attacker.at_the_issuer(), await victim.at_the_issuer()
            status, _, body = await victim.back({**own, "code": theirs["code"]})
            assert (status, body["message"]) == (403, "The issuer does not take the code: invalid_grant.")
            assert SESSION not in victim.cookies

    async def test_comes_within_ten_minutes(self, serving: Serving) -> None:
        clock = Clock()
        async with serving(clock=clock) as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            clock.ahead = 601
            assert (await browser.back(answer))[0] == 403

    @pytest.mark.parametrize("sender", ["https://evil.example", "", None, "twice"])
    async def test_names_the_issuer(self, serving: Serving, sender: str | None) -> None:
        """A code of another issuer is not sent to ours (RFC 9207)."""
        async with serving() as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            more = [("iss", "https://evil.example")] if sender == "twice" else []
            named = [] if sender in (None, "twice") else [("iss", sender)]
            kept = [(name, value) for name, value in answer.items() if name != "iss" or sender == "twice"]
            assert (await browser.back([*kept, *named, *more]))[0] == 403

    async def test_need_not_name_an_issuer_that_never_does(self, issuer: FakeIssuer, serving: Serving) -> None:
        issuer.discovery = {"authorization_response_iss_parameter_supported": False}
        async with serving() as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            del answer["iss"]
            assert (await browser.back(answer))[0] == 303

    @pytest.mark.parametrize("error", ["access_denied", "<script>alert(1)</script>", "x" * 1_000, "a\r\nb: c"])
    async def test_may_be_an_error(self, serving: Serving, error: str) -> None:
        async with serving() as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            del answer["code"]
            more = {"error": error, "error_description": "<b>canary</b>"}
            status, _, body = await browser.back({**answer, **more})
            assert status == 403
            assert ("access_denied" in body["message"]) == (error == "access_denied")
            assert not re.search("script|canary|xxx", str(body))

    @pytest.mark.parametrize("code", ["", "x" * 5_000, None])
    async def test_has_a_code(self, issuer: FakeIssuer, serving: Serving, code: str | None) -> None:
        async with serving() as service:
            browser = service.browser()
            answer = await browser.at_the_issuer()
            answer = {name: value for name, value in {**answer, "code": code}.items() if value is not None}
            assert (await browser.back(answer))[0] == 403
        assert issuer.exchanged == []


ID_TOKENS: dict[str, dict[str, Any]] = {
    "wrong nonce": {"nonce": "x"},
    "no nonce": {"nonce": None},
    "nonce a list": {"nonce": ["x"]},
    "for another client": {"aud": "another"},
    "for the audience of bearer tokens": {"aud": AUDIENCE},
    "for us and others, by nobody": {"aud": [CLIENT, "another"]},
    "for us and others, by another": {"aud": [CLIENT, "another"], "azp": "another"},
    "for us, by another": {"azp": "another"},
    "of another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": 1},
    "of the future": {"iat": 9_999_999_999},
    "not valid yet": {"nbf": 9_999_999_999},
    "of nobody": {"sub": None},
    "signed by a stranger": {"key": OTHER_RSA_KEY},
    "without a role": {"roles": ["other"]},
}


class TestTheTokenOfTheIssuer:
    @pytest.mark.parametrize("wrong", ID_TOKENS.values(), ids=ID_TOKENS.keys())
    async def test_has_to_be_for_this_sign_in(
        self, issuer: FakeIssuer, serving: Serving, wrong: dict[str, Any]
    ) -> None:
        issuer.id_token = wrong
        async with serving() as service:
            browser = service.browser()
            status, _, body = await browser.back(await browser.at_the_issuer())
            assert (status, body["code"]) == (403, "FORBIDDEN")
            assert browser.set_cookies == []

    @pytest.mark.parametrize(
        ("fault", "status"),
        [
            ((200, b"{}"), 403), ((200, b'{"id_token": 7}'), 403), ((200, b'{"id_token": "x.y.z"}'), 403),
            ((400, b'{"error": "invalid_grant"}'), 403), ((400, b'{"error": "<script>"}'), 403),
            ((401, b'{"error": "invalid_client"}'), 403), ((500, b"{}"), 503), ((200, b"<html>"), 503),
            ((200, b"x" * 600_000), 503), ("http://127.0.0.2:9/elsewhere", 503),
        ],
    )  # fmt: skip
    async def test_may_not_come_at_all(self, issuer: FakeIssuer, serving: Serving, fault: object, status: int) -> None:
        issuer.faults[TOKEN] = fault
        async with serving() as service:
            browser = service.browser()
            answered, _, body = await browser.back(await browser.at_the_issuer())
            assert answered == status, body
            assert "script" not in str(body)
            assert SESSION not in browser.cookies

    async def test_may_say_more_than_a_cookie_holds(self, issuer: FakeIssuer, serving: Serving) -> None:
        issuer.person["groups"] = [f"project-{number}" for number in range(400)]
        async with serving(oidc={"projects": {"claim": "groups"}}) as service:
            browser = service.browser()
            status, _, body = await browser.back(await browser.at_the_issuer())
            assert (status, "more than a cookie can hold" in body["message"]) == (403, True)

    async def test_clients_say_who_they_are_as_the_issuer_wants_it(self, issuer: FakeIssuer, serving: Serving) -> None:
        issuer.discovery = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
        async with serving() as service:
            await service.browser().sign_in()
        assert "client_secret" in issuer.exchanged[0]


class TestWhereItLeads:
    @pytest.mark.parametrize(
        "path",
        [
            "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\\/evil.example", "evil",
            "javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", "/\r\nSet-Cookie: a=b", "\t//evil.example",
            "", " /docs", "/docs x", "/é", "http:/evil.example", "///evil.example", "/a\\b", "?a=b", "/\0",
        ],
    )  # fmt: skip
    async def test_nowhere_but_to_a_path_of_this_service(self, issuer: FakeIssuer, serving: Serving, path: str) -> None:
        async with serving() as service:
            browser = service.browser()
            status, headers, body = await browser.call("GET", "/v1/sign-in", params={"return_to": path})
            assert (status, body["code"]) == (422, "INVALID_REQUEST")
            assert "Location" not in headers
        assert issuer.requests == {}

    @pytest.mark.parametrize(("letter", "longest"), [("a", 1_999), ('"', 1_000)])
    async def test_to_no_path_that_the_browser_would_forget(self, serving: Serving, letter: str, longest: int) -> None:
        """Browsers drop a cookie of more than 4,096 bytes, and say nothing."""
        async with serving() as service:
            browser = service.browser()
            for length in (1_000, 1_500, 1_999):
                path = "/" + letter * length
                status, _, _ = await browser.call("GET", "/v1/sign-in", params={"return_to": path})
                assert len("".join(browser.set_cookies)) <= 4_096
                assert status == (303 if length <= longest else 422)
                if status == 303:
                    await browser.sign_in(path)

    async def test_the_issuer_gets_what_the_standard_wants(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving(oidc={"scopes": ["openid", "groups"]}) as service:
            answers = [await service.browser().at_the_issuer() for _ in range(2)]
            asked = issuer.asked
        assert answers[0]["state"] != answers[1]["state"]
        assert set(asked) == {
            "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method",
        }  # fmt: skip
        assert (asked["redirect_uri"], asked["scope"]) == (CALLBACK, "openid groups")
        assert re.fullmatch(r"[\w-]{43}", asked["code_challenge"])

    async def test_a_session_of_before_is_ended(self, issuer: FakeIssuer, serving: Serving) -> None:
        """Whoever put a session of their own into somebody's browser does not share the next one."""
        async with serving() as service:
            browser = service.browser()
            await browser.sign_in()
            planted = dict(browser.cookies)
            issuer.person["sub"] = "bea"
            await browser.sign_in()
            assert browser.cookies[SESSION] != planted[SESSION]
            browser.cookies = planted
            assert (await browser.call("GET", "/v1/me"))[0] == 401

    async def test_an_issuer_on_other_hosts_is_not_followed(self, issuer: FakeIssuer, serving: Serving) -> None:
        for name in ("authorization_endpoint", "token_endpoint"):
            for url in (
                "https://evil.example/x",
                "http://evil.example",
                f"{issuer.url}@evil.example",
                "javascript:x",
                "",
            ):
                issuer.discovery = {name: url}
                async with serving() as service:
                    assert (await service.browser().call("GET", "/v1/sign-in"))[0] == 503, (name, url)

    async def test_the_issuer_is_asked_about_itself_now_and_then(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            for _ in range(20):
                assert (await service.browser().call("GET", "/v1/sign-in"))[0] == 303
            assert issuer.requests[DISCOVERY] == 1
        issuer.faults[DISCOVERY] = (500, b"{}")
        async with serving() as service:
            for _ in range(20):
                assert (await service.browser().call("GET", "/v1/sign-in"))[0] == 503
        assert issuer.requests[DISCOVERY] == 2
        assert issuer.requests[KEYS] == 0

    async def test_whoever_goes_away_does_not_keep_others_from_asking(self, issuer: FakeIssuer) -> None:
        one = Issuer(OidcConfig(issuer=issuer.url, audiences=("askwell",)))
        issuer.faults[DISCOVERY] = HANG
        asking = asyncio.create_task(one.known_discovery())
        async with asyncio.timeout(10):
            while not issuer.requests[DISCOVERY]:
                await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.wait({asking})
        issuer.faults.clear()
        assert (await one.known_discovery()).token_endpoint == f"{issuer.url}{TOKEN}"
        await one.close()
