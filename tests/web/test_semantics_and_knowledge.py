"""Models, SQL pairs, instructions and keyword rules over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.tables import case_rows, case_table
from tests.web.fakes import FakeServices

MOUNTS = pytest.mark.parametrize("mount", ["", "/v1"])


class TestSemantics:
    @MOUNTS
    def test_a_model_is_accepted_and_polled_where_location_says(
        self, http: TestClient, services: FakeServices, mount: str
    ) -> None:
        body = {"mdl": '{"models": []}', "mdl_hash": "h=1+2", "project_id": "sales"}
        answer = http.post(f"{mount}/semantics-preparations", json=body)
        assert (answer.status_code, answer.json()) == (202, {"id": "h=1+2"})
        assert services.preparation.started == [("sales", '{"models": []}', "h=1+2")]
        assert answer.headers["Location"].startswith(f"{mount}/semantics-preparations/")
        assert http.get(answer.headers["Location"]).json()["status"] == "finished"

    def test_an_object_and_the_older_name_of_the_label_are_taken(
        self, http: TestClient, services: FakeServices
    ) -> None:
        assert http.post("/v1/semantics-preparations", json={"mdl": {"models": []}, "id": "m"}).status_code == 202
        assert services.preparation.started == [("default", {"models": []}, "m")]

    def test_without_a_label_one_is_made(self, http: TestClient) -> None:
        answer = http.post("/v1/semantics-preparations", json={"mdl": "{}"})
        assert answer.json() == {"id": "made-from-content"}
        assert http.get(answer.headers["Location"]).status_code == 200

    @pytest.mark.parametrize("body", case_table(__file__, "a_body_that_does_not_suit"))
    def test_a_body_that_does_not_suit(self, http: TestClient, services: FakeServices, body: Any) -> None:
        answer = http.post("/v1/semantics-preparations", json=body)
        assert answer.status_code == 422
        assert answer.json()["detail"]
        assert services.preparation.started == []

    def test_another_projects_preparation_is_unknown(self, http: TestClient) -> None:
        http.post("/v1/semantics-preparations", json={"mdl": "{}", "mdl_hash": "m", "project_id": "sales"})
        assert http.get("/v1/semantics-preparations/m/status?project_id=sales").status_code == 200
        assert http.get("/v1/semantics-preparations/m/status").status_code == 404
        assert http.get("/v1/semantics-preparations/m/status?project_id=other").status_code == 404

    @pytest.mark.parametrize(
        ("query", "project"), [("", "default"), ("?project_id=", "default"), ("?project_id=sales", "sales")]
    )
    def test_deleting_names_one_project(
        self, http: TestClient, services: FakeServices, query: str, project: str
    ) -> None:
        assert http.delete(f"/v1/semantics{query}").status_code == 200
        assert services.preparation.deleted == [project]

    @pytest.mark.parametrize("query", ["?project_id=*", "?project_id=a%2Fb"])
    def test_deleting_with_an_odd_project_deletes_nothing(
        self, http: TestClient, services: FakeServices, query: str
    ) -> None:
        assert http.delete(f"/v1/semantics{query}").status_code == 422
        assert services.preparation.deleted == []

    def test_deleting_a_project_that_a_body_says_deletes_no_other(
        self, http: TestClient, services: FakeServices
    ) -> None:
        for query in ("", "?project_id=sales"):
            answer = http.request("DELETE", f"/v1/semantics{query}", json={"project_id": "7"})
            assert answer.status_code == 422
            assert "?project_id=" in answer.json()["hint"]
        assert services.preparation.deleted == []
        # What clients send that always send something.
        assert http.request("DELETE", "/v1/semantics?project_id=sales", json={}).status_code == 200


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

    @MOUNTS
    @pytest.mark.parametrize(("query", "project"), [("", "default"), ("?project_id=sales", "sales")])
    def test_changes_are_polled_where_location_says(
        self, http: TestClient, services: FakeServices, mount: str, query: str, project: str
    ) -> None:
        changes = [
            {"table": "orders", "description": "One row for each."},
            {"table": "orders", "column": "id", "display_name": None, "synonyms": ["number"]},
        ]
        answer = http.patch(f"{mount}/semantics{query}", json={"mdl_hash": "m1", "changes": changes})
        assert (answer.status_code, answer.json()) == (202, {"id": "changed"})
        assert answer.headers["Location"].startswith(f"{mount}/semantics-preparations/changed/status")
        assert http.get(answer.headers["Location"]).json()["status"] == "finished"
        # What is null is told apart from what is not said.
        assert services.semantic_models.changed == [(project, "m1", changes)]

    @pytest.mark.parametrize("change", case_table(__file__, "a_change_that_does_not_suit"))
    def test_a_change_that_does_not_suit(self, http: TestClient, services: FakeServices, change: Any) -> None:
        for body in ({"mdl_hash": "m1", "changes": [change]}, {"changes": [{"table": "orders"}]}):
            assert http.patch("/v1/semantics", json=body).status_code == 422
        assert services.semantic_models.changed == []

    @MOUNTS
    def test_projects_are_listed_without_what_is_not_known(self, http: TestClient, mount: str) -> None:
        sales = {"id": "sales", "database": "warehouse", "has_model": True, "mdl_hash": "m1"}
        listed = [{"id": "default", "has_model": False}, sales]
        assert http.get(f"{mount}/projects").json() == {"projects": listed}


PARAMETER = {"name": "n", "type": "INTEGER", "required": False, "default": 3}


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

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("sql-pairs", {"sql_pairs": [{"id": "a", "sql": "SELECT 1", "question": "q"}]}),
            ("instructions", {"instructions": [{"id": "a", "instruction": "x"}]}),
        ],
    )
    def test_an_event_of_another_project_than_the_one_said_is_unknown(
        self, http: TestClient, path: str, body: dict[str, Any]
    ) -> None:
        http.post(f"/v1/{path}", json={**body, "project_id": "sales"})
        answers = [http.get(f"/v1/{path}/event-1{said}") for said in ("", "?project_id=sales", "?project_id=other")]
        assert [answer.status_code for answer in answers] == [200, 200, 404]

    @MOUNTS
    def test_pairs_are_saved_and_removed(self, http: TestClient, services: FakeServices, mount: str) -> None:
        pair = {"id": "p1", "sql": "SELECT 1", "question": "one?"}
        answer = http.post(f"{mount}/sql-pairs", json={"sql_pairs": [pair], "project_id": "sales"})
        assert (answer.status_code, answer.json()) == (202, {"event_id": "event-1"})
        assert answer.headers["Location"] == f"{mount}/sql-pairs/event-1"
        assert http.get(answer.headers["Location"]).json()["status"] == "finished"
        answer = http.request("DELETE", f"{mount}/sql-pairs", json={"sql_pair_ids": ["p1"]})
        assert answer.status_code == 202
        assert services.knowledge.calls == [
            ("save_sql_pairs", "sales", [pair | {"parameters": []}]),
            ("delete_sql_pairs", "default", ["p1"]),
        ]

    @pytest.mark.parametrize("parameters", case_table(__file__, "a_parameter_has_a_name_and_a_type"))
    def test_a_parameter_has_a_name_and_a_type(self, http: TestClient, parameters: object) -> None:
        pair = {"id": "p1", "sql": "SELECT 1", "question": "one?", "parameters": parameters}
        assert http.post("/v1/sql-pairs", json={"sql_pairs": [pair]}).status_code == 422

    @MOUNTS
    def test_instructions_are_saved_and_removed(self, http: TestClient, services: FakeServices, mount: str) -> None:
        body = {"instructions": [{"id": "i1", "instruction": "net of tax", "questions": ["revenue?"]}]}
        answer = http.post(f"{mount}/instructions", json=body)
        assert answer.status_code == 202
        assert http.get(answer.headers["Location"]).json()["event_id"] == "event-1"
        assert http.request("DELETE", f"{mount}/instructions", json={"instruction_ids": ["i1"]}).status_code == 202
        expected = {
            "id": "i1",
            "instruction": "net of tax",
            "questions": ["revenue?"],
            "is_default": False,
            "scope": "sql",
        }
        assert services.knowledge.calls == [
            ("save_instructions", "default", [expected]),
            ("delete_instructions", "default", ["i1"]),
        ]

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

    @pytest.mark.parametrize("path", ["/v1/sql-pairs", "/v1/instructions"])
    @pytest.mark.parametrize("query", ["limit=0", "limit=1001", "offset=-1", "offset=" + "9" * 30, "project_id=*"])
    def test_a_page_that_cannot_be(self, http: TestClient, path: str, query: str) -> None:
        assert http.get(f"{path}?{query}").status_code == 422

    @MOUNTS
    def test_keyword_rules_are_saved_listed_and_removed(
        self, http: TestClient, services: FakeServices, mount: str
    ) -> None:
        rule = {"id": "k1", "pattern": r"\breturns?\b|refund", "tables": ["rma_2"]}
        answer = http.post(f"{mount}/keywords", json={"keywords": [rule], "project_id": "sales"})
        assert (answer.status_code, answer.json()) == (200, {"keywords": [rule], "warnings": ["a warning"]})
        assert http.get(f"{mount}/keywords?project_id=sales").json() == {"keywords": [rule], "warnings": []}
        assert http.get(f"{mount}/keywords").json()["keywords"] == []
        answer = http.request("DELETE", f"{mount}/keywords", json={"keyword_ids": ["k1"]})
        assert (answer.status_code, services.knowledge.calls[-1]) == (200, ("delete_keywords", "default", ["k1"]))

    @pytest.mark.parametrize(("rule", "told"), case_rows(__file__, "a_keyword_rule_that_does_not_suit", "rule", "told"))
    def test_a_keyword_rule_that_does_not_suit(
        self, http: TestClient, services: FakeServices, rule: dict[str, Any], told: str
    ) -> None:
        answer = http.post("/v1/keywords", json={"keywords": [{"id": "k", **rule}]})
        assert (answer.status_code, services.knowledge.calls) == (422, [])
        assert told in answer.json()["detail"][0]["msg"]

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        case_rows(__file__, "a_body_that_does_not_suit_2", "method", "path", "body"),
    )
    def test_a_body_that_does_not_suit(
        self, http: TestClient, services: FakeServices, method: str, path: str, body: Any
    ) -> None:
        assert http.request(method, f"/v1{path}", json=body).status_code == 422
        assert services.knowledge.calls == []

    def test_the_event_of_the_other_kind_is_unknown(self, http: TestClient) -> None:
        event = http.post("/v1/sql-pairs", json={"sql_pairs": []}).json()["event_id"]
        assert http.get(f"/v1/sql-pairs/{event}").status_code == 200
        assert http.get(f"/v1/instructions/{event}").status_code == 404
        event = http.post("/v1/instructions", json={"instructions": []}).json()["event_id"]
        assert http.get(f"/v1/sql-pairs/{event}").status_code == 404

    @pytest.mark.parametrize("path", ["/v1/sql-pairs/event-9", "/v1/instructions/event-9"])
    def test_an_unknown_event(self, http: TestClient, path: str) -> None:
        assert http.get(path).status_code == 404
