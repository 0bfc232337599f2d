"""The one function that ranks tables, and the signals it ranks by."""

from __future__ import annotations

import numpy as np
import pytest

from askwell.config import RankingConfig
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.retrieval.ranking import Neighbourhoods, TableSignals, TableWords, rank_tables, signals_of_tables
from askwell.providers.document_store.base import CANDIDATES, NO_HITS, Document, Hits, Kind, grouped_by_owner
from tests.support.models import semantic_model

NAN = float("nan")
NOTHING = dict.fromkeys(RankingConfig.model_fields.keys() - {"method"}, 0.0)
MODEL = semantic_model({"a": ["id"], "b": ["id"], "c": ["id"], "d": ["id"]})


def hits(kind: Kind, *rows: tuple[str, float, float]) -> Hits:
    documents = [Document(kind, owner, owner) for owner, _, _ in rows]
    words = np.array([words for _, words, _ in rows], np.float32)
    cosines = np.array([cosine for _, _, cosine in rows], np.float32)
    return Hits(documents, *grouped_by_owner(documents), words, cosines)


def signals(
    tables: Hits = NO_HITS, columns: Hits = NO_HITS, question: str = "?", model: SemanticModel = MODEL
) -> TableSignals:
    return signals_of_tables(question, tables, columns, TableWords(model), Neighbourhoods(model))


def by_weights(found: TableSignals, **weights: float) -> dict[str, float]:
    ranked = rank_tables(found, {}, RankingConfig.model_validate({**NOTHING, **weights}))
    return {table.name: round(table.score, 5) for table in ranked}


def coverage(question: str, model: SemanticModel, signal: str = "coverage") -> dict[str, float]:
    found = signals(question=question, model=model)
    return {name: round(float(share), 3) for name, share in zip(found.names, found.signals[signal], strict=True)}


def test_each_signal_counts_as_its_weight_says_scaled_to_the_question() -> None:
    tables = hits(Kind.TABLE, ("a", 4, 0.2), ("b", 2, 0.6), ("c", 0, 0.4))
    columns = hits(Kind.COLUMN, ("a", 0, 0.9), ("a", 0, 0.1), ("b", 0, 0.5), ("c", 0, 0.7))
    found = signals(tables, columns)
    assert by_weights(found, words=1, table_vector=3, column_vector=3) == {"a": 4.0, "b": 3.5, "c": 3.0, "d": 0.0}
    assert by_weights(found, words=2) == {"a": 2.0, "b": 1.0, "c": 0.0, "d": 0.0}
    ranked = rank_tables(found, {}, RankingConfig())
    assert [(table.words, round(table.vector, 5)) for table in ranked if table.name == "a"] == [(4, 0.9)]


def test_a_table_that_a_signal_does_not_know_gets_that_signals_minimum() -> None:
    """A store gives the best tables and the best columns, which may be of others. No words found are none: 0."""
    found = signals(hits(Kind.TABLE, ("a", NAN, 0.6), ("b", 1, NAN), ("c", 3, 0.2)), hits(Kind.COLUMN, ("d", 0, 0.5)))
    assert by_weights(found, words=1, table_vector=3, column_vector=3) == {"a": 3.0, "c": 1.0, "b": 0.33333, "d": 0.0}


def test_without_vectors_words_decide() -> None:
    tables = hits(Kind.TABLE, ("a", 1, NAN), ("b", 5, NAN), ("c", 0, NAN), ("d", 0, NAN))
    ranked = rank_tables(signals(tables, hits(Kind.COLUMN, ("a", 1, NAN))), {}, RankingConfig())
    assert [table.name for table in ranked[:2]] == ["b", "a"]
    assert {table.vector for table in ranked} == {0}


