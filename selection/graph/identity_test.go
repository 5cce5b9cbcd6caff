package graph_test

import (
	"encoding/json"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trawl/selection/graph"
	"trawl/trajectory"
)

// browse makes the events of a rollout of calls that follow each other; a view's
// cursor is the number of its event.
type browse struct{ events []graph.Event }

func (b *browse) call(tool trajectory.Kind, args, view string) *browse {
	n := len(b.events)
	b.events = append(b.events, graph.Event{
		Tool: tool, Args: json.RawMessage(args), View: fmt.Sprintf("[%d] %s", n, view), Call: 2 * n, Return: 2*n + 1,
	})
	return b
}

func (b *browse) search() *browse {
	return b.call(trajectory.KindSearch, `{"query":"q"}`, "q (web-search://ts=0)\n**viewing lines [0 - 0] of 1**\nL0: links")
}

// open is a call that returns a page with a header and, unless it is empty, a
// URL field.
func (b *browse) open(args, header, field string) *browse {
	view := header + "\n**viewing lines [0 - 0] of 1**\n"
	if field != "" {
		view += "L0: URL: " + field + "\n"
	}
	return b.call(trajectory.KindOpen, args, view+"L1: body")
}

func (b *browse) find(args string) *browse {
	return b.call(trajectory.KindFind, args, "Find results\nL0: # 【0†match at L1】\nL1: hit")
}

