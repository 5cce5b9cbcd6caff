package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/text"
	"trawl/search"
)

// shownText is how much of a document's text people are shown.
const shownText = 240

const searchHelp = `Look at what an index returns for a query, as a rollout would see it. The query needs no
quotes; one that begins with a minus goes behind --.

  trawl search who directed the third man --index IDX`

// A searchOptions is how trawl search is to answer.
type searchOptions struct {
	top  int
	json bool
}

func newSearch(e env) *cobra.Command {
	var (
		f settingsFlags
		o searchOptions
	)
	cmd := &cobra.Command{
		Use:   "search QUERY... --index DIR",
		Short: "Look at retrieval by hand",
		Long:  searchHelp,
		Args:  needs("QUERY", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.top < 1 {
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("--top %d: want 1 or more", o.top)}
			}
			query := text.Collapse(strings.Join(args, " "))
			if query == "" {
				return usageError{command: cmd.CommandPath(), err: errors.New("the query is empty")}
			}
			s, err := f.load(cmd, e)
			if err != nil {
				return err
			}
			return runSearch(cmd.Context(), e, s.Retrieval.Index, query, o)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.top, "top", 10, "documents")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	f.register(cmd, configGroup, retrievalGroup)
	return cmd
}

func runSearch(ctx context.Context, e env, index, query string, o searchOptions) (err error) {
	x, err := openIndex(ctx, e, index)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	x.tellDoubt(e)
	hits, err := x.Search(ctx, query, o.top)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(e.stdout, map[string]any{"query": query, "hits": jsonHits(hits)})
	}
	for i, h := range hits {
		fmt.Fprintf(e.stdout, "%2d. %s  [%s, %.3f]\n    %s\n", i+1, text.Printable(h.Title), text.Printable(h.ID), h.Score, excerpt(h.Text, shownText))
	}
	if len(hits) == 0 {
		fmt.Fprintln(e.stderr, "trawl: no document has a word of the query")
	}
	return nil
}

// A jsonHit is a hit as --json prints it.
type jsonHit struct {
	Rank  int     `json:"rank"`
	ID    string  `json:"id"`
	Title string  `json:"title"`
	URL   string  `json:"url,omitempty"`
	Score float64 `json:"score"`
	Text  string  `json:"text"`
}

func jsonHits(hits []search.Hit) []jsonHit {
	out := make([]jsonHit, len(hits))
	for i, h := range hits {
		out[i] = jsonHit{Rank: i + 1, ID: h.ID, Title: h.Title, URL: h.URL, Score: h.Score, Text: h.Text}
	}
	return out
}

// excerpt returns the beginning of s on one line.
func excerpt(s string, n int) string {
	s = text.Printable(s)
	if short := text.Truncate(s, n); short != s {
		return strings.TrimSpace(short) + "…"
	}
	return s
}