@pytest.mark.parametrize("method", ["weighted", "rank_fusion"])
def test_a_seed_gets_a_table_in_that_nothing_else_points_at(method: str) -> None:
    tables = hits(Kind.TABLE, ("a", 4, 0.9), ("b", 2, 0.8), ("c", 1, 0.7))
    ranked = rank_tables(signals(tables), {"d": 100.0}, RankingConfig.model_validate({"method": method}))
    assert [table.name for table in ranked] == ["d", "a", "b", "c"]


def test_rank_fusion_looks_at_ranks_alone() -> None:
    """Also of signals that tell all tables the same: they change nothing."""
    tables = hits(Kind.TABLE, ("a", 99, 0.2), ("b", 2, 0.8), ("c", 1, 0.3), ("d", 0, 0.1))
    columns = hits(Kind.COLUMN, ("a", 0, 0.1), ("b", 0, 0.8), ("c", 0, 0.2), ("d", 0, 0.7))
    found = signals(tables, columns)
    assert rank_tables(found, {}, RankingConfig(method="rank_fusion"))[0].name == "b"
    assert next(iter(by_weights(found, words=1))) == "a"


def test_the_share_of_a_questions_words_that_a_table_has_counts_rare_words_more() -> None:
    model = semantic_model(
        {"ships": ["id", "flag"], "crews": ["id", "wage"], "routes": ["id", "flag"], "fees": ["id", "flag"]}
    )
    shares = coverage("Which flag and which wage?", model)
    assert shares["crews"] > shares["ships"] == shares["routes"] > 0
    assert sum(coverage("Which wage, and which weather?", model).values()) < 1


def test_tables_that_join_have_each_others_words() -> None:
    model = semantic_model(
        {
            "pilots": ["id", "salary"],
            "flights": ["id", "pilot_id", "port_id"],
            "ports": ["id", "city"],
            "cakes": ["id"],
        },
        [("flights.pilot_id", "pilots.id"), ("flights.port_id", "ports.id")],
    )
    question = "In which city is the salary highest?"
    own, joined = coverage(question, model), coverage(question, model, "joined_coverage")
    assert own["flights"] == 0
    assert joined["flights"] > max(own["pilots"], own["ports"])
    assert joined["cakes"] == 0
    twice = coverage(question, model, "joined_twice_coverage")
    assert twice["pilots"] == twice["ports"] == joined["flights"]
    names = [table.name for table in rank_tables(signals(question=question, model=model), {}, RankingConfig())]
    assert names[-1] == "cakes"


def test_tables_of_one_schema_belong_together() -> None:
    model = semantic_model(
        {"members": ["id"], "loans": ["due"], "visits": ["id"], "wards": ["id"]},
        members={"schema": "library"},
        loans={"schema": "library"},
        visits={"schema": "clinic"},
        wards={"schema": "clinic"},
    )
    question = "Which members have loans that are due?"
    shares = coverage(question, model, "schema_coverage")
    assert shares["members"] == shares["loans"] > shares["visits"] == shares["wards"] == 0
    found = signals(hits(Kind.TABLE, ("members", 0, 0.9), ("loans", 0, 0.5), ("wards", 0, 0.1)), model=model)
    assert found.signals["schema_vector"].tolist() == pytest.approx([0.5, 0.5, 0, 0])


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many customers are there?", {"cust"}),
        ("Which warehouses are full?", {"wrhss"}),
        ("List the newspapers.", {"tblnewspaperlist"}),
        ("Who has a key phrase?", {"keyphrase", "key_phrase_uses"}),
        ("Who has keyphrases?", {"keyphrase", "key_phrase_uses"}),
    ],
)
def test_names_that_are_shortened_or_run_together_are_found(question: str, found: set[str]) -> None:
    tables = ["cust", "wrhss", "tblnewspaperlist", "keyphrase", "key_phrase_uses", "misc"]
    shares = coverage(question, semantic_model({name: ["id"] for name in tables}))
    assert {name for name in tables if shares[name]} == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many shipments are late?", {"shpmt"}),
        ("Which vendros are new?", {"vendors"}),
        ("Which suppliers are new?", {"vendors"}),
        ("Which client pays most?", {"customer"}),
        ("Which customer pays most?", {"customer"}),
        ("Which ramps are wide?", set()),
    ],
)
def test_names_are_found_by_what_is_left_of_a_word_by_misspelt_and_by_akin_words(
    question: str, found: set[str]
) -> None:
    shares = coverage(question, semantic_model({name: ["id"] for name in ("shpmt", "vendors", "customer", "misc")}))
    assert {name for name, share in shares.items() if share} == found


