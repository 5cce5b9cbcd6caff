package hashing

import (
	"slices"
	"testing"
)

// TestRetrieval looks for the supporting paragraphs of 60 questions among 1,000
// paragraphs by cosine: with IDF, far more of them are among the first ten. (The
// package comment has the figures for all.)
func TestRetrieval(t *testing.T) {
	const questions, paragraphs = 60, 1000
	var asked, docs []string
	var support [][]string
	row := make(map[string]int)
	eachLine(t, "multihop_601/questions.jsonl", func(line map[string]any) {
		if len(asked) == questions {
			return
		}
		asked = append(asked, line["question"].(string))
		var ids []string
		for _, id := range line["metadata"].(map[string]any)["supporting_docids"].([]any) {
			ids = append(ids, id.(string))
		}
		support = append(support, ids)
	})
	eachLine(t, "multihop_601/corpus.jsonl", func(line map[string]any) {
		if len(docs) < paragraphs {
			row[line["id"].(string)] = len(docs)
			docs = append(docs, line["contents"].(string))
		}
	})
	recall := map[bool]float64{}
	for _, idf := range []bool{false, true} {
		e := Embedder{IDF: idf}
		vectors := make([][]float32, len(docs))
		for i, d := range docs {
			vectors[i] = e.vector(d)
		}
		for q, text := range asked {
			first := nearest(e.vector(text), vectors, 10)
			for _, id := range support[q] {
				at, ok := row[id]
				if !ok {
					t.Fatalf("supporting paragraph %s of question %d is not among the first %d", id, q, paragraphs)
				}
				if slices.Contains(first, at) {
					recall[idf] += 1 / float64(len(support[q])*len(asked))
				}
			}
		}
	}
	if recall[true] < recall[false]+0.1 {
		t.Errorf("recall at 10 is %.3f without and %.3f with IDF; want a tenth more", recall[false], recall[true])
	}
	t.Logf("recall at 10 among %d paragraphs: %.3f without IDF, %.3f with", len(docs), recall[false], recall[true])
}

// nearest returns the n rows that have the largest inner product with v.
func nearest(v []float32, rows [][]float32, n int) []int {
	score := make([]float32, len(rows))
	order := make([]int, len(rows))
	for i, r := range rows {
		order[i] = i
		for j := range v {
			score[i] += v[j] * r[j]
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case score[a] > score[b]:
			return -1
		case score[a] < score[b]:
			return 1
		}
		return a - b
	})
	return order[:n]
}
