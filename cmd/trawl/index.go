package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/corpus/wiki"
	"trawl/search"
	"trawl/search/live"
)

const indexHelp = `Make a corpus searchable: read passages from files or folders and build a BM25 index.

  trawl index corpus.jsonl --out IDX
  trawl index wiki-18.jsonl.gz --out IDX
  trawl index notes/ --out IDX --format text

Formats: `

// An indexOptions is what trawl index was asked to do.
type indexOptions struct {
	out    string
	format string
	params live.Params
	json   bool
}

func newIndex(e env) *cobra.Command {
	o := indexOptions{params: live.DefaultParams()}
	cmd := &cobra.Command{
		Use:   "index SOURCE... --out DIR",
		Short: "Build a BM25 index of a corpus",
		Long:  indexHelp + strings.Join(wiki.Formats(), ", ") + ". All but text may be gzipped.",
		Args:  needs("SOURCE", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(wiki.Formats(), o.format) {
				return usageError{command: cmd.CommandPath(), err: fmt.Errorf("--format %s: want one of %s", o.format, strings.Join(wiki.Formats(), ", "))}
			}
			return runIndex(cmd.Context(), e, args, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "index `folder`")
	fs.StringVar(&o.format, "format", wiki.Auto, "format of the sources")
	fs.Float64Var(&o.params.K1, "k1", o.params.K1, "BM25's k1")
	fs.Float64Var(&o.params.B, "b", o.params.B, "BM25's b")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	required(cmd, "out")
	return cmd
}

func runIndex(ctx context.Context, e env, sources []string, o indexOptions) error {
	start := time.Now()
	reader := &wiki.Reader{Format: o.format, Paths: sources}
	stats, err := buildIndex(ctx, e, o, reader.All(), strings.Join(sources, " "))
	if err != nil {
		return err
	}
	took := time.Since(start)
	if o.json {
		return writeJSON(e.stdout, map[string]any{
			"index": o.out, "documents": stats.Documents, "terms": stats.Terms, "replaced": reader.Replaced,
			"merged": reader.Merged, "elapsed_s": took.Seconds(),
		})
	}
	fmt.Fprintf(e.stdout, "%s: %d documents in %s (%.0f a second)\n", o.out, stats.Documents, took.Round(100*time.Millisecond), float64(stats.Documents)/took.Seconds())
	if reader.Merged > 0 {
		fmt.Fprintf(e.stdout, "%d paragraphs stood in it more than once and were taken once\n", reader.Merged)
	}
	if reader.Replaced > 0 {
		fmt.Fprintf(e.stdout, "%d documents held bytes that are not UTF-8; they became U+FFFD\n", reader.Replaced)
	}
	return nil
}

// buildIndex builds an index with progress.
func buildIndex(ctx context.Context, e env, o indexOptions, docs iter.Seq2[search.Document, error], source string) (live.Stats, error) {
	bar := newProgress(e, "documents", 0, 0)
	stats, err := live.Build(ctx, o.out, some(docs, source), live.BuildOptions{
		Params: o.params, Source: source, Progress: func(n int) { bar.set(n, 0) },
	})
	bar.close()
	if errors.Is(err, live.ErrExists) || errors.Is(err, live.ErrForeign) {
		return stats, fmt.Errorf("%w\n  nothing was changed; name another folder with --out", err)
	}
	return stats, err
}

// some makes a corpus without documents an error, since an index of nothing is
// never what anybody wanted.
func some(docs iter.Seq2[search.Document, error], source string) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		found := false
		for doc, err := range docs {
			found = true
			if !yield(doc, err) {
				return
			}
		}
		if !found {
			yield(search.Document{}, fmt.Errorf("%s holds no documents", source))
		}
	}
}
