package reader

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"trawl/internal/testutil"
	anstext "trawl/internal/text"
)

func TestScratch(t *testing.T) {
	corpus := map[string]Passage{}
	f, _ := os.Open(testutil.Shared(t, "multihop_601/corpus.jsonl"))
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var d struct{ ID, Contents string }
		json.Unmarshal(sc.Bytes(), &d)
		title, body, _ := strings.Cut(d.Contents, "\n")
		corpus[d.ID] = Passage{strings.Trim(title, `"`), body}
	}
	f, _ = os.Open(testutil.Shared(t, "multihop_601/questions.jsonl"))
	sc = bufio.NewScanner(f)
	type st struct{ n, planned, done, doneOK, ok, g5 int }
	stats := map[string]*st{}
	for sc.Scan() {
		var d struct {
			ID, Question string
			Golds        []string `json:"golden_answers"`
			Meta         struct {
				Source string
				Type   string
				Sup    []string `json:"supporting_docids"`
			} `json:"metadata"`
		}
		json.Unmarshal(sc.Bytes(), &d)
		key := d.Meta.Source + " " + d.Meta.Type
		s := stats[key]
		if s == nil {
			s = &st{}
			stats[key] = s
		}
		s.n++
		var ps []Passage
		seen := map[string]bool{}
		for _, id := range d.Meta.Sup {
			seen[id] = true
		}
		for _, id := range d.Meta.Sup {
			n, _ := strconv.Atoi(id)
			for j := n - 5; j < n+5; j++ {
				x := strconv.Itoa(j)
				if _, ok := corpus[x]; ok && !seen[x] && len(ps) < 8 {
					seen[x] = true
					ps = append(ps, corpus[x])
				}
			}
		}
		for _, id := range d.Meta.Sup {
			ps = append(ps, corpus[id])
		}
		shelf := NewShelf(ps)
		q := Understand(d.Question)
		sol := q.Solve(shelf, func(g Goal, c []Claim) string { return c[0].Value })
		ans := sol.Answer
		if q.Root != nil {
			s.planned++
		}
		match := func(a string) bool {
			for _, g := range d.Golds {
				if anstext.Answer(a) == anstext.Answer(g) {
					return true
				}
			}
			return false
		}
		how := "plan"
		if sol.Done {
			s.done++
			if match(ans) {
				s.doneOK++
			}
		} else {
			how = "guess"
			c := q.Guess(shelf)
			if len(c) > 0 {
				ans = c[0].Value
			}
			if len(sol.Open) > 0 {
				if l := shelf.Likely(sol.Open[0]); len(l) > 0 {
					ans = l[0]
				}
			}
			if v, ok := q.Choose(shelf); ok {
				ans = v
			}
			if strings.Contains(os.Getenv("SHOW"), "bridge") && q.Root == nil {
				for i := range min(len(c), 6) {
					fmt.Printf("      %.2f %s\n", c[i].Score, c[i].Value)
				}
			}
			for i := range min(5, len(c)) {
				if match(c[i].Value) {
					s.g5++
					break
				}
			}
		}
		if match(ans) {
			s.ok++
		}
		if os.Getenv("SHOW") != "" && strings.Contains(key, os.Getenv("SHOW")) {
			fmt.Printf("%v %s root=%v kind=%d | %s | %q gold %q facts=%d open=%s\n", match(ans), how, show(q.Root), q.Kind, d.Question, ans, d.Golds[0], len(sol.Facts), showOpen(sol.Open))
		}
	}
	tot, ok := 0, 0
	for k, s := range stats {
		fmt.Printf("%-24s %+v\n", k, *s)
		tot += s.n
		ok += s.ok
	}
	fmt.Println("EM", float64(ok)/float64(tot))
}
func showOpen(gs []Goal) string {
	var b strings.Builder
	for _, g := range gs {
		fmt.Fprintf(&b, "%s(%s) ", g.Rel.Name, g.Subject)
	}
	return b.String()
}
func show(n *Node) string {
	if n == nil {
		return "-"
	}
	var a []string
	for _, x := range n.Args {
		a = append(a, show(x))
	}
	switch n.Op {
	case Entity:
		return "'" + n.Name + "'"
	case Follow:
		b := ""
		if n.Back {
			b = "~"
		}
		return b + n.Rel.Name + "(" + strings.Join(a, ",") + ")"
	}
	return fmt.Sprint(n.Op, a)
}
