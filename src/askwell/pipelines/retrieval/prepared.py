"""What retrieval works out once for a model, so that a question need not."""

from __future__ import annotations

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.mdl.without_values import without_values
from askwell.pipelines.retrieval.joins import JoinFinder
from askwell.pipelines.retrieval.model_text import ModelText
from askwell.pipelines.retrieval.neighbourhoods import Neighbourhoods
from askwell.pipelines.retrieval.sample_sql import columns_reader
from askwell.pipelines.retrieval.scope_words import ModelWords
from askwell.pipelines.retrieval.table_words import TableWords
from askwell.pipelines.retrieval.value_index import ValueIndex


class PreparedModel:
    """A model with its value index, its vocabulary, its joins and the text of its tables. Building it takes some
    tenths of a second for 200 tables: do it on a thread. Any thread may use it afterwards."""

    def __init__(
        self,
        model: SemanticModel,
        values: SampledValues,
        examples: SampledValues | None = None,
        *,
        shows_values: bool = True,
    ) -> None:
        """`values` are what questions may name; `examples`, of other columns, are only shown. Its text has neither
        where it does not show values."""
        self.model = model
        self.value_index = ValueIndex(model, values)
        self.scope_words = ModelWords(model)
        self.joins = JoinFinder(model)
        if shows_values:
            self.text = ModelText(model, self.joins, {**values, **(examples or {})})
        else:
            self.text = ModelText(without_values(model), self.joins, {})
        self.table_words = TableWords(model)
        self.neighbourhoods = Neighbourhoods(model)
        self.columns_of_sql = columns_reader(model, sql_dialect(model.data_source))
