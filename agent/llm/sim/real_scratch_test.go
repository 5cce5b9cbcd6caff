package sim_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"trawl/agent/llm/sim"
	"trawl/internal/seed"
	"trawl/internal/testutil"
	"trawl/internal/text"
)

func TestRealScratch(t *testing.T) {
	f, _ := os.Open(testutil.Shared(t, "multihop_601/corpus.jsonl"))
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	var ti, te []string
	for sc.Scan() {
		var d struct{ ID, Contents string }
		json.Unmarshal(sc.Bytes(), &d)
		a, b, _ := strings.Cut(d.Contents, "\n")
		ti = append(ti, strings.Trim(a, `"`))
		te = append(te, text.Collapse(b))
	}
	s := newShelf(ti, te)
	type Q struct {
		ID, Question string
		Golds        []string `json:"golden_answers"`
	}
	var qs []Q
	f, _ = os.Open(testutil.Shared(t, "multihop_601/questions.jsonl"))
	sc = bufio.NewScanner(f)
	for sc.Scan() {
		var q Q
		json.Unmarshal(sc.Bytes(), &q)
		qs = append(qs, q)
	}
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		n, ok, pass, turns := 0, 0, 0, 0
		div := 0.0
		for i := 0; i < len(qs); i += 3 {
			q := qs[i]
			any := false
			var firsts []text.TokenSet
			for k := range 4 {
				a, qq, ms := rollout(t, h, s, q.Question, "", seed.Derive(1, q.ID, k), 1, 8)
				n++
				turns += len(qq)
				if len(qq) == 0 {
					fmt.Println("NOQ", q.Question, ms[len(ms)-1])
					qq = []string{""}
				}
				firsts = append(firsts, text.Tokens(qq[0]))
				for _, g := range q.Golds {
					if text.Answer(g) == text.Answer(a) {
						ok++
						any = true
						break
					}
				}
			}
			div += (firsts[0].Distance(firsts[1]) + firsts[2].Distance(firsts[3])) / 2
			if any {
				pass++
			}
		}
		m := float64(n) / 4
		fmt.Printf("%s em %.3f pass@4 %.3f turns %.2f qpd %.3f\n", skill, float64(ok)/float64(n), float64(pass)/m, float64(turns)/float64(n), div/m)
	}
}
