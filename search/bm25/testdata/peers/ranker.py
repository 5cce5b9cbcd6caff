"""Exhaustive BM25 over lists of terms: exactly, as trawl has it, and rounded, as Lucene has it."""
from collections import Counter
import math

import numpy as np


def byte_lengths():
    """The 256 lengths that Lucene's byte for a field's length can stand for, rising."""
    def float4(i):  # four significant bits and an exponent
        return i if i < 8 else (i & 7 | 8) << (i >> 3) - 1
    return np.array([i if i < 24 else 24 + float4(i - 24) for i in range(256)], np.int64)


BYTE_LENGTHS = byte_lengths()


def in_a_byte(lengths):
    """What is left of lengths that were kept in a byte: each rounded down."""
    return BYTE_LENGTHS[np.searchsorted(BYTE_LENGTHS, lengths, side="right") - 1]


class Ranker:
    """Scores every passage for a query, which is a list of terms."""

    def __init__(self, ids, passages, k1, b):
        self.ids, self.k1, self.b = np.array(ids, object), k1, b
        order = sorted(range(len(ids)), key=lambda i: ids[i].encode())
        self.rank = np.empty(len(ids), np.int64)
        self.rank[order] = np.arange(len(ids))
        self.lengths = np.array([len(terms) for terms in passages], np.int64)
        self.average = int(self.lengths.sum()) / len(ids)
        postings = {}
        for i, terms in enumerate(passages):
            for term, tf in Counter(terms).items():
                postings.setdefault(term, []).append((i, tf))
        self.postings = {term: np.array(list_).T for term, list_ in postings.items()}

    def found(self, query):
        """Yields what the query's terms have in the passages, in their order: qtf, df, passages, tf."""
        for term, qtf in Counter(query).items():
            if term in self.postings:
                passages, tf = self.postings[term]
                yield qtf, len(passages), passages, tf

    def odds(self, df):
        """What idf is the logarithm of, less 1."""
        return (len(self.ids) - df + 0.5) / (df + 0.5)

    def exact(self, query, lengths=None):
        """qtf · idf · tf / (tf + k1·(1 − b + b·dl/avgdl)), summed up in float64."""
        lengths = self.lengths if lengths is None else lengths
        norms = self.k1 * (1 - self.b + self.b * lengths / self.average)
        scores = np.zeros(len(self.ids))
        for qtf, df, passages, tf in self.found(query):
            scores[passages] += qtf * (math.log1p(self.odds(df)) * (tf / (tf + norms[passages])))
        return scores

    def bytewise(self, query):
        """As exact, with the lengths that a byte can hold."""
        return self.exact(query, in_a_byte(self.lengths))

    def lucene(self, query):
        """As bytewise, each part and the sum in float32, operation for operation that of BM25Similarity."""
        f = np.float32
        norms = f(1) / (f(self.k1) * ((f(1) - f(self.b)) + f(self.b) * in_a_byte(self.lengths).astype(f) / f(self.average)))
        scores = np.zeros(len(self.ids))
        for qtf, df, passages, tf in self.found(query):
            weight = f(qtf) * f(math.log(1 + self.odds(df)))
            scores[passages] += weight - weight / (f(1) + tf.astype(f) * norms[passages])
        return scores.astype(f)

    def best(self, scores, n):
        """The ids of the n best passages, ties by id."""
        some = np.nonzero(scores)[0]
        order = np.lexsort((self.rank[some], -scores[some]))[:n]
        return list(self.ids[some[order]])
