package opensearch_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trawl/search/english"
	"trawl/search/index"
)

// A scored is a document that a query found, by how much.
type scored struct {
	id, key string // _id, and the field id
	score   float32
	source  map[string]any
}

// search answers a search as OpenSearch does, for the queries that the package
// makes.
func (x *stored) search(name string, body map[string]any) []any {
	var found []scored
	for id, doc := range x.seen {
		if s := x.score(body["query"].(map[string]any), doc); s > 0 {
			key, _ := doc["id"].(string)
			found = append(found, scored{id, key, float32(s), doc})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
	})
	hits := []any{}
	for _, f := range found[:min(len(found), int(body["size"].(float64)))] {
		source := make(map[string]any)
		for _, key := range body["_source"].([]any) {
			if v, ok := f.source[key.(string)]; ok {
				source[key.(string)] = v
			}
		}
		hits = append(hits, map[string]any{"_index": name, "_id": f.id, "_score": f.score, "_source": source})
	}
	return hits
}

// score returns the score of a document for a query of any kind that is known.
func (x *stored) score(query, doc map[string]any) float64 {
	sum := 0.0
	for kind, v := range query {
		v := v.(map[string]any)
		switch kind {
		case "bool":
			if n := len(v["should"].([]any)); n > 1024 {
				panic(fmt.Sprint("too_many_clauses: ", n))
			}
			for _, q := range v["should"].([]any) {
				sum += x.score(q.(map[string]any), doc)
			}
		case "multi_match":
			for _, field := range v["fields"].([]any) {
				sum += x.bm25(field.(string), analyze(field.(string), v["query"].(string)), doc)
			}
		case "match", "term":
			for field, q := range v {
				q := q.(map[string]any)
				boost, ok := q["boost"].(float64)
				if !ok {
					boost = 1
				}
				terms := []string{fmt.Sprint(q["value"])}
				if kind == "match" {
					terms = analyze(field, q["query"].(string))
				}
				sum += boost * x.bm25(field, terms, doc)
			}
		default:
			panic("the cluster knows no query " + kind)
		}
	}
	return sum
}

// analyze is the analyzer of a field.
func analyze(field, text string) []string {
	if field == "everything" {
		return english.AnalyzeAll(text)
	}
	return english.Analyze(text)
}

// terms returns the terms of a document's field.
func terms(field string, doc map[string]any) []string {
	_, joined := doc["contents"]
	if field == "everything" || field == "contents" && !joined {
		return analyze(field, fmt.Sprint(doc["title"], "\n", doc["text"]))
	}
	s, _ := doc[field].(string)
	return analyze(field, s)
}

// bm25 adds up what each term of the query adds to the score.
func (x *stored) bm25(field string, query []string, doc map[string]any) float64 {
	if len(query) > 1024 {
		panic(fmt.Sprint("too_many_clauses: ", len(query)))
	}
	p := x.params()
	n, total := 0, 0
	df := make(map[string]int)
	for _, other := range x.seen {
		words := terms(field, other)
		if len(words) > 0 {
			n, total = n+1, total+len(words)
		}
		for _, q := range slices.Compact(slices.Sorted(slices.Values(query))) {
			if slices.Contains(words, q) {
				df[q]++
			}
		}
	}
	words := terms(field, doc)
	sum := 0.0
	for _, q := range query {
		tf := 0.0
		for _, w := range words {
			if w == q {
				tf++
			}
		}
		if tf > 0 {
			sum += index.IDF(n, df[q]) * tf / (tf + p.Norm(uint64(len(words)), float64(total)/float64(n)))
		}
	}
	return sum
}

func (x *stored) params() index.Params {
	p := index.Params{K1: 1.2, B: 0.75}
	similarity, _ := x.settings["similarity"].(map[string]any)
	if s, ok := similarity["default"].(map[string]any); ok {
		p.K1, _ = strconv.ParseFloat(strings.TrimSpace(s["k1"].(string)), 64)
		p.B, _ = strconv.ParseFloat(strings.TrimSpace(s["b"].(string)), 64)
	}
	return p
}