def test_the_word_itself_counts_for_more_than_an_akin_one() -> None:
    model = semantic_model({"client": ["id"], "customer": ["id"], "misc": ["id"]})
    for signal in ("coverage", "name_coverage"):
        shares = coverage("How many clients are there?", model, signal)
        assert shares["client"] > shares["customer"] > shares["misc"] == 0


@pytest.mark.parametrize("signal", ["words", "table_vector", "column_vector"])
def test_a_store_that_leaves_out_all_but_the_best_gives_the_same_signals(signal: str) -> None:
    """As one may: what has neither many words nor a near vector is not told apart."""
    generator = np.random.default_rng(7)
    model = semantic_model({f"t{row}": ["id"] for row in range(400)})
    both = []
    for kind in (Kind.TABLE, Kind.COLUMN):
        words, cosines = (generator.random(400).astype(np.float32) for _ in range(2))
        best = {*np.argsort(-words)[: CANDIDATES[kind]].tolist(), *np.argsort(-cosines)[: CANDIDATES[kind]].tolist()}
        rows = [(f"t{row}", float(words[row]), float(cosines[row])) for row in range(400)]
        both.append((hits(kind, *rows), hits(kind, *(rows[row] for row in sorted(best)))))
    (all_tables, best_tables), (all_columns, best_columns) = both
    assert len(best_tables.documents) < 400
    whole = signals(all_tables, all_columns, model=model).signals[signal]
    part = signals(best_tables, best_columns, model=model).signals[signal]
    assert part.tolist() == pytest.approx(whole.tolist())


def test_two_words_are_all_of_a_name_that_runs_them_together() -> None:
    shares = coverage(
        "Who has a key phrase?", semantic_model({"keyphrase": ["id"], "phrases": ["id"], "bread": ["id"]})
    )
    assert shares["keyphrase"] == 1 > shares["phrases"] > shares["bread"] == 0


def test_a_metric_belongs_with_what_it_is_computed_from() -> None:
    model = semantic_model(
        {"flights": ["id", "fare"], "yield": ["amount"], "cakes": ["id"]}, **{"yield": {"base": "flights"}}
    )
    joined = coverage("What is the fare?", model, "joined_coverage")
    assert joined["yield"] == joined["flights"] > joined["cakes"] == 0


def test_a_tables_own_name_counts_apart_from_its_columns() -> None:
    model = semantic_model({"flights": ["id", "fare"], "fares": ["id", "flight"], "cakes": ["id"]})
    named = coverage("Which flights are late?", model, "name_coverage")
    assert named["flights"] > named["fares"] == named["cakes"] == 0


def test_of_a_question_of_any_length_only_so_many_words_are_looked_at() -> None:
    model = semantic_model({name: ["id"] for name in ("flights", "cakes", "cust")})
    filler = " ".join(f"filler{chr(97 + one % 26)}" for one in range(10_000))
    table_words = TableWords(model)
    for look in (table_words.found, table_words.called):
        assert len(look(f"flights {filler}")) <= 200
    shares = coverage(f"Which flights {filler} cakes?", model)
    assert shares["flights"] > shares["cakes"] == 0
    assert coverage("customer" * 1_000, model)["cust"] == 0


def test_nothing_to_rank_is_no_error() -> None:
    assert rank_tables(signals(model=semantic_model({})), {}, RankingConfig()) == ()
