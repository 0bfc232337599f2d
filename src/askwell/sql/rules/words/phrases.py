"""Phrases with a grammatical meaning: mark -> detail -> phrases. The longest phrase that fits wins."""

from __future__ import annotations

from enum import StrEnum


class Mark(StrEnum):
    """What a phrase does in a question."""

    COMPARE = "compare"
    AGE = "age"
    WHEN = "when"
    OR_MORE = "or_more"
    BETWEEN = "between"
    AGGREGATE = "aggregate"
    EXTREME = "extreme"
    COMMON = "common"
    ADJECTIVE = "adjective"
    EACH = "each"
    SORT = "sort"
    DIRECTION = "direction"
    DISTINCT = "distinct"
    NOT = "not"
    OR = "or"
    AND = "and"
    BOTH = "both"
    EQUALS = "equals"
    PATTERN = "pattern"
    TOP = "top"
    OF = "of"
    ASK = "ask"
    AVERAGE = "average"
    EVERYTHING = "everything"
    HOW = "how"
    NULL = "null"


PHRASES: dict[Mark, dict[str, str]] = {
    Mark.COMPARE: {
        ">": (
            "more than|greater than|larger than|higher than|bigger than|over|above|exceeds|exceeding|exceed|"
            "exceeded|greater|larger|longer than|heavier than|better than|is more than|bigger|higher|"
            "more expensive than|taller than|in excess of|upwards of|faster than|wider than|farther than"
        ),
        "<": (
            "less than|fewer than|smaller than|lower than|below|under|shorter than|lighter than|smaller|lower|"
            "cheaper than|worse than|slower than"
        ),
        ">=": (
            "greater than or equal to|more than or equal to|higher than or equal to|larger than or equal to|"
            "equal to or greater than|equal to or more than|equal or more than|at least|no less than|"
            "not less than|no fewer than|a minimum of|minimum of"
        ),
        "<=": (
            "less than or equal to|smaller than or equal to|lower than or equal to|equal to or less than|at most|"
            "no more than|not more than|up to|a maximum of|maximum of|no greater than|no higher than"
        ),
    },
    Mark.AGE: {
        ">": "older than",
        "<": "younger than",
    },
    Mark.WHEN: {
        ">": "after|later than",
        ">=": "since|starting from|on or after",
        "<": "before|earlier than|prior to|until",
        "<=": "on or before",
    },
    Mark.OR_MORE: {
        ">=": ("or more|or above|or higher|or greater|or older|or over|or later|or longer|and above|and over|and more"),
        "<=": (
            "or less|or fewer|or below|or lower|or younger|or earlier|or under|or shorter|and below|and under|and less"
        ),
    },
    Mark.BETWEEN: {
        "between": "between|ranging from|in the range of|in the range|ranges from|in between",
    },
    Mark.AGGREGATE: {
        "avg": "average|mean|averages|avg|averaged",
        "max": "maximum|max",
        "min": "minimum|min",
        "sum": "total|sum|sum of|total sum|combined|in total|overall|the sum of|how much",
        "share": (
            "percentage of|what percentage of|the percentage of|percent of|what percent of|which percentage of|"
            "what is the percentage of|how many percent of|what share of|the share of|"
            "what proportion of|the proportion of|share of|proportion of|how large is the share of"
        ),
        "count": (
            "how many|number of|count of|count|the number of|numbers of|counts of|total number of|total count of|"
            "count the number of|find the number of|how many total|total numbers of|find number of|number|"
            "total number|how many of|how many different|number of different|how many distinct|number of distinct"
        ),
    },
    Mark.EXTREME: {
        "desc": (
            "most|highest|largest|greatest|biggest|highest number of|most number of|largest number of|"
            "greatest number of|maximum number of|largest amount of|maximal|the most number of|highest amount of|"
            "biggest number of|best|greatest amount of|maximum amount of|best selling|best - selling|top selling|"
            "top - selling|most sold|most - sold"
        ),
        "asc": (
            "least|lowest|smallest|fewest|least number of|smallest number of|lowest number of|fewest number of|"
            "minimum number of|minimal|least amount of|smallest amount of|lowest amount of|worst|"
            "minimum amount of"
        ),
    },
    Mark.COMMON: {
        "desc": (
            "most common|most times|most number of times|the most times|most popular|most frequent|"
            "most frequently|most often|most commonly|most used|most prevalent|most frequently used|"
            "most commonly used|commonest|most widely"
        ),
        "asc": (
            "least common|fewest times|least number of times|least popular|least frequent|least frequently|"
            "least frequently used|least used|rarest|least commonly used|least often"
        ),
    },
    Mark.EACH: {
        "each": (
            "each|for each|of each|in each|for every|per|every|of every|in every|by each|from each|at each|"
            "on each|with each|grouped by|for different|for the different|of different|across different|"
            "corresponding to each|to each|group by|for each different|for each distinct|broken down by|split by|"
            "for each of the|in each of the|of each of the|for all the different|for all different|"
            "for all distinct|in different|from different|within each|for each unique"
        ),
        "period": "monthly|yearly|annual|annually|weekly|daily|quarterly",
    },
    Mark.SORT: {
        "by": (
            "by|sorted by|ordered by|order by|sort by|sort them by|order them by|sort the results by|"
            "sort the result by|order the results by|order the result by|ranked by|rank by|arranged by|"
            "in order of|according to|with respect to|in the order of|"
            "sorted in order of|in alphabetical order of|sort results by|order of|listed by|"
            "ordered alphabetically by|sorted alphabetically by|sort the list by|order the list by|sorted on|"
            "sorted according to|ordered according to|order results by|sorting by|sorting them by|ordering by|"
            "rank them by|alphabetically by|arrange them by|and order by|and sort by|in the alphabetical order of"
        ),
        "in": (
            "sorted in|ordered in|sort in|sort the results in|sort the result in|"
            "sort the list in|sort them in|order them in|order the results in|listed in|arranged in|sorted|"
            "ordered|sort the results|order the results|list them in|sort|in order from|order the result in|"
            "sort results in|list in|sort them|order them"
        ),
    },
    Mark.DIRECTION: {
        "desc": (
            "in descending order|in descending order of|descending order|descending|descending order of|"
            "in decreasing order|in decreasing order of|decreasing order|in a descending order of|"
            "in an descending order of|from highest to lowest|from high to low|from most to least|"
            "from oldest to youngest|from largest to smallest|in descending|decreasing|desc|"
            "in the descending order of|the descending order of|in the descending order|"
            "from the highest to the lowest|in reverse alphabetical order|reverse alphabetical order|"
            "in descending alphabetical order|from latest to earliest|from most recent to oldest|"
            "from old to young|in a descending order|from the oldest to the youngest|from greatest to least|"
            "from greatest to smallest|in reverse alphabetical order of|in reverse lexicographical order|"
            "in reversed lexicographical order|in descending lexicographical order|from newest to oldest|"
            "highest first|newest first|latest first|most recent first|from longest to shortest|"
            "from the most to the least|in descendent order|from biggest to smallest|from late to early"
        ),
        "asc": (
            "in ascending order|in ascending order of|ascending order|ascending|ascending order of|"
            "in increasing order|in increasing order of|increasing order|alphabetical order|"
            "in alphabetical order|alphabetically|alphabetic order|in lexicographical order|"
            "lexicographical order|lexicographically|in ascending alphabetical order|"
            "ascending alphabetical order|from low to high|from lowest to highest|from youngest to oldest|"
            "from smallest to largest|in an ascending order of|in a ascending order of|in the ascending order of|"
            "increasing|in alphabetic order|in alphabetical ascending order|in order|from a to z|"
            "from earliest to latest|from shortest to longest|from least to greatest|in the ascending order|"
            "from least to most|in an ascending order|in lexicographic order|in the alphabetical order|"
            "in ascending lexicographical order|from oldest to newest|lowest first|oldest first|"
            "from young to old|from the youngest to the oldest|in chronological order|chronologically|"
            "from early to late|from the lowest to the highest"
        ),
    },
    Mark.DISTINCT: {
        "distinct": "distinct|different|unique|differing|various|all distinct|all different|all the different",
    },
    Mark.NOT: {
        "not": (
            "not|without|without any|never|no|none of|excluding|except|except for|other than|are not|is not|"
            "do not|does not|did not|have not|has not|do not have|do not have any|does not have|"
            "does not have any|did not have any|did not have|have no|has no|have not had|does not have a|"
            "do not have a|not have|with no|has never|have never|was not|were not|had no|that is not|"
            "has not had any|are not in|do not own any|does not own any|have not been|has not been|but not|"
            "but no|do not have an|does not have an|have never been|has never been|did not receive any|"
            "have not had any|have had no|without a|without an|which do not|that do not|who do not|were never|"
            "was never|that are not|that have no|are not associated with any|lacking|have not any|that were not|"
            "who are not|who is not|can not|had not|nor|neither|isnt|dont|"
            "outside|outside of|apart from"
        ),
    },
    Mark.OR: {
        "or": "or|either|and/or",
    },
    Mark.AND: {
        "and": "and|as well as|along with|and also|but|together with|also|and the|but also|and then|plus",
    },
    Mark.BOTH: {
        "both": "both",
    },
    Mark.EQUALS: {
        "=": (
            "named|called|titled|equal to|equals|equal|exactly|with name|whose name is|with the name|that is|"
            "with value|is equal to|with the title|whose title is"
        ),
    },
    Mark.PATTERN: {
        "contain": (
            "had the substring|had the word|that contains|which contains|having the word|that contains the word|"
            "that contain|include the phrase|contained|containing|contains|contain|including the word|"
            "has the word|have the word|with the word|contains the word|containing the word|contain the word|"
            "includes the word|has the substring|contains the substring|contain the substring|"
            "contains the phrase|have the substring|that has the word|with the substring|includes the substring|"
            "include the word|include the substring|containing the letter|contains the letter|contain the letter|"
            "with the letter|that contain the word|has a substring|have a substring|includes the phrase|"
            "which contain the word|has the letter|contains a substring|containing the phrase|with the phrase|"
            "containing the string|contains the string|contain the string|has substring|mentions|mentioning"
        ),
        "start": (
            "starting with|starts with|start with|begin with|begins with|beginning with|starting with the letter|"
            "start with the letter|starts with the letter|begins with the letter|started with|"
            "starting with letter|begin with the letter|beginning with the letter|starting in|has the prefix|"
            "with the prefix|with prefix"
        ),
        "end": (
            "ending with|ends with|end with|ending in|ends in|ended with|ending with the letter|"
            "ends with the letter|with the suffix|end in"
        ),
    },
    Mark.TOP: {
        "desc": "top|first",
        "asc": "bottom",
    },
    Mark.OF: {
        "of": "of|for|in|at|on|within|belonging to|belong to|belongs to|to|during|as of",
    },
    Mark.ASK: {
        "ask": (
            "show|check|calculate|determine|identify|print|list|find|give|return|display|tell|present|what|which|"
            "who|whose|where|when|that|with|have|has|had|having|whom|get|select|report|state|provide|state the|"
            "list out|find out|search for|how much of|name"
        ),
    },
    Mark.AVERAGE: {
        ">": (
            "above average|above the average|higher than average|higher than the average|"
            "greater than the average|more than the average|larger than the average|more than average|"
            "greater than average|longer than average|longer than the average|above or equal to average|"
            "larger than average|bigger than average|over average|older than average|older than the average|"
            "above the overall average|over the average|bigger than the average|exceeds the average|"
            "exceed the average|exceeding the average|taller than the average|above the mean|"
            "heavier than the average"
        ),
        "<": (
            "below average|below the average|lower than average|lower than the average|less than the average|"
            "less than average|smaller than the average|shorter than average|shorter than the average|"
            "smaller than average|younger than average|younger than the average|fewer than average|"
            "fewer than the average|under the average|cheaper than average|cheaper than the average|"
            "below the overall average|under average"
        ),
    },
    Mark.EVERYTHING: {
        "*": (
            "all information|all the information|all info|all details|all the details|every detail|"
            "all information about|all details about|the full details|full details|all columns|everything|"
            "all of the details|complete information|all attributes|all the available features|full information|"
            "all available information|entire details|information of|the information of|information of all|"
            "information about|the information about|info on|info about"
        ),
    },
    Mark.NULL: {
        "null": "null|missing|empty|unknown|blank",
    },
}