func TestIdentity(t *testing.T) {
	const (
		page  = "url:https://e.org/a%2Fb"
		plain = "url:https://e.org/a/b"
		group = "unresolved_original:q:%d"
	)
	unknown := func(n int) string { return fmt.Sprintf(group, n) }
	tests := []struct {
		name     string
		rollouts []*browse
		want     []string // documents of all evidence
	}{
		{"an open establishes its page, a find inherits it",
			[]*browse{new(browse).search().open(`{"id":1}`, "T (https://e.org/a%2Fb)", "").find(`{}`)},
			[]string{page, page}},
		{"a find in search results stays there",
			[]*browse{new(browse).search().find(`{}`)}, []string{"search-view:0:0"}},
		{"a search page that was asked for is a page of its own",
			[]*browse{new(browse).search().open(`{"id":1}`, "T (web-search://ts=1)", "").find(`{}`)},
			[]string{"search-view:0:1", "search-view:0:1"}},
		{"a page where search results were asked for is a conflict",
			[]*browse{new(browse).search().open(`{}`, "T (https://e.org/a)", "")}, []string{unknown(0)}},
		{"a search page where a page was asked for is a conflict",
			[]*browse{new(browse).search().open(`{"id":1}`, "T (https://e.org/a/b)", "").open(`{}`, "T (web-search://ts=0)", "")},
			[]string{plain, unknown(0)}},
		{"a header without address fits",
			[]*browse{new(browse).search().open(`{"id":1}`, "T (https://e.org/a/b)", "").open(`{"id":null}`, "T", "").open(`{"id":-1}`, "Doc 4", "").open(`{}`, "T (https://e.o...)", "")},
			[]string{plain, plain, plain, plain}},
		{"a display that is the parent's address decoded fits",
			[]*browse{new(browse).search().open(`{"id":1}`, "T (https://e.org/a%2Fb)", "").open(`{}`, "T (https://e.org/a/b)", "").open(`{}`, "T (https://e.org/a/b#c)", "")},
			[]string{page, page, page}},
		{"a corroborated display that only decodes alike is a conflict",
			[]*browse{new(browse).search().open(`{"id":1}`, "T (https://e.org/a%2Fb)", "").open(`{}`, "T (https://e.org/a/b)", "https://e.org/a/b")},
			[]string{page, unknown(0)}},
		{"another page under a verified one is a conflict, and a find in it is nowhere",
			[]*browse{new(browse).search().open(`{"id":1}`, "T (https://e.org/a/b)", "").open(`{}`, "T (https://e.org/c)", "").find(`{}`)},
			[]string{plain, unknown(0), unknown(0)}},
		{"an open of nothing below no verified page goes by its header",
			[]*browse{new(browse).search().open(`{"id":1}`, "T", "").open(`{}`, "T (https://e.org/a/b)", "")},
			[]string{unknown(0), plain}},
		{"the requested address adds escapes to a display",
			[]*browse{new(browse).search().open(`{"id":"https://e.org/a%2Fb"}`, "T (https://e.org/a/b)", "")}, []string{page}},
		{"not to one that the page corroborates",
			[]*browse{new(browse).search().open(`{"id":"https://e.org/a%2Fb"}`, "T (https://e.org/a/b)", "https://e.org/a/b")}, []string{plain}},
		{"a redirect leads to the returned page",
			[]*browse{new(browse).search().open(`{"id":"https://old.org/a"}`, "T (https://e.org/a/b)", "")}, []string{plain}},
		{"a cut display proves nothing, even if it was asked for",
			[]*browse{new(browse).search().open(`{"id":"https://e.org/..."}`, "T (https://e.org/...)", "")}, []string{unknown(0)}},
		{"a display that is no address is one by the request",
			[]*browse{new(browse).search().open(`{"id":"https://e.org/100%25"}`, "T (https://e.org/100%)", "")}, []string{"url:https://e.org/100%25"}},
		{"a number is looked up in all rollouts",
			[]*browse{new(browse).search().open(`{"id":1}`, "Doc 4", ""), new(browse).search().open(`{"id":2}`, "Doc 4 (https://e.org/a/b)", "")},
			[]string{plain, plain}},
		{"a number of two pages is of none",
			[]*browse{new(browse).search().open(`{"id":1}`, "Doc 4", ""), new(browse).search().open(`{"id":2}`, "Doc 4 (https://e.org/a/b)", "").open(`{"id":3}`, "Doc 4 (https://e.org/c)", "").open(`{"id":2}`, "Doc 4 (https://e.org/a/b)", "")},
			[]string{unknown(0), plain, "url:https://e.org/c", plain}},
		{"a number in doubt does not count",
			[]*browse{new(browse).search().open(`{"id":1}`, "Doc 4", ""), new(browse).search().open(`{"cursor":"0","id":2}`, "Doc 4 (https://e.org/a/b)", "")},
			[]string{unknown(0), unknown(1)}},
		{"pages of one requested address meet, others do not",
			[]*browse{new(browse).search().open(`{"id":"https://E.org/x"}`, "T", "").open(`{"cursor":0,"id":1}`, "T", ""), new(browse).search().open(`{"id":"https://e.org/x#y"}`, "T", "").find(`{}`)},
			[]string{unknown(0), unknown(1), unknown(0), unknown(0)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := graph.Pool{ID: "q", Question: "?"}
			for i, b := range tt.rollouts {
				p.Rollouts = append(p.Rollouts, graph.Rollout{Number: i, Answer: "a", Events: b.events})
			}
			g, err := graph.BuildPool(p, graph.Options{Variant: graph.LongHorizon})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Validate(); err != nil {
				t.Error(err)
			}
			var got []string
			for _, e := range g.Evidence {
				got = append(got, g.Documents[e.Document].ID)
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("documents mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// A page that nothing confirms is named by its rollout with its round, so that
// two rounds of one rollout do not share their search pages.
func TestIdentityOfRounds(t *testing.T) {
	p := graph.Pool{ID: "q"}
	for round := 1; round <= 2; round++ {
		b := new(browse).search().find(`{}`)
		p.Rollouts = append(p.Rollouts, graph.Rollout{Round: round, Number: 3, Answer: "a", Events: b.events})
	}
	g, err := graph.BuildPool(p, graph.Options{Variant: graph.LongHorizon})
	if err != nil {
		t.Fatal(err)
	}
	want := []graph.Document{{ID: "search-view:1.3:0", Verified: true}, {ID: "search-view:2.3:0", Verified: true}}
	if diff := gocmp.Diff(want, g.Documents); diff != "" {
		t.Errorf("documents mismatch (-want +got):\n%s", diff)
	}
}
