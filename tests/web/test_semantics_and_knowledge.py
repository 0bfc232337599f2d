"""Models, SQL pairs, instructions and keyword rules over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.tables import case_rows
from tests.web.fakes import FakeServices

MOUNTS = pytest.mark.parametrize("mount", ["", "/v1"])


class TestLookingAtModels:
    @MOUNTS
    def test_a_model_is_sent_again_only_where_it_has_changed(self, http: TestClient, mount: str) -> None:
        answer = http.get(f"{mount}/semantics?project_id=sales")
        assert (answer.status_code, answer.json()["project_id"]) == (200, "sales")
        tag = answer.headers["ETag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = http.get(f"{mount}/semantics?project_id=sales", headers={"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        for known in ('"other"', tag.strip('"'), ""):
            assert http.get(f"{mount}/semantics", headers={"If-None-Match": known}).status_code == 200


class TestKnowledge:
    @pytest.mark.parametrize(
        ("method", "path", "body"),
        case_rows(__file__, "a_change_is_made_in_the_project_wherever_it_is_said", "method", "path", "body"),
    )
    def test_a_change_is_made_in_the_project_wherever_it_is_said(
        self, http: TestClient, services: FakeServices, method: str, path: str, body: dict[str, Any]
    ) -> None:
        for query, said in (("?project_id=sales", {}), ("", {"project_id": "sales"})):
            assert http.request(method, f"/v1/{path}{query}", json={**body, **said}).is_success
        two = http.request(method, f"/v1/{path}?project_id=sales", json={**body, "project_id": "other"})
        assert (two.status_code, two.json()["code"]) == (422, "INVALID_REQUEST")
        assert [project for _, project, _ in services.knowledge.calls] == ["sales", "sales"]

    @MOUNTS
    @pytest.mark.parametrize(
        ("path", "kind", "item"),
        case_rows(__file__, "what_is_saved_is_listed_by_pages", "path", "kind", "item"),
    )
    def test_what_is_saved_is_listed_by_pages(
        self, http: TestClient, mount: str, path: str, kind: str, item: dict[str, Any]
    ) -> None:
        items = [{"id": str(n), **item} for n in range(5)]
        http.post(f"{mount}/{path}", json={kind: items, "project_id": "sales"})
        assert http.get(f"{mount}/{path}?project_id=sales").json() == {kind: items, "total": 5}
        page = http.get(f"{mount}/{path}?project_id=sales&limit=2&offset=3").json()
        assert page == {kind: items[3:], "total": 5}
        assert http.get(f"{mount}/{path}?project_id=sales&offset=5").json() == {kind: [], "total": 5}
        assert http.get(f"{mount}/{path}").json() == {kind: [], "total": 0}
