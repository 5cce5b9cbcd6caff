package reader

import (
	"slices"
	"strings"
)

// Queries returns ways to search for a goal.
func (g Goal) Queries() []string {
	if g.Back {
		if g.Rel.back != "" {
			return []string{g.Rel.back + " " + g.Subject, g.Subject + " " + g.Rel.back}
		}
		return []string{g.Subject + " " + g.Rel.Label()}
	}
	label := g.Rel.Label()
	return []string{g.Subject + " " + label, label + " of " + g.Subject, "what is the " + label + " of " + g.Subject}
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
// sides: each name alone and with each relation, the relations without the
// names, parts of the wording, and the kinds of things involved. Near ones do
// not stand together.
func (q *Question) Angles() []string {
	var names, pairs, bare, parts []string
	chain := q.chain()
	for _, name := range q.Entities {
		names = append(names, name)
		for _, r := range chain {
			pairs = append(pairs, name+" "+r.Label())
		}
		names = append(names, surroundings(name)...)
	}
	for i, r := range chain {
		bare = append(bare, "who or what is the "+r.Label())
		if i > 0 {
			bare = append(bare, chain[i-1].Label()+" and "+r.Label())
		}
	}
	content := q.Content
	if len(content) > 1 {
		parts = append(parts, strings.Join(content, " "))
	}
	half := (len(content) + 1) / 2
	if len(content) > 3 {
		parts = append(parts, strings.Join(content[:half], " "), strings.Join(content[half:], " "))
	}
	parts = append(parts, q.Text)
	for _, w := range content {
		bare = append(bare, w+" history", "list of notable "+w)
	}
	bare = append(bare, "biography and career", "origin and background")
	return interleave(names, parts, bare, pairs)
}

// surroundings returns queries for what usually stands around a name.
func surroundings(name string) []string {
	words := strings.Fields(name)
	out := []string{"facts about " + words[len(words)-1]}
	if len(words) > 1 {
		out = append(out, words[0]+" overview")
	}
	return out
}

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
