package sim_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"trawl/agent/llm/sim"
	"trawl/corpus/weave"
	"trawl/internal/seed"
	"trawl/internal/testutil"
)

// prompt renders one of the project's prompts, so that the marks by which the
// model knows them are those that are sent.
func prompt(t testing.TB, name string, data any) string {
	t.Helper()
	path := filepath.Join(testutil.Root(t), filepath.FromSlash(name))
	files := []string{path}
	if words := filepath.Join(filepath.Dir(path), "words.tmpl"); strings.HasPrefix(name, aggregatePrompts) {
		files = append(files, words) // which defines parts of the others
	}
	all, err := template.ParseFiles(files...)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := all.ExecuteTemplate(&b, filepath.Base(path), data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func summaryPrompt(t testing.TB, question string, full, earlier bool) string {
	return prompt(t, "recursion/prompts/summary.tmpl", msg{"Question": question, "Full": full, "Earlier": earlier})
}

func continuePrompt(t testing.TB, round int, raw string, freeUse bool) string {
	return prompt(t, "recursion/prompts/continue.tmpl", msg{"Round": round, "Raw": raw, "FreeUse": freeUse})
}

// A chain is what is asked, round after round, in the tags dialect.
type chain struct {
	handler    http.Handler
	index      *index
	question   string
	turns      int
	seed       int64
	full, free bool
	first      string // the first query of every round, if it is given
}

// A lap is one round: its answer, its searches, and the summary behind it.
type lap struct {
	answer, summary string
	queries         []string
	messages        []msg
}

// run plays rounds.
func (c *chain) run(t testing.TB, rounds int) []lap {
	var laps []lap
	summary := ""
	for r := 1; r <= rounds; r++ {
		l := c.lap(t, r, summary)
		summary = l.summary
		laps = append(laps, l)
	}
	return laps
}

// lap plays one round behind the summary of the one before.
func (c *chain) lap(t testing.TB, round int, summary string) lap {
	base := seed.Derive(c.seed, round)
	opening := fmt.Sprintf("Use <search> or <answer>. Then do exactly one of two things. You have %d turns in all.\n\nQuestion: %s", c.turns, c.question)
	if summary != "" {
		opening += "\n\n" + continuePrompt(t, round-1, summary, c.free)
	}
	l := lap{messages: []msg{{"role": "user", "content": opening}}}
	add := func(role, content string) { l.messages = append(l.messages, msg{"role": role, "content": content}) }
	for turn := 1; turn <= c.turns && l.answer == ""; turn++ {
		content := "<search>" + c.first + "</search>"
		if turn > 1 || c.first == "" {
			if turn == c.turns {
				add("user", "There are no more searches. Give your final answer now.")
			}
			content, _, _ = call(t, c.handler, msg{"messages": l.messages, "seed": seed.Derive(base, turn), "temperature": 1, "max_tokens": 512, "stop": []string{"</search>", "</answer>"}, "include_stop_str_in_output": true})
		}
		add("assistant", content)
		if answer, ok := between(content+"</answer>", "<answer>", "</answer>"); ok {
			l.answer = answer
			break
		}
		if query, ok := between(content+"</search>", "<search>", "</search>"); ok {
			l.queries = append(l.queries, query)
			add("user", c.index.show(query, 10))
			continue
		}
		add("user", "That reply was neither.")
	}
	ask := append(l.messages[:len(l.messages):len(l.messages)], msg{"role": "user", "content": summaryPrompt(t, c.question, c.full, round > 1)})
	l.summary, _, _ = call(t, c.handler, msg{"messages": ask, "seed": seed.Derive(base, "summary"), "temperature": 1, "max_tokens": 2048})
	return l
}

// woven returns questions of three and four facts and an index of their world.
func woven(t testing.TB, n int) ([]weave.Question, *index) {
	t.Helper()
	world, err := weave.New(weave.Options{Seed: 11, Entities: 2000, Questions: n, Mix: weave.Mix{Chain3: 1, Chain4: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var titles, texts []string
	for d := range world.Documents() {
		titles, texts = append(titles, d.Title), append(texts, d.Text)
	}
	return world.Questions(), newIndex(titles, texts)
}

func right(q weave.Question, answer string) bool { return contains(q.Answers, answer) }

// overHTTP sends what it is asked on to a server.
func overHTTP(t testing.TB, url string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Post(strings.TrimSuffix(url, "/v1")+r.URL.Path, "application/json", r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		if _, err := io.Copy(w, resp.Body); err != nil {
			t.Error(err)
		}
	})
}

// longChain is how a question of four facts ends.
const longChain = "the city where Kaspar Zelman's employer has its headquarters have its source?"

// TestRoundsOverHTTP plays three rounds on a question that needs more searches
// than one round has: what one round leaves open, the next ones solve, and they
// do not search again for what is settled.
func TestRoundsOverHTTP(t *testing.T) {
	questions, idx := woven(t, 100)
	at := slices.IndexFunc(questions, func(q weave.Question) bool { return strings.HasSuffix(q.Text, longChain) })
	if at < 0 {
		t.Fatalf("the world has no question that ends in %q", longChain)
	}
	q := questions[at]
	server, _ := start(t, sim.Options{Skill: sim.Large})
	for _, given := range []string{"", "encyclopaedia"} {
		c := chain{handler: overHTTP(t, server.URL()), index: idx, question: q.Text, turns: 3, seed: 1, full: true, free: true, first: given}
		laps := c.run(t, 3)
		if right(q, laps[0].answer) || !right(q, laps[2].answer) {
			t.Errorf("first query %q: answers %q, then %q, want wrong, then one of %q", given, laps[0].answer, laps[2].answer, q.Answers)
		}
		if given == "" && len(laps[1].queries) >= len(laps[0].queries) {
			t.Errorf("searches %q, then %q, want fewer", laps[0].queries, laps[1].queries)
		}
		seen := map[string]bool{}
		for _, l := range laps {
			for _, query := range l.queries {
				if seen[query] && query != given {
					t.Errorf("first query %q: %q was searched for in two rounds", given, query)
				}
				seen[query] = true
			}
		}
	}
}

// TestRounds measures rounds on questions of three and four facts with too few
// turns for them: later ones are better and cheaper.
func TestRounds(t *testing.T) {
	const rounds = 4
	questions, idx := woven(t, 100)
	h := sim.New(sim.Options{})
	for _, free := range []bool{true, false} {
		var share, searches [rounds]float64
		for _, q := range questions {
			c := chain{handler: h, index: idx, question: q.Text, turns: 4, seed: seed.Derive(5, q.ID), full: true, free: free}
			for r, l := range c.run(t, rounds) {
				searches[r] += float64(len(l.queries)) / float64(len(questions))
				if right(q, l.answer) {
					share[r] += 1 / float64(len(questions))
				}
			}
		}
		t.Logf("guidance %v: right %.2f, searches %.2f by round", free, share, searches)
		if share[rounds-1] < share[0]+0.05 || searches[1] > 0.8*searches[0] {
			t.Errorf("guidance %v: right %.2f, searches %.2f by round; want more and fewer", free, share, searches)
		}
	}
}
