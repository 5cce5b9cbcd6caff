package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trawl/agent/llm/sim/internal/reader"
	"trawl/internal/text"
)

// defaultPool is how many queries a pool has if the request names no number.
const defaultPool = 16

// pool writes a numbered list of search queries from different angles.
func (m *model) pool(c *conversation, q *reader.Question) string {
	n := numberAfter(c.last, "xactly ")
	if n <= 0 {
		n = defaultPool
	}
	queries := m.angles(c, q)
	if len(queries) > n {
		queries = queries[:n]
	}
	if r := m.rand("sloppy"); r.Float64() < m.traits.sloppy {
		return sloppyList(queries, r.IntN(4))
	}
	return numbered(queries, `%d. %s`)
}

// numbered writes one query a line in a format for number and text.
func numbered(queries []string, format string) string {
	lines := make([]string, len(queries))
	for i, q := range queries {
		lines[i] = fmt.Sprintf(format, i+1, q)
	}
	return strings.Join(lines, "\n")
}

// sloppyList writes the list in one of the ways in which models miss the form.
func sloppyList(queries []string, way int) string {
	switch way {
	case 0:
		return "Here are the search queries:\n\n" + numbered(queries, "%d. %s")
	case 1:
		return "- " + strings.Join(queries, "\n- ")
	case 2:
		return numbered(queries, `%d) "%s"`)
	}
	return numbered(queries[:(len(queries)+1)/2], "%d. %s")
}

// angles returns queries that differ in what they ask for, those it has already
// left out. What is known is taken from the conversation, so that a pool for a
// later turn is about the next hops, and one for a later round about what is open.
func (m *model) angles(c *conversation, q *reader.Question) []string {
	var all []string
	switch {
	case c.earlier != nil:
		all = m.openQueries(c, q)
	case c.shelf.Len() > 0:
		for _, g := range q.Solve(c.shelf, m.believe(c)).Open {
			all = append(all, g.Queries()...)
		}
	}
	all = append(all, q.Angles()...)
	seen := map[string]struct{}{}
	for _, old := range madeBefore(c.last) {
		seen[setKey(old)] = struct{}{}
	}
	var out []string
	for _, query := range all {
		query = text.Truncate(text.Collapse(query), 200)
		key := setKey(query)
		if _, twice := seen[key]; twice || len(query) < 4 {
			continue
		}
		seen[key] = struct{}{}
		out = append(out, query)
	}
	if m.temperature > 0 { // neighbours change places
		r := m.rand("order")
		for i := 1; i < len(out); i++ {
			if r.Float64() < 0.4*m.temperature {
				out[i-1], out[i] = out[i], out[i-1]
			}
		}
	}
	return out
}

// openQueries returns queries for what earlier rounds left open: for the goals of
// the plan, which what they found out puts names into, those that a lead names
// first, in several wordings; then for leads that are no goals of the plan.
func (m *model) openQueries(c *conversation, q *reader.Question) []string {
	var out []string
	goals := m.solve(c, q).Open
	slices.SortStableFunc(goals, func(a, b reader.Goal) int { return c.earlier.named(b) - c.earlier.named(a) })
	for _, g := range goals {
		out = append(out, g.Wordings()...)
	}
	for _, lead := range c.earlier.leads {
		if !slices.ContainsFunc(goals, func(g reader.Goal) bool { return names(lead, g.Subject) }) {
			out = append(out, keywords(lead))
		}
	}
	return slices.DeleteFunc(out, c.earlier.tried)
}

// madeBefore returns the queries that a pool's prompt lists; what it lists as
// found out, contradictory or open is none.
func madeBefore(prompt string) []string {
	var out []string
	lists := true
	for line := range strings.SplitSeq(prompt, "\n") {
		line = strings.TrimSpace(line)
		switch old, ok := strings.CutPrefix(line, "- "); {
		case ok && lists:
			out = append(out, old)
		case !ok:
			lists = line != foundMark && line != disputeMark && line != openMark
		}
	}
	return out
}

// setKey is the same for queries of the same words.
func setKey(s string) string {
	words := text.Fields(text.Answer(s))
	for i := 1; i < len(words); i++ { // insertion sort: queries are short
		for j := i; j > 0 && words[j] < words[j-1]; j-- {
			words[j], words[j-1] = words[j-1], words[j]
		}
	}
	return strings.Join(words, " ")
}

// numberAfter returns the number right behind the first mark in s that has one.
func numberAfter(s, mark string) int {
	for {
		_, rest, ok := strings.Cut(s, mark)
		if !ok {
			return 0
		}
		end := 0
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		if n, err := strconv.Atoi(rest[:end]); err == nil {
			return n
		}
		s = rest
	}
}
