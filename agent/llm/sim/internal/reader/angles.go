package reader

import (
	"slices"
	"strings"
)

// Queries returns ways to search for a goal.
func (g Goal) Queries() []string {
	if g.Back {
		words := g.Rel.back
		if words == "" && len(g.Rel.preds) > 0 {
			words = strings.Join(expand(g.Rel.preds[0])[0], " ")
			words, _, _ = strings.Cut(words, "%")
			words = strings.TrimSpace(g.Noun + " " + words)
		}
		if words == "" {
			words = g.Rel.Label()
		}
		return []string{words + " " + g.Subject, g.Subject + " " + words}
	}
	label := g.Rel.Label()
	return []string{g.Subject + " " + label, label + " of " + g.Subject, "what is the " + label + " of " + g.Subject}
}

// Wordings returns further ways to search for a goal, those of Queries first.
func (g Goal) Wordings() []string {
	out := append(g.Queries(), g.Subject)
	for _, aspect := range aspects {
		out = append(out, g.Subject+" "+aspect)
	}
	return append(out, lastWord(g.Subject)+" "+g.Rel.Label())
}

// Anchor returns what first queries for the question are made of: the words of
// its core, its first name and the innermost relation, and further words that
// may or may not be added.
func (q *Question) Anchor() (core, extra []string) {
	if len(q.Entities) > 0 {
		core = append(core, q.Entities...)
		if len(core) > 2 {
			core = core[:2]
		}
	}
	add := func(w string) {
		if !slices.Contains(extra, w) && !slices.Contains(core, w) {
			extra = append(extra, w)
		}
	}
	chain := q.chain()
	if len(core) == 0 {
		core = append(core, q.Content[:min(3, len(q.Content))]...)
	} else if len(chain) > 0 {
		core = append(core, chain[0].Label())
	}
	for _, w := range q.Content {
		add(w)
	}
	for _, r := range chain {
		add(r.Label())
	}
	for _, w := range [...]string{"information", "details"} {
		if len(extra) < 6 {
			add(w)
		}
	}
	if len(extra) > 6 {
		extra = extra[:6]
	}
	return core, extra
}

// chain returns the relations of the plan, the innermost first.
func (q *Question) chain() []*Relation {
	var out []*Relation
	var walk func(n *Node)
	walk = func(n *Node) {
		if n == nil {
			return
		}
		for _, arg := range n.Args {
			walk(arg)
		}
		if n.Op == Follow && !slices.Contains(out, n.Rel) {
			out = append(out, n.Rel)
		}
	}
	walk(q.Root)
	return out
}

// Angles returns search queries that come at the question from different
// sides: each name alone, with each relation, with parts of the wording, and
// with what is usually written about things. Most keep at least a word of a
// name, since a query without one finds anything. Near ones do not stand
// together.
func (q *Question) Angles() []string {
	chain := q.chain()
	halves := q.halves()
	var names, pairs, words, views []string
	for i, name := range q.Entities {
		if allDigits(name) && len(q.Entities) > 1 {
			continue // nobody searches for a year alone
		}
		short := lastWord(name)
		names = append(names, name)
		for j, r := range chain {
			if j == 0 || len(q.Entities) == 1 {
				pairs = append(pairs, name+" "+r.Label())
			}
			if j > 0 {
				words = append(words, chain[j-1].Label()+" "+r.Label()+" "+short)
			}
			views = append(views, r.Label()+" "+short)
		}
		for _, half := range halves {
			words = append(words, half+" "+short)
		}
		views = append(views, short+" "+aspects[(2*i)%len(aspects)], aspects[(2*i+1)%len(aspects)]+" of "+name, name+" "+aspects[(2*i+2)%len(aspects)])
	}
	if len(q.Entities) > 1 {
		names = append(names, strings.Join(q.Entities, " "))
	}
	if len(q.Entities) == 0 {
		words = append(words, halves...)
		for i, w := range q.Content {
			views = append(views, w+" "+aspects[i%len(aspects)])
		}
	}
	words = append(words, strings.Join(q.Content, " "), q.Text)
	return interleave(names, words, views, pairs)
}

// aspects are what is usually written about things.
var aspects = [...]string{"history", "overview", "background", "career", "facts", "origin"}

// halves returns the content words in one piece and, if there are many, in two.
func (q *Question) halves() []string {
	n := len(q.Content)
	switch {
	case n == 0:
		return nil
	case n < 4:
		return []string{strings.Join(q.Content, " ")}
	}
	return []string{strings.Join(q.Content[:n/2], " "), strings.Join(q.Content[n/2:], " ")}
}

func lastWord(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }

// interleave takes from each list in turn.
func interleave(lists ...[]string) []string {
	var out []string
	for i := 0; ; i++ {
		any := false
		for _, list := range lists {
			if i < len(list) {
				out, any = append(out, list[i]), true
			}
		}
		if !any {
			return out
		}
	}
}
