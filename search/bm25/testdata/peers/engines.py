"""The engines that are compared. Each has a name, and search(query, n), which returns ids and scores, best first."""
import json
import os
import tempfile
import urllib.request


class Trawl:
    """A running `trawl serve-index`."""

    name = "trawl, served"

    def __init__(self, url):
        self.url = url.rstrip("/")

    def check(self, passages, options):
        """Fails unless the server has as many passages, and the same parameters."""
        with urllib.request.urlopen(self.url + "/health", timeout=60) as answer:
            index = json.load(answer)["index"]
        has, want = (index["documents"], index["params"]), (passages, {"k1": options.k1, "b": options.b})
        if has != want:
            raise ValueError(f"it serves {has[0]} documents with {has[1]}, want {want[0]} with {want[1]}")

    def search(self, query, n):
        return self.search_all([query], n)[0]

    def search_all(self, queries, n):
        body = json.dumps({"queries": queries, "topk": n, "return_scores": True}).encode()
        call = urllib.request.Request(self.url + "/retrieve", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(call, timeout=60) as answer:
            result = json.load(answer)["result"]
        return [[(hit["document"]["id"], hit["score"]) for hit in hits] for hits in result]


class BM25S:
    """bm25s with its own tokenizer and stop words, or over given lists of terms."""

    def __init__(self, name, ids, passages, terms_of, options):
        import bm25s
        self.name, self.ids, self.terms_of = name, ids, terms_of
        self.index = bm25s.BM25(method="lucene", k1=options.k1, b=options.b, backend=options.backend)
        self.index.index(passages, show_progress=False)

    def search(self, query, n):
        terms = [t for t in self.terms_of(query) if t in self.index.vocab_dict]
        if not terms:  # it takes no empty list
            return []
        found, scores = self.index.retrieve([terms], k=n, show_progress=False)
        # Places without a hit are filled with passages of score 0.
        return [(self.ids[i], float(s)) for i, s in zip(found[0], scores[0]) if s > 0]


def bm25s_terms(stemmer):
    """Returns a function from texts to bm25s' own terms, with a stemmer of PyStemmer."""
    import bm25s
    import Stemmer
    stem = Stemmer.Stemmer(stemmer)
    return lambda texts: bm25s.tokenize(texts, stopwords="en", stemmer=stem, return_ids=False, show_progress=False)


class Pyserini:
    """Lucene as Pyserini has it: Anserini's analyzer, query generator and order of ties."""

    def __init__(self, ids, contents, options):
        from pyserini.pyclass import autoclass
        self.folder = tempfile.TemporaryDirectory()
        corpus, index = os.path.join(self.folder.name, "corpus"), os.path.join(self.folder.name, "index")
        os.mkdir(corpus)
        with open(os.path.join(corpus, "corpus.jsonl"), "w", encoding="utf-8") as f:
            for id_, text in zip(ids, contents):
                f.write(json.dumps({"id": id_, "contents": text}) + "\n")
        autoclass("io.anserini.index.IndexCollection").main([
            "-collection", "JsonCollection", "-generator", "DefaultLuceneDocumentGenerator", "-input", corpus, "-index", index,
            "-threads", "1", "-storeRaw", "-optimize", "-quiet"])
        self.searcher = autoclass("io.anserini.search.SimpleSearcher")(index)
        self.searcher.set_bm25(options.k1, options.b)
        version = autoclass("java.lang.System").getProperty("java.version")
        self.name = f"Pyserini (Lucene {autoclass('org.apache.lucene.util.Version').LATEST.toString()}, Java {version})"

    def search(self, query, n):
        return [(hit.docid, hit.score) for hit in self.searcher.search(query, n)]


def lucene_terms():
    """Returns a function from a text to its terms by Anserini's default analyzer."""
    from pyserini.analysis import JAnalyzerUtils, get_lucene_analyzer
    analyzer = get_lucene_analyzer()

    def terms(text):
        listed = JAnalyzerUtils.analyze(analyzer, text).toString()[1:-1]
        return listed.split(", ") if listed else []  # no term has a space
    return terms
