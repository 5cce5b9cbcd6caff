package sim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"testing"

	"trawl/internal/seed"
	"trawl/internal/text"
)

// An index is a corpus with a small exact BM25 over it.
type index struct {
	titles, texts []string
	tf            []map[string]float64
	length        []float64
	postings      map[string][]int
	mean          float64
}

func newIndex(titles, texts []string) *index {
	s := &index{titles: titles, texts: texts, postings: map[string][]int{}}
	for i := range titles {
		tf := map[string]float64{}
		words := strings.Fields(text.Answer(titles[i] + " " + texts[i]))
		for _, w := range words {
			if tf[w]++; tf[w] == 1 {
				s.postings[w] = append(s.postings[w], i)
			}
		}
		s.tf = append(s.tf, tf)
		s.length = append(s.length, float64(len(words)))
		s.mean += float64(len(words))
	}
	s.mean /= float64(len(titles))
	return s
}

func (s *index) find(query string, n int) []int {
	score := map[int]float64{}
	for w := range text.Tokens(text.Answer(query)) {
		df := float64(len(s.postings[w]))
		idf := math.Log1p((float64(len(s.titles)) - df + 0.5) / (df + 0.5))
		for _, i := range s.postings[w] {
			tf := s.tf[i][w]
			score[i] += idf * tf / (tf + 0.9*(0.6+0.4*s.length[i]/s.mean))
		}
	}
	var ids []int
	for i := range score {
		ids = append(ids, i)
	}
	sort.Slice(ids, func(a, b int) bool {
		if score[ids[a]] != score[ids[b]] {
			return score[ids[a]] > score[ids[b]]
		}
		return ids[a] < ids[b]
	})
	if len(ids) > n {
		ids = ids[:n]
	}
	return ids
}

func (s *index) show(query string, n int) string {
	var b strings.Builder
	b.WriteString("<information>\n")
	ids := s.find(query, n)
	if len(ids) == 0 {
		b.WriteString("No documents match this query.\n")
	}
	for i, id := range ids {
		fmt.Fprintf(&b, "Doc %d(Title: %s) %s\n", i+1, s.titles[id], s.texts[id])
	}
	return text.Truncate(b.String(), 4000) + "</information>"
}

type msg map[string]any

func call(t testing.TB, h http.Handler, body msg) (content, finish string, usage map[string]any) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/chat/completions", bytes.NewReader(b)))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var r struct {
		Choices []struct {
			Message struct{ Content string }
			Finish  string `json:"finish_reason"`
		}
		Usage map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r.Choices[0].Message.Content, r.Choices[0].Finish, r.Usage
}

func between(s, a, b string) (string, bool) {
	_, rest, ok := strings.Cut(s, a)
	in, _, ok2 := strings.Cut(rest, b)
	return strings.TrimSpace(in), ok && ok2
}

// rollout plays the agent's loop in the tags dialect.
func rollout(t testing.TB, h http.Handler, s *index, question, first string, rolloutSeed int64, temperature float64, turns int) (answer string, queries []string, messages []msg) {
	messages = []msg{{"role": "user", "content": fmt.Sprintf("Use <search> or <answer>. You have %d turns in all.\n\nQuestion: %s", turns, question)}}
	turn := 1
	if first != "" {
		messages = append(messages, msg{"role": "assistant", "content": "<search>" + first + "</search>"}, msg{"role": "user", "content": s.show(first, 10)})
		queries = append(queries, first)
		turn++
	}
	for ; turn <= turns; turn++ {
		if turn == turns {
			messages = append(messages, msg{"role": "user", "content": "Give your final answer now in <answer> tags."})
		}
		content, _, _ := call(t, h, msg{"messages": messages, "seed": seed.Derive(rolloutSeed, turn, 0), "temperature": temperature, "max_tokens": 512, "stop": []string{"</search>", "</answer>"}, "include_stop_str_in_output": true})
		messages = append(messages, msg{"role": "assistant", "content": content})
		if a, ok := between(content, "<answer>", "</answer>"); ok {
			return a, queries, messages
		}
		q, ok := between(content, "<search>", "</search>")
		if !ok {
			messages = append(messages, msg{"role": "user", "content": "That reply was neither."})
			continue
		}
		queries = append(queries, q)
		messages = append(messages, msg{"role": "user", "content": s.show(q, 10)})
	}
	return "", queries, messages
}
