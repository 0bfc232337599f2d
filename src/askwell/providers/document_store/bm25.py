"""BM25 as one number for each term of each document, so that a sum over a question's terms is the whole score.

It is Lucene's form (k1 1.5, b 0.75) of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009): a term that occurs `tf` times in a document weighs `idf · tf / (tf + k1 · (1 - b + b · length / mean))`
there, and one that `df` of `n` documents have has an `idf` of `ln(1 + (n - df + 0.5) / (df + 0.5))`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

K1 = 1.5
B = 0.75


def term_weights(corpus: Sequence[Sequence[str]]) -> list[dict[str, float]]:
    """For each document of a corpus, given as its terms, the weight of each term in it."""
    holders = Counter(term for terms in corpus for term in set(terms))
    mean = sum(map(len, corpus)) / len(corpus) if corpus else 0.0
    idf = {term: math.log(1 + (len(corpus) - count + 0.5) / (count + 0.5)) for term, count in holders.items()}
    weights = []
    for terms in corpus:
        damping = K1 * (1 - B + B * len(terms) / mean) if mean else K1
        weights.append({term: idf[term] * count / (count + damping) for term, count in Counter(terms).items()})
    return weights
