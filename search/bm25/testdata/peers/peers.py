"""Asks trawl, bm25s and Pyserini the same questions of the same passages, and says why they differ; see README.md."""
import argparse
from collections import Counter, namedtuple
import importlib.util
import json
import platform
import time

import numpy as np

import engines
from ranker import Ranker


def main():
    options = read_options()
    corpus, queries = read(options)
    trawl = engines.Trawl(options.url)
    try:
        trawl.check(len(corpus), options)
    except (OSError, ValueError) as err:
        raise SystemExit(f"peers: {options.url}: {err}")
    print_versions()
    peers = Peers(options, trawl, corpus, queries)
    print(f"\n{len(corpus)} passages, {len(queries)} queries, top {options.top}, k1 {options.k1}, b {options.b}")
    if peers.lucene:
        print_terms(options, peers)
    for title, steps in peers.chains():
        print_chain(title, steps, peers)
    print("\nOne query at a time, analysis and passing of results included")
    for engine in peers.engines:
        print_speed(engine, queries, options)
    start = time.perf_counter()
    trawl.search_all(queries, options.top)
    print(f"  {trawl.name}, all queries in one call: {len(queries) / (time.perf_counter() - start):,.0f} queries/s")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", help='JSON lines of {"id", "contents"}')
    parser.add_argument("queries", nargs="+", help='JSON lines of {"question"}')
    parser.add_argument("--url", required=True, help="a running `trawl serve-index` of that corpus")
    parser.add_argument("--terms", help="what trawl.go prints of that corpus")
    parser.add_argument("--top", type=int, default=10)
    parser.add_argument("--k1", type=float, default=0.9)
    parser.add_argument("--b", type=float, default=0.4)
    parser.add_argument("--backend", default="numpy", help="of bm25s: numpy or numba")
    parser.add_argument("--passes", type=int, default=3, help="how often all queries are timed")
    return parser.parse_args()


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def read(options):
    return lines(options.corpus), [line["question"] for path in options.queries for line in lines(path)]


def read_terms(path):
    return {line["id"]: line["terms"] for line in lines(path)}


def print_versions():
    from importlib.metadata import PackageNotFoundError, version
    print(f"Python {platform.python_version()}", end="")
    for package in ("bm25s", "PyStemmer", "numba", "numpy", "pyserini", "pyjnius"):
        try:
            print(f", {package} {version(package)}", end="")
        except PackageNotFoundError:
            print(f", no {package}", end="")
    print()


# A Step is a ranking on the way from trawl's to an engine's: what is new in it, the
# ids that it finds for each query and, unless it is an engine's own, a function from
# a query to the scores of all passages.
Step = namedtuple("Step", "cause found scores")


class Peers:
    """The engines over one corpus, and the rankings that lead from trawl's to theirs."""

    def __init__(self, options, trawl, corpus, queries):
        self.options, self.top, self.trawl, self.queries = options, options.top, trawl, queries
        self.ids = [passage["id"] for passage in corpus]
        self.place = {id_: i for i, id_ in enumerate(self.ids)}
        self.contents = [passage["contents"] for passage in corpus]
        self.engines = [trawl]
        self.lucene = importlib.util.find_spec("pyserini") is not None
        if self.lucene:
            self.add_lucene()
        self.own, self.own_terms, self.own_passages, self.own_ranker = {}, {}, {}, {}
        for stemmer in ("porter", "english"):
            self.add_own(stemmer)

    def rank(self, passages):
        return Ranker(self.ids, passages, self.options.k1, self.options.b)

    def add_lucene(self):
        """Adds Pyserini, and what is made of Lucene's terms."""
        self.pyserini = engines.Pyserini(self.ids, self.contents, self.options)
        self.lucene_terms = engines.lucene_terms()
        self.lucene_passages = [self.lucene_terms(text) for text in self.contents]
        self.ranker = self.rank(self.lucene_passages)
        self.given = engines.BM25S("bm25s, given Lucene's terms", self.ids, self.lucene_passages, self.lucene_terms, self.options)
        self.engines += [self.pyserini, self.given]

    def add_own(self, stemmer):
        """Adds bm25s with its own terms."""
        all_terms = engines.bm25s_terms(stemmer)
        self.own_terms[stemmer] = lambda text: all_terms([text])[0]
        self.own_passages[stemmer] = all_terms(self.contents)
        self.own_ranker[stemmer] = self.rank(self.own_passages[stemmer])
        self.own[stemmer] = engines.BM25S(
            f"bm25s, its own terms, stemmer {stemmer}", self.ids, self.own_passages[stemmer], self.own_terms[stemmer], self.options)
        self.engines.append(self.own[stemmer])

    def asked(self, engine):
        """The ids that an engine finds for each query."""
        return [[id_ for id_, _ in engine.search(query, self.top)] for query in self.queries]

    def ranked(self, cause, ranker, scores, terms):
        """The step to what a ranker finds."""
        def of(query):
            return scores(terms(query))
        return Step(cause, [ranker.best(of(query), self.top) for query in self.queries], of)

    def chains(self):
        """For each engine, the steps that lead to it from trawl."""
        begin = [Step("trawl, served", self.asked(self.trawl), None)]
        if self.lucene:
            lucene, terms = self.ranker, self.lucene_terms
            begin.append(self.ranked("terms: Lucene's in place of trawl's", lucene, lucene.exact, terms))
            yield "Pyserini", begin + [
                self.ranked("length: kept in a byte", lucene, lucene.bytewise, terms),
                self.ranked("rounding: float32, so new ties", lucene, lucene.lucene, terms),
                Step("not explained: Pyserini itself", self.asked(self.pyserini), None)]
            yield self.given.name, begin + [self.itself(self.given, begin[-1])]
        tokens = self.own_step("tokenizer: bm25s' in place of Lucene's, with the stemmer porter", "porter")
        yield self.own["porter"].name, begin + [tokens, self.itself(self.own["porter"], tokens)]
        stems = self.own_step("stemmer: english in place of porter", "english")
        yield self.own["english"].name, begin + [tokens, stems, self.itself(self.own["english"], stems)]

    def own_step(self, cause, stemmer):
        """The step to exact BM25 over bm25s' own terms."""
        return self.ranked(cause, self.own_ranker[stemmer], self.own_ranker[stemmer].exact, self.own_terms[stemmer])

    def itself(self, engine, before):
        """The last step to bm25s. It says how far the scores are apart that stand at the same rank."""
        found, kinds = self.asked(engine), Counter()
        for query, a, b in zip(self.queries, before.found, found):
            if a != b:
                scores = before.scores(query)
                apart = max((abs(scores[self.place[x]] / scores[self.place[y]] - 1) for x, y in zip(a, b)), default=1)
                kinds["more" if len(a) != len(b) or apart > 1e-5 else "1e-5" if apart else "nothing"] += 1
        close = ", ".join(f"{n} by {kind}" for kind, n in sorted(kinds.items()))
        return Step(f"float32 and the order of ties: bm25s itself; scores apart: {close or 'none'}", found, None)


