"""Questions, relationships and descriptions that are recommended over a model (CONTRACTS 2)."""

from __future__ import annotations

from collections import Counter

from tests.client_kit import expect, kinds
from tests.client_kit.bodies import Shop, good
from tests.client_kit.client import Ended, LegacyClient
from tests.client_kit.manifest import Json, columns_of, manifest, text_of

QUESTIONS, RELATIONSHIPS = kinds.BY_NAME["question_rec"], kinds.BY_NAME["relationship_rec"]
DESCRIPTION = kinds.BY_NAME["description"]
DEFAULT_CATEGORIES = {"Descriptive", "Segmentation", "Comparative", "Data quality"}


def _recommended(client: LegacyClient, shop: Shop, **more: object) -> Ended:
    return client.run(QUESTIONS, good(QUESTIONS, shop) | more)


def _questions(ended: Ended) -> list[Json]:
    response = expect.finished(ended)
    assert set(response) == {"questions"}, sorted(response)
    questions = response["questions"]
    assert isinstance(questions, list)
    for one in questions:
        assert set(one) == {"question", "category", "sql"}, sorted(one)
        assert all(isinstance(value, str) and value.strip() for value in one.values()), one
    return questions


# Questions.


def test_questions_with_their_category_and_sql(client: LegacyClient, shop: Shop) -> None:
    questions = _questions(_recommended(client, shop))
    assert questions, "no question over four related tables"
    per_category = Counter(one["category"] for one in questions)
    assert len(per_category) <= 3, per_category
    assert max(per_category.values()) <= 5, per_category
    said = [" ".join(one["question"].casefold().split()) for one in questions]
    assert len(set(said)) == len(said), "a question twice"


def test_categories_without_a_model_are_the_default_ones(client: LegacyClient, shop: Shop, no_model: None) -> None:
    questions = _questions(_recommended(client, shop))
    assert {one["category"] for one in questions} <= DEFAULT_CATEGORIES


def test_each_sql_runs(client: LegacyClient, shop: Shop) -> None:
    for one in _questions(_recommended(client, shop))[:4]:
        answered = client.run(kinds.ANSWER, {"query": one["question"], "sql": one["sql"]})
        expect.finished(answered)
        assert answered.body["num_rows_used_in_llm"] >= 1, f"no row, though rows were to be looked at: {one}"


def test_limits_are_kept(client: LegacyClient, shop: Shop) -> None:
    questions = _questions(_recommended(client, shop, max_questions=1, max_categories=2))
    per_category = Counter(one["category"] for one in questions)
    assert len(per_category) <= 2
    assert set(per_category.values()) <= {1}


def test_previous_questions_are_not_repeated(client: LegacyClient, shop: Shop) -> None:
    first = [one["question"] for one in _questions(_recommended(client, shop))]
    again = _questions(_recommended(client, shop, previous_questions=first, regenerate=True))
    known = {" ".join(one.casefold().split()).rstrip("?.") for one in first}
    repeated = [one["question"] for one in again if " ".join(one["question"].casefold().split()).rstrip("?.") in known]
    assert not repeated, repeated


def test_questions_grow_while_generating(client: LegacyClient, shop: Shop) -> None:
    job_id = client.start(QUESTIONS, good(QUESTIONS, shop))
    ended = client.wait(QUESTIONS, job_id, pause=0.002)
    counts = [len((answer.get("response") or {}).get("questions") or []) for answer in ended.answers]
    assert counts == sorted(counts), f"questions were taken back: {counts}"


# Relationships.


def _relationships(ended: Ended, model: Json) -> list[Json]:
    response = expect.finished(ended)
    assert set(response) == {"relationships"}, sorted(response)
    columns = columns_of(model)
    needed = {"name", "fromModel", "fromColumn", "type", "toModel", "toColumn", "reason"}
    for one in response["relationships"]:
        assert needed <= set(one) <= needed | {"confidence", "evidence"}, sorted(one)
        assert one["type"] in ("ONE_TO_ONE", "ONE_TO_MANY", "MANY_TO_ONE")
        assert one["fromColumn"] in columns[one["fromModel"]], one
        assert one["toColumn"] in columns[one["toModel"]], one
        assert one["name"].strip()
        assert one["reason"].strip()
    confidence = [one["confidence"] for one in response["relationships"] if "confidence" in one]
    assert confidence == sorted(confidence, reverse=True), "not sorted by confidence"
    return list(response["relationships"])


def test_the_keys_of_the_shop_are_found(client: LegacyClient, shop: Shop) -> None:
    model = manifest(relationships=False)
    found = _relationships(client.run(RELATIONSHIPS, good(RELATIONSHIPS, shop)), model)
    ends = {frozenset({(one["fromModel"], one["fromColumn"]), (one["toModel"], one["toColumn"])}) for one in found}
    for child, parent, column in (
        ("orders", "customers", "customer_id"),
        ("order_items", "orders", "order_id"),
        ("order_items", "products", "product_id"),
    ):
        assert frozenset({(child, column), (parent, column)}) in ends, f"{child}.{column} -> {parent} is not found"
    many = {(one["fromModel"], one["toModel"]): one["type"] for one in found}
    for (child, parent), type_ in many.items():
        if (child, parent) in {("orders", "customers"), ("order_items", "orders"), ("order_items", "products")}:
            assert type_ == "MANY_TO_ONE", f"{child} -> {parent}: {type_}"


def test_relationships_that_exist_are_not_recommended(client: LegacyClient, shop: Shop) -> None:
    found = _relationships(client.run(RELATIONSHIPS, {"mdl": text_of(shop.model)}), shop.model)
    ends = {frozenset({(one["fromModel"], one["fromColumn"]), (one["toModel"], one["toColumn"])}) for one in found}
    assert frozenset({("orders", "customer_id"), ("customers", "customer_id")}) not in ends


# Descriptions.


def _described(ended: Ended, model: Json, selected: list[str]) -> list[Json]:
    response = expect.finished(ended)
    assert isinstance(response, list)
    assert sorted(one["name"] for one in response) == sorted(selected)
    columns = columns_of(model)
    for one in response:
        assert set(one) == {"name", "description", "columns"}, sorted(one)
        assert isinstance(one["description"], str)
        assert {column["name"] for column in one["columns"]} <= columns[one["name"]]
        for column in one["columns"]:
            assert set(column) == {"name", "description"}, sorted(column)
            assert isinstance(column["description"], str)
    return response


def test_models_and_columns_are_described(client: LegacyClient, shop: Shop) -> None:
    ended = client.run(DESCRIPTION, good(DESCRIPTION, shop))
    for one in _described(ended, shop.model, ["customers", "orders"]):
        assert {column["name"] for column in one["columns"]} == columns_of(shop.model)[one["name"]]


def test_words_without_a_model(client: LegacyClient, shop: Shop, no_model: None) -> None:
    ended = client.run(DESCRIPTION, good(DESCRIPTION, shop) | {"selected_models": ["order_items"]})
    for one in _described(ended, shop.model, ["order_items"]):
        assert one["description"].strip()
        assert all(column["description"].strip() for column in one["columns"])


def test_many_columns_are_described_in_chunks(client: LegacyClient, shop: Shop) -> None:
    model = manifest()
    wide = next(one for one in model["models"] if one["name"] == "products")
    for number in range(180):
        wide["columns"].append(wide["columns"][0] | {"name": f"extra_{number}", "expression": "product_id"})
    ended = client.run(DESCRIPTION, good(DESCRIPTION, shop) | {"selected_models": ["products"], "mdl": text_of(model)})
    described = _described(ended, model, ["products"])
    assert len(described[0]["columns"]) == 184
