"""Signing in with a browser, against the whole service and an issuer that does what the standard says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.access.oidc.conftest import SECRET, Clock, Serving
from tests.fakes.oidc_issuer import FakeIssuer

SESSION, SIGN_IN = "askwell-session", "askwell-sign-in"
QUESTION = {"query": "How many orders?"}


async def test_signing_in_asking_and_signing_out(issuer: FakeIssuer, serving: Serving) -> None:
    async with serving(whole=True) as service:
        browser = service.browser()
        assert (await browser.call("GET", "/v1/asks"))[0] == 401
        token = await browser.sign_in("/docs?tab=asks")
        assert set(browser.cookies) == {SESSION}
        status, headers, me = await browser.call("GET", "/v1/me")
        assert (status, me) == (200, {"name": "Ann", "role": "ask", "projects": None, "csrf_token": token})
        assert headers["Cache-Control"] == "no-store"
        status, _, begun = await browser.call("POST", "/v1/asks", json=QUESTION, headers={"X-CSRF-Token": token})
        assert status == 202, begun
        path = f"/v1/asks/{begun['query_id']}/result"
        assert (await browser.call("GET", path))[0] == 200
        # The person is the same one by a bearer token, and another person finds nothing.
        assert (await service.bearer(issuer.token(), "GET", path))[0] == 200
        assert (await service.bearer(issuer.token(sub="bea"), "GET", path))[0] == 404
        kept = dict(browser.cookies)
        assert (await browser.call("POST", "/v1/sign-out", headers={"X-CSRF-Token": token}))[0] == 204
        assert browser.cookies == {}
        browser.cookies = kept
        for method, where in (("GET", "/v1/me"), ("GET", path), ("POST", "/v1/asks"), ("GET", "/docs")):
            status, _, body = await browser.call(method, where, headers={"X-CSRF-Token": token})
            assert (status, body["code"]) == (401, "UNAUTHORIZED")
    assert issuer.asked["scope"] == "openid profile"
    assert "client_secret" not in issuer.exchanged[0]


class TestCookies:
    async def test_scripts_other_sites_and_plain_http_do_not_get_them(
        self, issuer: FakeIssuer, serving: Serving
    ) -> None:
        async with serving(oidc={"redirect_url": "https://askwell.example.org/v1/sign-in/callback"}) as service:
            browser = service.browser()
            _, headers, _ = await browser.call("GET", "/v1/sign-in")
            [cookie] = browser.set_cookies
            assert re.fullmatch(
                rf"__Host-{SIGN_IN}=[\w=-]+; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure", cookie
            )
            _, headers, _ = await browser.call("GET", headers["Location"], headers={"Cookie": ""})
            query = headers["Location"].partition("?")[2]
            status, headers, _ = await browser.call("GET", f"/v1/sign-in/callback?{query}")
            assert (status, headers["Referrer-Policy"], headers["Cache-Control"]) == (303, "no-referrer", "no-store")
            session, gone = browser.set_cookies
            assert re.fullmatch(
                rf"__Host-{SESSION}=[\w=-]+; Path=/; Max-Age=43(200|199); HttpOnly; SameSite=Lax; Secure", session
            )
            assert gone == f"__Host-{SIGN_IN}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
            value = browser.cookies[f"__Host-{SESSION}"]
            browser.cookies = {SESSION: value}
            assert (await browser.call("GET", "/v1/me"))[0] == 401

    async def test_on_this_machine_they_go_without_https(self, serving: Serving) -> None:
        async with serving() as service:
            browser = service.browser()
            await browser.call("GET", "/v1/sign-in")
            [cookie] = browser.set_cookies
            assert cookie.startswith(f"{SIGN_IN}=")
            assert "Secure" not in cookie

    async def test_nothing_of_a_person_can_be_read_in_them(self, issuer: FakeIssuer, serving: Serving) -> None:
        issuer.person |= {"sub": "canary-sub", "name": "canary-name", "region": "canary-region"}
        async with serving(sign_in={"properties": {"region": {"claim": "region"}}}) as service:
            browser = service.browser()
            await browser.sign_in()
            assert "canary" not in str(browser.cookies)

    async def test_changed_ones_and_those_of_other_keys_are_nobodys(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving(secret="another-secret-of-at-least-32-characters") as other:
            browser = other.browser()
            await browser.sign_in()
            foreign = browser.cookies[SESSION]
            await browser.call("GET", "/v1/sign-in")
            begun = browser.cookies[SIGN_IN]
        async with serving() as service:
            browser = service.browser()
            await browser.sign_in()
            good = browser.cookies[SESSION]
            # The middle is ciphertext; the last letters the signature.
            middle = len(good) // 2
            changed = {
                "foreign": foreign,
                "empty": "",
                "cut": good[:-1],
                "first half": good[:middle],
                "longer": f"{good}A",
                "ciphertext": good[:middle] + ("A" if good[middle] != "A" else "B") + good[middle + 1 :],
                "version": f"A{good[1:]}",
                "sign-in": begun,
                "a token": issuer.token(),
                "huge": "A" * 10_000,
                "not base64": "é%$",
                "quoted": f'"{good}"',
            }
            admitted = []
            for name, value in changed.items():
                status, _, _ = await browser.call("GET", "/v1/me", headers={"Cookie": f"{SESSION}={value}"})
                if status != 401:
                    admitted.append((name, status))
            assert admitted == []
            # A second one of the same name was set by somebody else.
            assert (await browser.call("GET", "/v1/me", headers={"Cookie": f"{SESSION}={good}; {SESSION}={foreign}"}))[
                0
            ] == 401
            assert (await browser.call("GET", "/v1/me", headers={"Cookie": f"a=b; {SESSION}={good}; c"}))[0] == 200
            browser.cookies = {SIGN_IN: good}
            assert (await browser.back({"code": "x", "state": "y"}))[0] == 403

    async def test_secrets_can_be_changed_without_ending_sessions(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser = service.browser()
            await browser.sign_in()
            old = dict(browser.cookies)
        new = "a-new-secret-of-at-least-thirty-two-characters"
        async with serving(secret=f"{new} {SECRET}") as service:
            browser = service.browser()
            browser.cookies = dict(old)
            assert (await browser.call("GET", "/v1/me"))[0] == 200
            browser.cookies = {}
            await browser.sign_in()
            fresh = dict(browser.cookies)
        async with serving(secret=new) as service:
            browser = service.browser()
            for cookies, status in ((old, 401), (fresh, 200)):
                browser.cookies = dict(cookies)
                assert (await browser.call("GET", "/v1/me"))[0] == status

    async def test_another_mapping_of_claims_ends_them(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser = service.browser()
            await browser.sign_in()
            cookies = dict(browser.cookies)
        async with serving(oidc={"role": {"roles": {"staff": "ask"}}}) as service:
            browser = service.browser()
            browser.cookies = dict(cookies)
            assert (await browser.call("GET", "/v1/me"))[0] == 401


class TestSessionsEnd:
    async def test_when_nobody_uses_them_and_after_their_time(self, issuer: FakeIssuer, serving: Serving) -> None:
        clock = Clock()
        async with serving(oidc={"session_ttl": 7_200, "session_idle": 600}, clock=clock) as service:
            browser = service.browser()
            await browser.sign_in()
            first = f"{SESSION}={browser.cookies[SESSION]}"
            # One that is used goes on, with a new cookie now and then, until its time is up.
            renewed, minutes = 0, 0
            while (await browser.call("GET", "/v1/me"))[0] == 200:
                renewed += bool(browser.set_cookies)
                minutes += 5
                clock.ahead = 60 * minutes
            assert minutes == 120
            assert renewed == 23
            # The cookie that it began with is of use for the idle time alone.
            for ahead, status in ((590, 200), (610, 401)):
                clock.ahead = ahead
                assert (await browser.call("GET", "/v1/me", headers={"Cookie": first}))[0] == status

    async def test_one_that_is_not_used_is_over(self, serving: Serving) -> None:
        clock = Clock()
        async with serving(oidc={"session_idle": 600}, clock=clock) as service:
            browser = service.browser()
            await browser.sign_in()
            clock.ahead = 610
            status, _, body = await browser.call("GET", "/v1/me")
            assert (status, body["hint"]) == (401, "Sign in again at /v1/sign-in.")

    async def test_on_every_machine_within_two_seconds(self, serving: Serving) -> None:
        clock = Clock()
        async with serving(clock=clock) as one, serving(clock=clock) as other:
            browser, elsewhere = one.browser(), other.browser()
            token = await browser.sign_in()
            elsewhere.cookies = dict(browser.cookies)
            assert (await elsewhere.call("GET", "/v1/me"))[2]["csrf_token"] == token
            assert (await browser.call("POST", "/v1/sign-out", headers={"X-CSRF-Token": token}))[0] == 204
            clock.ahead = 2.1
            assert (await elsewhere.call("GET", "/v1/me"))[0] == 401

    async def test_after_a_restart(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser = service.browser()
            token = await browser.sign_in()
            ended = dict(browser.cookies)
            await browser.call("POST", "/v1/sign-out", headers={"X-CSRF-Token": token})
            await browser.sign_in()
            going_on = dict(browser.cookies)
        async with serving() as service:
            browser = service.browser()
            for cookies, status in ((ended, 401), (going_on, 200)):
                browser.cookies = dict(cookies)
                assert (await browser.call("GET", "/v1/me"))[0] == status


class TestCsrf:
    async def test_a_change_by_cookie_needs_the_sessions_token(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving() as service:
            browser, other = service.browser(), service.browser()
            token, theirs = await browser.sign_in(), await other.sign_in()
            assert token != theirs
            wrong: list[Any] = ["", "x", theirs, token[:-1], f"{token}x", token.swapcase(), browser.cookies[SESSION]]
            for method, path in (("POST", "/v1/asks"), ("POST", "/v1/sign-out"), ("DELETE", "/v1/threads/t")):
                for headers in ({}, *({"X-CSRF-Token": one} for one in wrong)):
                    status, _, body = await browser.call(method, path, json=QUESTION, headers=headers)
                    assert (status, body["code"]) == (403, "FORBIDDEN"), (path, headers)
            assert (await browser.call("GET", "/v1/me"))[0] == 200
            # A token in the body or the address is none.
            for path, body in ((f"/v1/sign-out?csrf_token={token}", {}), ("/v1/sign-out", {"csrf_token": token})):
                assert (await browser.call("POST", path, json=body))[0] == 403
            assert (await browser.call("POST", "/v1/sign-out", headers={"X-CSRF-Token": token}))[0] == 204
            # A bearer token needs none, whatever the browser has besides.
            bearer = {"Authorization": f"Bearer {issuer.token()}"}
            assert (await other.call("POST", "/v1/sign-out", headers=bearer))[0] == 204

    async def test_a_header_that_is_wrong_is_not_made_good_by_a_cookie(
        self, issuer: FakeIssuer, serving: Serving
    ) -> None:
        async with serving() as service:
            browser = service.browser()
            await browser.sign_in()
            for value in ("Bearer x", "Bearer ", "Basic x", f"Bearer {issuer.token(exp=1)}"):
                status, _, _ = await browser.call("GET", "/v1/me", headers={"Authorization": value})
                assert status == 401, value

    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example"])
    async def test_pages_of_other_origins_get_nowhere(self, serving: Serving, origin: str) -> None:
        async with serving() as service:
            browser = service.browser()
            token = await browser.sign_in()
            for method in ("GET", "POST"):
                headers = {"Origin": origin, "X-CSRF-Token": token}
                status, headers, _ = await browser.call(method, "/v1/asks", json=QUESTION, headers=headers)
                assert status == 403
                assert "Access-Control-Allow-Origin" not in headers


async def test_without_an_address_to_come_back_to_nobody_signs_in_by_the_browser(serving: Serving) -> None:
    async with serving(oidc={"redirect_url": None}) as service:
        browser = service.browser()
        for path in ("/v1/sign-in", "/v1/sign-in/callback?code=x&state=y"):
            assert (await browser.call("GET", path))[0] == 404
        assert (await browser.call("GET", "/v1/me", headers={"Cookie": f"{SESSION}=x"}))[0] == 401