def overlap(these, those):
    """The share of the longer list that both have; 1 if both are empty."""
    return len(set(these) & set(those)) / max(len(these), len(those), 1)


def print_chain(title, steps, peers):
    n, trawl, last = len(peers.queries), steps[0].found, steps[-1].found
    print(f"\n{title} against trawl: overlap {np.mean([*map(overlap, trawl, last)]):.4f}, "
          f"same set {sum(set(a) == set(b) for a, b in zip(trawl, last)) / n:.4f}, same list {sum(a == b for a, b in zip(trawl, last)) / n:.4f}")
    print("  overlap with trawl / queries whose set, and whose list, the step changes")
    for before, after in zip(steps, steps[1:]):
        lists = [i for i in range(n) if before.found[i] != after.found[i]]
        sets = [i for i in lists if set(before.found[i]) != set(after.found[i])]
        print(f"  {np.mean([*map(overlap, trawl, after.found)]):.4f} {len(sets):4} {len(lists):4}  {after.cause}")
        for i in (sets or lists)[:1]:
            print_example(peers, i, before, after)


def print_example(peers, i, before, after):
    """Shows the first rank at which two steps differ for a query: both passages, and their scores by each step."""
    query, a, b = peers.queries[i], before.found[i], after.found[i]
    rank = next((r for r, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    shown = [l[rank] for l in (a, b) if rank < len(l)]
    print(f"              {query!r}: at {rank + 1} {' becomes '.join(shown)}")
    for step in (before, after):
        if step.scores:
            scores = step.scores(query)
            print("             ", ", ".join(f"{id_} {scores[peers.place[id_]]:.6f}" for id_ in shown), "by", step.cause.split(":")[0])


def print_terms(options, peers):
    """Compares the terms of trawl, if they are given, and of bm25s with Lucene's."""
    if options.terms:
        listed = read_terms(options.terms)
        terms = [listed[id_] for id_ in peers.ids]
        compare_terms("trawl", terms, peers.lucene_passages)
        compare_scores(peers.rank(terms), peers)
    compare_terms("bm25s (stemmer porter)", peers.own_passages["porter"], peers.lucene_passages)


def compare_terms(name, theirs, lucene):
    """Says how many passages have other terms than Lucene finds, and which."""
    differ, more, less = 0, Counter(), Counter()
    for found, terms in zip(theirs, lucene):
        if terms != found:
            differ += 1
            more.update(Counter(found) - Counter(terms))
            less.update(Counter(terms) - Counter(found))
    total = sum(map(len, lucene))
    print(f"\nTerms of {name}: {differ} of {len(lucene)} passages differ from Lucene's; {less.total()} of {total} terms missing, {more.total()} added")
    for what, terms in ("missing", less), ("added", more):
        print(f"  {what}: " + ", ".join(f"{t!r} {n}" for t, n in terms.most_common(14)))


def compare_scores(ranker, peers):
    """Says how far trawl's scores are from exact BM25 over its terms of the passages and Lucene's of the queries."""
    furthest, same = 0, 0
    for query, hits in zip(peers.queries, peers.trawl.search_all(peers.queries, peers.top)):
        scores = ranker.exact(peers.lucene_terms(query))
        furthest = max([furthest, *(abs(scores[peers.place[id_]] - score) for id_, score in hits)])
        same += ranker.best(scores, peers.top) == [id_ for id_, _ in hits]
    print(f"  exact BM25 over them and Lucene's terms of the queries: {same} of {len(peers.queries)} lists are trawl's, scores within {furthest:.1e}")


def print_speed(engine, queries, options):
    for query in queries:
        engine.search(query, options.top)
    took = []
    for query in queries * options.passes:
        start = time.perf_counter()
        engine.search(query, options.top)
        took.append(time.perf_counter() - start)
    p50, p95 = np.percentile(took, [50, 95]) * 1e3
    print(f"  p50 {p50:7.3f} ms, p95 {p95:7.3f} ms  {engine.name}")


if __name__ == "__main__":
    main()
