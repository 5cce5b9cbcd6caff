package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/text"
	"trawl/search"
)

// shownText is how much of a document's text people are shown.
const shownText = 240

func newSearch(e env) *cobra.Command {
	var (
		index  string
		top    int
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "search QUERY... --index DIR",
		Short: "Look at retrieval by hand",
		Long:  "Search an index. Words of the query may stand apart; any text is a valid query.\n\n  trawl search who directed the third man --index IDX",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, _, err := openIndex(index)
			if err != nil {
				return err
			}
			defer x.Close()
			query := strings.Join(args, " ")
			hits, err := x.Search(cmd.Context(), query, top)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(e.stdout).Encode(map[string]any{"query": query, "hits": jsonHits(hits)})
			}
			for i, h := range hits {
				fmt.Fprintf(e.stdout, "%2d. %s  [%s, %.3f]\n    %s\n", i+1, h.Title, h.ID, h.Score, excerpt(h.Text, shownText))
			}
			if len(hits) == 0 {
				fmt.Fprintln(e.stderr, "trawl: no document has a word of the query")
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&index, "index", "", "index `folder`, made by trawl index")
	fs.IntVar(&top, "top", 10, "documents")
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	required(cmd, "index")
	return cmd
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
	s = text.Collapse(s)
	if short := text.Truncate(s, n); short != s {
		return strings.TrimSpace(short) + "…"
	}
	return s
}
