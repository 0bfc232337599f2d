"""Retrieval through its door: one question, everything found."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from askwell.config import Settings
from askwell.errors import EngineUnavailable
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction, SqlPair
from askwell.mdl.semantic_model import ColumnRef, SemanticModel
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.retrieval import Retrieval, Window
from askwell.principal import Person
from askwell.providers.document_store.memory import MemoryDocumentStore
from askwell.providers.embedder.base import Embedder, NoEmbedder
from askwell.providers.engine.base import ANY_TERMS, PhysicalSchema, QueryRows, QueryTerms
from tests.support.counting_embedder import CountingEmbedder
from tests.support.models import semantic_model
from tests.support.records import save_instructions, save_pairs, written

SHOP = semantic_model(
    {
        "orders": ["id", "customer_id", "status", "amount"],
        "customers": ["id", "name", "country"],
        "employees": ["id", "salary"],
    },
    [("orders.customer_id", "customers.id")],
    orders={"description": "One row for each order placed."},
)
VALUES = {ColumnRef("customers", "country"): ("Germany", "France")}


class FakeEngine:
    """Knows its functions, and nothing else."""

    dialect = "sqlite"
    data_source = "SQLITE"

    def __init__(self, down: bool = False) -> None:
        self.down = down

    async def functions(self) -> frozenset[str]:
        if self.down:
            raise EngineUnavailable("The database is gone.", "Look for it.")
        return frozenset({"strftime", "sum", "zeroblob"})

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> None:
        return None

    async def execute(self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryRows:
        return QueryRows((), ())

    async def introspect(self) -> PhysicalSchema:
        return PhysicalSchema()

    async def close(self) -> None:
        pass


@dataclass(frozen=True)
class Project:
    project_id: str
    prepared: PreparedModel
    engine: FakeEngine

    def pairs_for(self, person: Person, pairs: Mapping[str, SqlPair]) -> Mapping[str, SqlPair]:
        return pairs


def project(name: str = "p", model: SemanticModel = SHOP, engine: FakeEngine | None = None) -> Project:
    return Project(name, PreparedModel(model, VALUES if model is SHOP else {}), engine or FakeEngine())


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    opened = await Record.open("sqlite", tmp_path)
    yield opened
    await opened.close()


def retrieval(
    record: Record,
    embedder: Embedder | None = None,
    *,
    windows: Sequence[Window] = (),
    embedding_seconds: float = 60,
    **settings: Any,
) -> Retrieval:
    indexing = Indexing(MemoryDocumentStore(), embedder or CountingEmbedder(), record.embeddings)
    return Retrieval(
        indexing,
        record.saved,
        Settings(**settings),
        windows=lambda: windows,
        embedding_seconds=embedding_seconds,
    )


async def test_the_question_is_embedded_once_and_everything_comes_back(record: Record) -> None:
    await save_pairs(record, "p", [SqlPair("1", "How many orders are open?", "SELECT COUNT(*) FROM orders")])
    rules = [
        Instruction("a", "Amounts are in euros.", is_default=True),
        Instruction("b", "Open means not yet paid.", ("How many orders are open?",)),
        Instruction("c", "Salaries are secret.", ("Who earns most?",)),
        Instruction("d", "Be brief.", is_default=True, scope="answer"),
    ]
    await save_instructions(record, "p", rules)
    embedder = CountingEmbedder()
    door = retrieval(record, embedder)
    await door.run(project(), "warm")
    embedder.texts.clear()
    found = await door.run(project(), "How many orders from Germany are open?")
    assert embedder.texts == ["How many orders from Germany are open?"]
    assert found.tables[0].name == "orders"
    assert [sample.id for sample in found.samples] == ["1"]
    assert [one.id for one in found.instructions] == ["a", "b"]
    assert [(str(match.column), match.value) for match in found.values] == [("customers.country", "Germany")]
    assert [line.partition(":")[0] for line in found.functions] == ["1.0 * n / nullif(n, 0)", "coalesce(n, 0)"]
    assert "CREATE TABLE orders" in found.schema.text
    assert found.scope.in_scope


async def test_tables_that_join_are_found_together(record: Record) -> None:
    tables = {f"log_{n}": ["id", "customer_note"] for n in range(8)}
    model = semantic_model(
        {**tables, "customers": ["id", "name"], "purchases": ["id", "buyer", "good"], "goods": ["id", "colour"]},
        [("purchases.buyer", "customers.id"), ("purchases.good", "goods.id")],
    )
    door = retrieval(record, NoEmbedder())
    found = await door.run(project("p", model), "Which customers like which colour?")
    assert {table.name for table in found.tables[:3]} == {"customers", "purchases", "goods"}
    alone = retrieval(record, NoEmbedder(), ranking={"joined_coverage": 0, "joined_twice_coverage": 0})
    found = await alone.run(project("p", model), "Which customers like which colour?")
    assert "purchases" not in {table.name for table in found.tables[:3]}


async def test_tables_can_be_ranked_by_rank_fusion(record: Record) -> None:
    found = await retrieval(record, ranking={"method": "rank_fusion"}).run(project(), "How many orders are open?")
    assert found.tables[0].name == "orders"


async def test_words_alone_find_tables_samples_and_scope(record: Record) -> None:
    await save_pairs(record, "p", [SqlPair("1", "How many orders are open?", "SELECT 1")])
    door = retrieval(record, NoEmbedder())
    found = await door.run(project(), "How many of the orders are open?")
    assert found.tables[0].name == "orders"
    assert found.tables[0].vector == 0
    assert [sample.id for sample in found.samples] == ["1"]
    assert found.scope.in_scope
    foreign = await door.run(project(), "Which volcanoes erupted in ancient Sicily?")
    assert not foreign.scope.in_scope
    assert foreign.scope.nearest == ()  # nothing is near, and an order of its own says nothing


async def test_a_view_is_found_by_the_question_it_answers(record: Record) -> None:
    model = semantic_model(
        {"orders": ["id"], "late_orders": ["id"]},
        late_orders={"question": "Which orders are late?", "statement": "SELECT id FROM orders", "view_id": "v1"},
    )
    found = await retrieval(record, NoEmbedder()).run(project(model=model), "which orders are late")
    assert [(one.id, one.sql, one.nearness) for one in found.samples] == [("v1", "SELECT id FROM orders", "the same")]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
async def test_words_of_other_alphabets_are_whole_words(record: Record, form: Literal["NFC", "NFD"]) -> None:
    """Not the pieces between their letters beyond ASCII, which others share: "gr" and "e" of "größe"."""
    tables = {"äste_grüße": ["id", "gr", "e", "öde"], "früchte": ["id", "größe", "äpfel"], "заказы": ["id"]}
    asked = project(model=semantic_model(tables))
    door = retrieval(record, NoEmbedder())
    found = await door.run(asked, unicodedata.normalize(form, "Welche Größe haben die Äpfel?"))
    assert {table.name for table in found.tables if table.words > 0} == {"früchte"}
    assert found.tables[0].name == "früchte"
    assert (await door.run(asked, "Какие есть заказы?")).tables[0].name == "заказы"


async def test_a_value_leads_to_its_table(record: Record) -> None:
    found = await retrieval(record, NoEmbedder()).run(project(), "Anything from France?")
    assert found.tables[0].name == "customers"
    assert found.scope.in_scope


async def test_a_value_that_one_table_has_says_more_than_one_that_several_have(record: Record) -> None:
    model = semantic_model({name: ["id", "place"] for name in ("barns", "mills", "wells")})
    values = {ColumnRef(name, "place"): ("Linz",) if name == "wells" else ("Graz",) for name in model.tables}
    towns = Project("p", PreparedModel(model, values), FakeEngine())
    found = await retrieval(record, NoEmbedder()).run(towns, "Anything from Graz or Linz?")
    assert [table.name for table in found.tables] == ["wells", "barns", "mills"]


async def test_projects_find_only_their_own(record: Record) -> None:
    await save_pairs(record, "p", [SqlPair("1", "How many orders are open?", "SELECT 'p'")])
    await save_pairs(record, "q", [SqlPair("1", "How many orders are open?", "SELECT 'q'")])
    other = semantic_model({"orders": ["id", "q_only"]}, content_hash="q")
    door = retrieval(record)
    here = await door.run(project("p"), "How many orders are open?")
    there = await door.run(project("q", other), "How many orders are open?")
    assert [sample.sql for sample in here.samples] == ["SELECT 'p'"]
    assert [sample.sql for sample in there.samples] == ["SELECT 'q'"]
    assert there.schema.tables == ("orders",)
    assert "q_only" in there.schema.text
    assert "q_only" not in here.schema.text


async def test_what_was_saved_a_moment_ago_is_found(record: Record) -> None:
    door = retrieval(record)
    assert (await door.run(project(), "Who buys most?")).samples == ()
    await save_pairs(record, "p", [SqlPair("1", "Who buys most?", "SELECT 1")])
    assert [sample.id for sample in (await door.run(project(), "Who buys most?")).samples] == ["1"]
    await written(record, "p", record.saved.deleting("sql_pair", "p", ["1"]))
    assert (await door.run(project(), "Who buys most?")).samples == ()


async def test_an_embedder_that_fails_leaves_words(record: Record) -> None:
    embedder = CountingEmbedder()
    door = retrieval(record, embedder)
    await door.run(project(), "warm")
    embedder.broken = True
    found = await door.run(project(), "How many orders are open?")
    assert found.tables[0].name == "orders"
    assert found.tables[0].vector == 0


async def test_an_embedder_that_is_late_leaves_words(record: Record) -> None:
    embedder = CountingEmbedder()
    door = retrieval(record, embedder, embedding_seconds=0.05)
    await door.run(project(), "warm")
    embedder.delay = 3_600
    found = await door.run(project(), "How many of the orders are open?")
    assert (found.tables[0].name, found.tables[0].vector) == ("orders", 0)


async def test_a_database_that_is_down_costs_only_its_functions(record: Record) -> None:
    found = await retrieval(record).run(project(engine=FakeEngine(down=True)), "How many orders are open?")
    assert found.functions == ()
    assert found.tables[0].name == "orders"


@pytest.mark.parametrize(
    "room",
    [
        {"context_token_budget": 600},
        {"context_token_budget": 4_000, "windows": [Window(1_200)]},
        {"windows": [Window(2_400)]},
    ],
)
async def test_only_so_many_tables_are_chosen_when_not_all_fit(record: Record, room: dict[str, Any]) -> None:
    """Room in the settings, or half of what the language model reads at once if that is less; by itself a quarter."""
    names = ["orders", "payments", "refunds", "stores", "suppliers", "regions", "agents", "tickets"]
    big = semantic_model({name: [f"{name}_{n}" for n in range(40)] for name in names}, content_hash="big")
    door = retrieval(record, table_retrieval_size=2, **room)
    found = await door.run(project(model=big), "refunds of suppliers")
    assert set(found.schema.tables) == {"refunds", "suppliers"}
    assert len(found.tables) == len(names)
    assert found.schema.tokens <= 600


WIDE = semantic_model(
    {
        "visits": ["id", *(f"measure_{number}" for number in range(300))],
        "patients": ["id", "full_name", *(f"remark_{number}" for number in range(300))],
    }
)


async def test_columns_that_saved_pairs_and_values_name_are_shown_first(record: Record) -> None:
    pairs = [
        SqlPair("1", "How long do visits last?", "SELECT avg(v.measure_211) FROM visits AS v"),
        SqlPair("2", "How long do all visits last?", "SELECT * FROM visits"),
    ]
    await save_pairs(record, "p", pairs)
    wide = Project("p", PreparedModel(WIDE, {ColumnRef("patients", "remark_298"): ("Insulin",)}), FakeEngine())
    door = retrieval(record, NoEmbedder(), context_token_budget=400, sql_pairs_similarity=0.3)
    found = await door.run(wide, "How long do visits last of patients with Insulin?")
    assert {sample.id for sample in found.samples} == {"1", "2"}
    assert "measure_211" in found.schema.columns["visits"]
    assert "remark_298" in found.schema.columns["patients"]
    assert found.schema.tokens <= 400
    assert len(found.schema.columns["visits"]) < 100


async def test_tables_that_the_saved_answer_to_the_same_question_reads_are_shown(record: Record) -> None:
    """Also where nothing else speaks for them; those of a question that is only alike are examples."""
    names = ["orders", "payments", "refunds", "stores", "suppliers", "regions", "agents", "tickets"]
    big = semantic_model({name: [f"{name}_{n}" for n in range(40)] for name in names}, content_hash="big")
    pairs = [
        SqlPair("1", "Where are refunds of suppliers?", "SELECT COUNT(*) FROM agents AS a CROSS JOIN tickets"),
        SqlPair("2", "Where are large refunds of suppliers?", "SELECT COUNT(*) FROM regions"),
    ]
    await save_pairs(record, "p", pairs)
    door = retrieval(record, NoEmbedder(), table_retrieval_size=2, context_token_budget=900, sql_pairs_similarity=0.5)
    found = await door.run(project(model=big), "where are refunds of suppliers")
    assert {sample.id: sample.nearness for sample in found.samples} == {"1": "the same", "2": None}
    assert set(found.schema.tables) == {"agents", "tickets", "refunds", "suppliers"}
    assert found.schema.tokens <= 900


async def test_of_a_wide_table_what_its_rows_are_called_is_shown(record: Record) -> None:
    model = semantic_model({"patients": ["id", *(f"remark_{number}" for number in range(300)), "full_name"]})
    door = retrieval(record, NoEmbedder(), context_token_budget=300)
    found = await door.run(Project("p", PreparedModel(model, {}), FakeEngine()), "Which patients are there?")
    assert "full_name" in found.schema.columns["patients"]
    assert len(found.schema.columns["patients"]) < 100


@pytest.mark.parametrize("embedder", [NoEmbedder(), CountingEmbedder()])
async def test_of_a_wide_table_the_columns_that_the_question_names_are_shown(
    record: Record, embedder: Embedder
) -> None:
    door = retrieval(record, embedder, context_token_budget=300)
    found = await door.run(Project("p", PreparedModel(WIDE, {}), FakeEngine()), "What is remark 287 of the patients?")
    assert "remark_287" in found.schema.columns["patients"]
    assert found.schema.tokens <= 300
    assert "-- Columns left out here: " in found.schema.text
