"""Why there is no answer, as a sentence for people."""

from __future__ import annotations

from collections.abc import Sequence

from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.sentence import Sentence
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.translation import Abstention

_SENTENCES: dict[str, str] = {
    "unplaced_words": "These words could not be placed: “{0}”.",
    "sort_by_what": "It is not clear what “{0}” sorts by.",
    "two_sorts": "Two ways to sort are named: {0}.",
    "two_superlatives": "Two superlatives are named: {0}.",
    "top_of_what": "It is not clear by what “{0}” is decided.",
    "most_common_entity": "It is not clear what is counted for “{0}”.",
    "most_common_what": "It is not clear what is counted for “{0}”.",
    "most_common_as_filter": "What occurs most often cannot be combined with the rest of the question.",
    "adjective_of_what": "No column fits “{0}”.",
    "superlative_of_what": "It is not clear what “{0}” is about.",
    "single_or_total": "Each has many “{0}”: say whether their total or a single one is meant.",
    "superlative_of_text": "“{0}” needs a number, and it is about text.",
    "aggregate_of_rows": "“{0}” needs a number to be computed from.",
    "aggregate_of_what": "It is not clear what “{0}” is computed from.",
    "average_of_what": "It is not clear of what “{0}” is taken.",
    "how_often": "It is not clear what “{0}” counts.",
    "group_by_what": "It is not clear what “{0}” groups by.",
    "group_of_what": "It is not clear what is shown for each group.",
    "no_date": "There is no single date that “{0}” could be about.",
    "between_what": "It is not clear what “{0}” is about.",
    "comparison_without_column": "It is not clear what “{0}” is compared with.",
    "value_of_other_type": "“{0}” is not what {1} holds, so it cannot be compared with it.",
    "number_too_large": "“{0}” is a larger number than a database holds.",
    "comparison_of_text": "“{0}” compares numbers, and it is about text.",
    "two_questions": "It is not clear what to show of “{0}” beside the rest.",
    "value_without_column": "It is not clear where “{0}” should be looked for.",
    "ambiguous_date": "“{0}” could be about {1}: say which is meant.",
    "ambiguous_value": "“{0}” could be {1}: say which is meant.",
    "ambiguous_column": "“{0}” could be {1}: say which is meant.",
    "several_at_once": "No row can be all of {0} at once.",
    "negation_over_a_join": "It is not clear what “{0}” leaves out.",
    "negation": "It is not clear what “{0}” leaves out.",
    "count_of_what": "It is not clear what “{0}” counts.",
    "count_of_numbers": "“{0}” holds amounts, which cannot be counted.",
    "aggregate_after_the_list": "It is not clear what “{0}” belongs to.",
    "column_after_the_list": "It is not clear what “{0}” belongs to.",
    "table_in_the_list": "It is not clear what to show of “{0}”.",
    "same_column_twice": "The same column is asked for twice.",
    "column_of_parts": "There is more than one “{0}” for it, and it is not clear which is meant.",
    "table_beside": "It is not clear how to put “{0}” together with the rest of the question.",
    "two_counts": "Two different things are counted at once.",
    "no_key": "{0} has no key to group by.",
    "no_name": "{0} has no column that names its rows.",
    "nothing_to_show": "The question names nothing to show.",
    "no_table": "The question names no table.",
    "aggregate_of_superlative": "An aggregate and a superlative cannot be combined.",
    "count_with_superlative": "A count and a superlative cannot be combined.",
    "too_much_at_once": "The question combines more conditions than the rules can.",
    "share_of_what": "It is not clear which part of {0} is meant: name one condition.",
    "left_out": "It is not clear what {0} has to do with the figure.",
    "rival_count": "It is not clear whether rows are to be counted or a stored number is meant: {0}.",
    "inflated_total": "A figure computed from {0} would count rows several times.",
    "inflated_count": "The rows of {0} would be counted several times.",
    "counted_parent": "Each of them has one {0} at most, so counting says nothing.",
    "already_given": "The question gives what it seems to ask for: {0}.",
    "no_join_path": "No relationship connects {0}.",
    "ambiguous_path": "{0} are related in several ways, and the question does not say which is meant.",
}


# Reasons that matter less than a word that nothing in the model is called.
_VAGUE = frozenset(
    {
        "group_of_what",
        "inflated_total",
        "single_or_total",
        "too_much_at_once",
        "nothing_to_show",
        "no_table",
        "no_date",
        "count_of_what",
    }
    | {"superlative_of_what", "aggregate_of_what", "group_by_what", "sort_by_what", "adjective_of_what", "how_often"}
    | {
        "already_given",
        "count_of_numbers",
        "comparison_without_column",
        "top_of_what",
        "column_after_the_list",
        "table_in_the_list",
    }
)
_BESIDE = frozenset({"column_after_the_list", "aggregate_after_the_list"})
# Sentences with a place for a word and one for columns.
_DOUBLED = frozenset({"ambiguous_value", "ambiguous_column", "ambiguous_date", "value_of_other_type"})


def abstention(failures: Sequence[DeadEnd], sentence: Sentence) -> Abstention:
    """The abstention for the readings that failed: that of the one that left the fewest words."""
    tables = sentence.tables
    if not failures:
        return Abstention("no_reading", "The question could not be understood.", (), tables)
    doubled = next((end for end in failures if end.reason in _DOUBLED), None)
    if doubled is not None:
        word, *columns = doubled.words
        message = _SENTENCES[doubled.reason].format(word, " or ".join(columns))
        return Abstention(doubled.reason, message, (word,), tables)
    unknown = tuple(span.text for span in sentence.spans if span.kind is Thing.UNKNOWN)
    if unknown and all(end.reason in _VAGUE and not set(unknown) & set(end.words) for end in failures):
        failures = [DeadEnd("unplaced_words", *unknown)]  # what nothing in the model is called is the better reason
    unplaced = [end for end in failures if end.reason == "unplaced_words"]
    end = min(unplaced, key=lambda e: len(e.words)) if unplaced else failures[0]
    if end.reason in _BESIDE and any(span.text in end.words and span.tables for span in sentence.spans):
        end = DeadEnd("table_beside", *end.words)
    if not end.words and "{0}" in _SENTENCES[end.reason]:
        return Abstention(end.reason, "The question could not be understood.", (), tables)
    link = "”, “" if "“{0}”" in _SENTENCES[end.reason] else ", "
    quoted = link.join(word for word in end.words if any(letter.isalnum() for letter in word))
    return Abstention(end.reason, _SENTENCES[end.reason].format(quoted), end.words, tables)
