"""Bearer tokens of an issuer, against the whole service."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.access.oidc.attacks import ELSEWHERE, attacks
from tests.access.oidc.conftest import Clock, Serving
from tests.fakes.oidc_issuer import AUDIENCE, CLIENT, DISCOVERY, HANG, KEYS, FakeIssuer, Key
from tests.support.tables import case_table

ROUTES = case_table(__file__, "routes")


async def test_whoever_the_issuer_knows_is_let_in_by_any_of_its_keys(issuer: FakeIssuer, serving: Serving) -> None:
    async with serving() as service:
        for key in issuer.keys:
            me = {"name": "Ann", "role": "ask", "projects": None, "csrf_token": None}
            assert await service.bearer(issuer.token(key)) == (200, me)
        for typ in ("at+jwt", "AT+JWT", "application/at+jwt", "JWT", None):
            assert (await service.bearer(issuer.token(header={"typ": typ})))[0] == 200
        for aud in (AUDIENCE, [AUDIENCE], ["another", AUDIENCE]):
            assert (await service.bearer(issuer.token(aud=aud)))[0] == 200
    assert issuer.requests == {DISCOVERY: 1, KEYS: 1}


async def test_clocks_may_differ_by_a_minute(issuer: FakeIssuer, serving: Serving) -> None:
    now = int(time.time())
    async with serving() as service:
        for claims in ({"exp": now - 50}, {"iat": now + 50}, {"nbf": now + 50}, {"exp": now - 50.5}):
            assert (await service.bearer(issuer.token(**claims)))[0] == 200, claims


async def test_every_attack_is_refused(issuer: FakeIssuer, serving: Serving) -> None:
    """401 for each, on each kind of address, and nothing is fetched that a token names."""
    async with serving() as service:
        assert (await service.bearer(issuer.token()))[0] == 200
        tried, answers = 0, {}
        for name, token in attacks(issuer):
            method, path = ROUTES[tried % len(ROUTES)]
            tried += 1
            sendable = not set("\r\n\0") & set(token)
            if not sendable:
                continue
            status, body = await service.bearer(token, method, path)
            # Servers refuse headers of this size before we see them.
            if (status, (body or {}).get("code")) != (401, "UNAUTHORIZED") and not (name == "huge" and status >= 400):
                answers[name] = (status, body)
        assert answers == {}
        assert tried > 340
        assert (await service.bearer(issuer.token()))[0] == 200
    assert issuer.requests[ELSEWHERE] == 0
    # Unknown names of keys: once more at most within ten seconds, after the one at the start.
    assert issuer.requests[KEYS] <= 3


async def test_a_token_that_says_nothing_of_its_key_is_taken_where_there_is_only_one(
    issuer: FakeIssuer, serving: Serving
) -> None:
    issuer.keys = issuer.keys[:1]
    async with serving() as service:
        assert (await service.bearer(issuer.token(header={"kid": None})))[0] == 200
        stranger = Key.new("x")
        assert (await service.bearer(issuer.token(stranger, {"kid": None})))[0] == 401


@pytest.mark.parametrize(
    "more",
    case_table(__file__, "keys_that_are_not_for_checking_are_not_used"),
    ids=lambda more: next(iter(more)),
)
async def test_keys_that_are_not_for_checking_are_not_used(
    issuer: FakeIssuer, serving: Serving, more: dict[str, object]
) -> None:
    issuer.keys[0].more = more
    async with serving() as service:
        assert (await service.bearer(issuer.token()))[0] == 401
        assert (await service.bearer(issuer.token(issuer.keys[1])))[0] == 200


async def test_weak_keys_and_names_of_two_keys_are_not_used(issuer: FakeIssuer, serving: Serving) -> None:
    weak, twin = Key.new("weak", bits=1024), Key.new("ec-1", "ES256")
    issuer.keys += [weak, twin]
    async with serving() as service:
        for key in (weak, twin, issuer.keys[1]):
            assert (await service.bearer(issuer.token(key)))[0] == 401
        assert (await service.bearer(issuer.token()))[0] == 200


async def test_only_configured_algorithms_and_types_are_taken(issuer: FakeIssuer, serving: Serving) -> None:
    async with serving(oidc={"algorithms": ["ES256"], "token_types": ["at+jwt"]}) as service:
        assert (await service.bearer(issuer.token(issuer.keys[1])))[0] == 200
        assert (await service.bearer(issuer.token(issuer.keys[1], {"typ": "JWT"})))[0] == 401
        assert (await service.bearer(issuer.token(issuer.keys[1], {"typ": None})))[0] == 401
        assert (await service.bearer(issuer.token()))[0] == 401


async def test_without_audiences_no_token_is_taken(issuer: FakeIssuer, serving: Serving) -> None:
    async with serving(oidc={"audiences": []}) as service:
        for audience in (AUDIENCE, CLIENT, "", [], None):
            assert (await service.bearer(issuer.token(aud=audience)))[0] == 401
    assert issuer.requests == {}


class TestRotation:
    async def test_a_new_key_is_found_and_an_old_one_is_forgotten(self, issuer: FakeIssuer, serving: Serving) -> None:
        clock = Clock()
        async with serving(clock=clock) as service:
            old = issuer.token()
            assert (await service.bearer(old))[0] == 200
            issuer.keys = [Key.new("ec-2", "ES256")]
            # Within ten seconds of the last fetch nobody makes us ask again.
            for _ in range(5):
                assert (await service.bearer(issuer.token()))[0] == 401
            assert issuer.requests[KEYS] == 1
            assert (await service.bearer(old))[0] == 200
            clock.ahead += 11
            assert (await service.bearer(issuer.token()))[0] == 200
            assert (await service.bearer(old))[0] == 401
            assert issuer.requests[KEYS] == 2

    async def test_keys_are_fetched_now_and_then_and_a_withdrawn_one_is_not_used(
        self, issuer: FakeIssuer, serving: Serving
    ) -> None:
        clock = Clock()
        async with serving(clock=clock) as service:
            withdrawn, stays = issuer.token(), issuer.token(issuer.keys[1])
            assert (await service.bearer(withdrawn))[0] == 200
            issuer.keys[0].shown = False
            clock.ahead += 599
            assert (await service.bearer(withdrawn))[0] == 200
            assert issuer.requests[KEYS] == 1
            # An hour later nobody is let in before the keys were looked at again.
            clock.ahead += 3_600
            assert (await service.bearer(withdrawn))[0] == 401
            assert (await service.bearer(stays))[0] == 200
        assert issuer.requests[KEYS] == 2

    async def test_strangers_do_not_make_us_hammer_the_issuer(self, issuer: FakeIssuer, serving: Serving) -> None:
        clock = Clock()
        async with serving(clock=clock) as service:
            for number in range(200):
                assert (await service.bearer(issuer.token(header={"kid": f"rsa-{number + 5}"})))[0] == 401
            assert issuer.requests[KEYS] == 1
            clock.ahead += 11
            many = [issuer.token(header={"kid": f"rsa-{number + 5}"}) for number in range(50)]
            answers = await asyncio.gather(*map(service.bearer, many))
        assert {status for status, _ in answers} == {401}
        assert issuer.requests[KEYS] == 2


class TestTheIssuerIsAway:
    @pytest.mark.parametrize("path", [DISCOVERY, KEYS])
    @pytest.mark.parametrize(
        "fault",
        [
            (500, b"{}"), (404, b"{}"), (200, b"{"), (200, b"[]"), (200, b"x" * 600_000), (200, b'{"a":1,"a":2}'),
            "http://127.0.0.2:9/elsewhere", "/keys",
        ],
        ids=["500", "404", "no JSON", "no object", "huge", "a name twice", "redirect", "redirect to itself"],
    )  # fmt: skip
    async def test_nobody_is_let_in_and_the_service_says_so(
        self, issuer: FakeIssuer, serving: Serving, path: str, fault: object
    ) -> None:
        issuer.faults[path] = fault
        async with serving() as service:
            status, body = await service.bearer(issuer.token())
            assert (status, body["code"]) == (503, "UNAVAILABLE")
            assert (await service.bearer("ak_nobody"))[0] == 401
            async with service.http.get(f"{service.url}/v1/health/ready") as ready:
                assert ready.status == 200
        assert issuer.requests["/elsewhere"] == 0

    @pytest.mark.parametrize("path", [DISCOVERY, KEYS])
    async def test_no_redirect_is_followed(self, issuer: FakeIssuer, serving: Serving, path: str) -> None:
        issuer.faults[path] = f"/moved{path}"
        async with serving() as service:
            assert (await service.bearer(issuer.token()))[0] == 503
        assert issuer.requests[f"/moved{path}"] == 0

    async def test_only_hosts_that_are_named_are_asked(self, issuer: FakeIssuer, serving: Serving) -> None:
        issuer.discovery = {"jwks_uri": f"{issuer.url.replace('127.0.0.1', 'localhost')}{KEYS}"}
        async with serving() as service:
            assert (await service.bearer(issuer.token()))[0] == 503
        assert issuer.requests[KEYS] == 0
        async with serving(oidc={"allowed_hosts": ["localhost"]}) as service:
            assert (await service.bearer(issuer.token()))[0] == 200

    async def test_known_keys_go_on_for_a_day_and_unknown_ones_cannot_be_told(
        self, issuer: FakeIssuer, serving: Serving
    ) -> None:
        clock = Clock()
        async with serving(clock=clock) as service:
            assert (await service.bearer(issuer.token()))[0] == 200
            issuer.faults |= {DISCOVERY: (500, b"{}"), KEYS: (500, b"{}")}
            for later in (20, 700, 3_700, 80_000):
                clock.ahead = later
                assert (await service.bearer(issuer.token()))[0] == 200
            assert (await service.bearer(issuer.token(Key.new("new"))))[0] == 503
            clock.ahead = 90_000
            assert (await service.bearer(issuer.token()))[0] == 503
            issuer.faults.clear()
            clock.ahead += 11
            assert (await service.bearer(issuer.token()))[0] == 200

    async def test_an_issuer_that_does_not_answer_holds_up_nobody_whose_key_is_known(
        self, issuer: FakeIssuer, serving: Serving
    ) -> None:
        clock = Clock()
        async with serving(clock=clock) as service:
            assert (await service.bearer(issuer.token()))[0] == 200
            issuer.faults |= {DISCOVERY: HANG, KEYS: HANG}
            clock.ahead = 700
            async with asyncio.timeout(5):
                assert (await service.bearer(issuer.token()))[0] == 200

    async def test_another_issuer_and_other_hosts_are_not_believed(self, issuer: FakeIssuer, serving: Serving) -> None:
        for wrong in (
            {"issuer": "https://evil.example"},
            {"issuer": f"{issuer.url}/"},
            {"jwks_uri": "https://evil.example/keys"},
            {"jwks_uri": f"{issuer.url}@evil.example/keys"},
            {"jwks_uri": "http://evil.example/keys"},
            {"jwks_uri": "file:///etc/passwd"},
            {"jwks_uri": 7},
            {"jwks_uri": ""},
        ):
            issuer.discovery = wrong
            async with serving() as service:
                assert (await service.bearer(issuer.token()))[0] == 503, wrong


async def test_a_configured_address_of_keys_needs_no_discovery(issuer: FakeIssuer, serving: Serving) -> None:
    issuer.faults[DISCOVERY] = (500, b"{}")
    async with serving(oidc={"jwks_url": f"{issuer.url}{KEYS}"}) as service:
        assert (await service.bearer(issuer.token()))[0] == 200


class TestWhatTheyMayDo:
    async def test_roles_projects_and_names_come_from_claims(self, issuer: FakeIssuer, serving: Serving) -> None:
        oidc = {
            "role": {"claim": "realm_access.roles", "roles": {"boss": "admin", "staff": "ask"}},
            "projects": {"claim": "groups", "projects": {"sales-team": ["sales"], "all": ["*"]}},
            "name_claim": "email",
        }
        async with serving(oidc=oidc) as service:
            for access, groups, role, projects in case_table(__file__, "roles_projects_and_names_come_from_claims"):
                token = issuer.token(realm_access={"roles": access}, groups=groups, email="ann@example.org")
                me = {"name": "ann@example.org", "role": role, "projects": projects, "csrf_token": None}
                assert await service.bearer(token) == (200, me)
            for nobody in ({"roles": []}, {"roles": ["ask"]}, {"roles": {}}, {}, [], "staff", None):
                assert (await service.bearer(issuer.token(realm_access=nobody)))[0] == 401
            assert (await service.bearer(issuer.token(realm_access={"roles": ["staff"]}), "GET", "/v1/keywords"))[
                0
            ] == 403

    async def test_a_claim_that_looks_like_a_way_through_others_is_none(
        self, issuer: FakeIssuer, serving: Serving
    ) -> None:
        flat = {"realm_access.roles": ["admin"]}
        async with serving(oidc={"role": {"claim": "realm_access.roles"}}) as service:
            assert (await service.bearer(issuer.token(**flat)))[0] == 401
            assert (await service.bearer(issuer.token(realm_access={}, **flat)))[0] == 401
            token = issuer.token(realm_access={"roles": ["ask"]}, **flat)
            assert (await service.bearer(token))[1]["role"] == "ask"
        address = "https://example.org/roles"
        async with serving(oidc={"role": {"claim": address}}) as service:
            assert (await service.bearer(issuer.token(**{address: ["curate"]})))[1]["role"] == "curate"
            assert (await service.bearer(issuer.token(**{"https://example": {"org/roles": ["admin"]}})))[0] == 401

    async def test_a_default_role_is_for_everybody_else(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving(oidc={"role": {"claim": "roles", "default": "curate"}}) as service:
            for roles, role in ((None, "curate"), (["x"], "curate"), (["admin"], "admin"), (["ask"], "ask")):
                assert (await service.bearer(issuer.token(roles=roles)))[1]["role"] == role

    async def test_people_are_told_apart_by_the_configured_claim(self, issuer: FakeIssuer, serving: Serving) -> None:
        async with serving(oidc={"subject_claim": "oid"}, whole=True) as service:
            asked = await service.bearer(
                issuer.token(oid="7", sub="a"), "POST", "/v1/asks", json={"query": "How many?"}
            )
            path = f"/v1/asks/{asked[1]['query_id']}/result"
            assert (await service.bearer(issuer.token(oid="7", sub="b"), "GET", path))[0] == 200
            assert (await service.bearer(issuer.token(oid="8", sub="a"), "GET", path))[0] == 404
            for oid in (None, "", 7, ["7"], "x" * 256, "7\n"):
                assert (await service.bearer(issuer.token(oid=oid, sub="a"), "GET", path))[0] == 401

    async def test_a_claim_that_cannot_be_used_lets_nobody_in(self, issuer: FakeIssuer, serving: Serving) -> None:
        properties = {"region": {"claim": "region", "type": "number"}}
        async with serving(sign_in={"properties": properties}) as service:
            assert (await service.bearer(issuer.token(region=7)))[0] == 200
            assert (await service.bearer(issuer.token(region="7) OR (1=1")))[0] == 401


async def test_any_change_of_a_good_token_is_refused(issuer: FakeIssuer, serving: Serving) -> None:
    """Letters replaced, left out and added, anywhere: 401, never a defect."""
    async with serving() as service:
        loop = asyncio.get_running_loop()
        good = [issuer.token(key) for key in issuer.keys]
        letters = st.text("ABCXYZabcxyz0189-_.=+/% ", max_size=4)

        @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
        @given(
            st.sampled_from(good), st.integers(0, 10_000), st.integers(0, 6), letters,
        )  # fmt: skip
        def change(token: str, place: int, removed: int, added: str) -> None:
            place %= len(token)
            changed = token[:place] + added + token[place + removed :]
            if changed.strip() == token:
                return
            answer = asyncio.run_coroutine_threadsafe(service.bearer(changed), loop).result(20)
            assert answer[0] == 401, changed

        await asyncio.to_thread(change)
        for token in good:
            assert (await service.bearer(token))[0] == 200
