package sim_test

import (
	"net/http"
	"strings"

	"encoding/json"
	"fmt"
	"os"
	"testing"

	"trawl/agent/llm/sim"

	"trawl/internal/seed"
	"trawl/internal/text"
)

func TestE2EScratch(t *testing.T) {
	var w struct {
		Docs [][3]string
		Q    []struct {
			ID, Text string
			Answers  []string
		}
	}
	raw, err := os.ReadFile("/tmp/simw/world.json")
	json.Unmarshal(raw, &w)

	if err != nil {
		t.Fatal(err)
	}
	var titles, texts []string
	for _, d := range w.Docs {
		titles = append(titles, d[1])
		texts = append(texts, d[2])
	}
	s := newShelf(titles, texts)
	for _, skill := range sim.Skills() {
		h := sim.New(sim.Options{Skill: skill})
		for _, mode := range []string{"std0", "std1", "div1"} {
			T := 1.0
			if mode == "std0" {
				T = 0
			}

			n, ok, pass, turns, none := 0, 0, 0, 0, 0
			qpd, qn := 0.0, 0
			for _, q := range w.Q {
				any := false
				var firsts []text.TokenSet
				first := make([]string, 4)
				if mode == "div1" {
					first = divinit(t, h, q.Text, seed.Derive(9, q.ID))
				}

				for k := range 4 {
					a, qs, ms := rollout(t, h, s, q.Text, first[k], seed.Derive(1, q.ID, k), T, 8)
					n++
					turns += len(qs)
					good := false
					for _, g := range q.Answers {
						good = good || text.Answer(g) == text.Answer(a)
					}
					if a == "" {
						none++
					}
					if good {
						ok++
						any = true
					} else if os.Getenv("SHOW") != "" && skill == sim.Large && mode == "div1" {
						fmt.Println("----", q.Text, q.Answers, "got", a)
						for _, m := range ms[1:] {
							c := m["content"].(string)
							if len(c) > 300 {
								c = c[:300]
							}
							fmt.Println("  ", m["role"], c)
						}
					}
					if len(qs) > 0 {
						firsts = append(firsts, text.Tokens(qs[0]))
					}
				}
				for i := range firsts {
					for j := range i {
						qpd += firsts[i].Distance(firsts[j])
						qn++
					}
				}
				if any {
					pass++
				}
			}
			fmt.Printf("%s mode=%v: em %.3f pass@4 %.3f turns %.2f none %d qpd %.3f\n", skill, mode, float64(ok)/float64(n), float64(pass)/float64(len(w.Q)), float64(turns)/float64(n), none, qpd/float64(qn))
		}
	}
}

func divinit(t *testing.T, h http.Handler, q string, sd int64) []string {
	content, _, _ := call(t, h, msg{"seed": sd, "messages": []msg{{"role": "user", "content": "Write exactly 16 search queries for it.\n\nQuestion: " + q}}})
	var c []string
	for l := range strings.SplitSeq(content, "\n") {
		l = strings.TrimLeft(l, "0123456789.) -")
		l = strings.Trim(l, "\"")
		if len(l) > 3 && !strings.Contains(l, "Here are") {
			c = append(c, l)
		}
	}
	var tk []text.TokenSet
	for _, x := range c {
		tk = append(tk, text.Tokens(x))
	}
	best := -1.0
	var set []int
	for i := range c {
		for j := range i {
			if d := tk[i].Distance(tk[j]); d > best {
				best = d
				set = []int{j, i}
			}
		}
	}
	for len(set) < 4 {
		bi, bd := -1, -1.0
		for i := range c {
			m := 2.0
			for _, x := range set {
				m = min(m, tk[i].Distance(tk[x]))
			}
			if m > bd {
				bd, bi = m, i
			}
		}
		set = append(set, bi)
	}
	var out []string
	for _, i := range set {
		out = append(out, c[i])
	}
	if os.Getenv("SHOWPOOL") != "" {
		fmt.Println(q, "\n   ", strings.Join(out, " | "), "\n    ALL", strings.Join(c, " | "))
	}
	return out
}
