package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/corpus/wiki"
	"trawl/search"
	"trawl/search/bm25"
	"trawl/search/index"
	"trawl/search/live"
)

const indexHelp = `Make a corpus searchable: read passages from files or folders and build a BM25 index.

  trawl index corpus.jsonl --out IDX
  trawl index wiki-18.jsonl.gz --out IDX --memory 4GiB
  trawl index notes/ --out IDX --format text --engine live

The engine bm25 writes an index once, in bounded memory, and searches it from the
disk's cache; any number of processes share it. The engine live is for corpora that
grow: run again with other sources, it adds their documents to the index, in place of
those with the same id. Both rank alike. A build that was cut short starts anew.

Formats: `

// The engines of indexes in folders.
const (
	engineStatic = "bm25"
	engineLive   = "live"
)

// An indexOptions is what trawl index was asked to do.
type indexOptions struct {
	out    string
	engine string
	format string
	params index.Params
	memory memorySize
	json   bool
}

func newIndexOptions() indexOptions {
	return indexOptions{engine: engineStatic, format: wiki.Auto, params: index.DefaultParams(), memory: bm25.DefaultMemory}
}

func newIndex(e env) *cobra.Command {
	o := newIndexOptions()
	cmd := &cobra.Command{
		Use:   "index SOURCE... --out DIR",
		Short: "Build a BM25 index of a corpus",
		Long:  indexHelp + strings.Join(wiki.Formats(), ", ") + ". All but text may be gzipped.",
		Args:  needs("SOURCE", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			return runIndex(cmd.Context(), e, args, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "index `folder`")
	fs.StringVar(&o.engine, "engine", o.engine, "bm25: written once; live: grows")
	fs.StringVar(&o.format, "format", o.format, "format of the sources")
	fs.Float64Var(&o.params.K1, "k1", o.params.K1, "BM25's k1")
	fs.Float64Var(&o.params.B, "b", o.params.B, "BM25's b")
	fs.Var(&o.memory, "memory", "what building may take, for the engine bm25, such as 512MiB or 4GiB")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	required(cmd, "out")
	return cmd
}

// check reports options that nobody can want.
func (o indexOptions) check(cmd *cobra.Command) error {
	switch {
	case !slices.Contains(wiki.Formats(), o.format):
		return fmt.Errorf("--format %s: want one of %s", o.format, strings.Join(wiki.Formats(), ", "))
	case o.engine != engineStatic && o.engine != engineLive:
		return fmt.Errorf("--engine %s: want %s or %s", o.engine, engineStatic, engineLive)
	case o.engine == engineLive && cmd.Flags().Changed("memory"):
		return errors.New("--memory is for the engine bm25; live takes memory for a few batches of 8 MiB of text, however many documents there are")
	}
	return o.params.Validate()
}

// An indexResult is what came of building an index, as --json prints it.
type indexResult struct {
	Index      string         `json:"index"`
	Engine     string         `json:"engine"`
	Documents  int            `json:"documents"`
	Added      *int           `json:"added,omitempty"` // to an index that was there; and how many of its documents were replaced
	Updated    *int           `json:"updated,omitempty"`
	Terms      uint64         `json:"terms"`
	Postings   uint64         `json:"postings,omitempty"`
	Duplicates int            `json:"duplicates"` // documents whose title, URL and text an earlier one has; counted by bm25 only
	Replaced   int            `json:"replaced"`
	Merged     int            `json:"merged"`
	Skipped    map[string]int `json:"skipped,omitempty"` // by reason
	Bytes      int64          `json:"bytes"`             // on disk
	Elapsed    float64        `json:"elapsed_s"`
}

func runIndex(ctx context.Context, e env, sources []string, o indexOptions) error {
	start := time.Now()
	reader := &wiki.Reader{Format: o.format, Paths: sources}
	r, err := buildIndex(ctx, e, o, reader, strings.Join(sources, " "))
	if err != nil {
		return err
	}
	r.Elapsed, r.Replaced, r.Merged = time.Since(start).Seconds(), reader.Replaced, reader.Merged
	if o.json {
		return writeJSON(e.stdout, r)
	}
	r.write(e)
	return nil
}

func (r *indexResult) write(e env) {
	took := time.Duration(r.Elapsed * float64(time.Second)).Round(100 * time.Millisecond)
	if r.Added != nil {
		fmt.Fprintf(e.stdout, "%s: %d documents added and %d replaced in %s; it has %d\n", r.Index, *r.Added, *r.Updated, took, r.Documents)
	} else {
		fmt.Fprintf(e.stdout, "%s: %d documents in %s (%.0f a second), %s\n", r.Index, r.Documents, took, float64(r.Documents)/r.Elapsed, size(r.Bytes))
	}
	if r.Duplicates > 0 {
		fmt.Fprintf(e.stdout, "%d documents have the title, URL and text of an earlier one; they are in the index all the same, with ids of their own\n", r.Duplicates)
	}
	if r.Merged > 0 {
		fmt.Fprintf(e.stdout, "%d paragraphs stood in it more than once and were taken once\n", r.Merged)
	}
	if r.Replaced > 0 {
		fmt.Fprintf(e.stdout, "%d documents held bytes that are not UTF-8; they became U+FFFD\n", r.Replaced)
	}
}

// buildIndex builds an index with progress, or adds to one.
func buildIndex(ctx context.Context, e env, o indexOptions, reader *wiki.Reader, source string) (*indexResult, error) {
	bar := newProgress(e, "documents", 0, 0)
	r := &indexResult{Index: o.out, Engine: o.engine}
	docs := some(reader.All(), source)
	tell := func(n int) { bar.set(n, 0) }
	var err error
	if o.engine == engineLive {
		err = r.buildLive(ctx, o, docs, live.BuildOptions{Params: o.params, Source: source, Progress: tell})
	} else {
		err = r.buildStatic(ctx, o, docs, bm25.Options{Params: o.params, Memory: int64(o.memory), Source: source, Progress: tell})
	}
	bar.close()
	switch {
	case errors.Is(err, index.ErrExists):
		return nil, fmt.Errorf("%w\n  nothing was changed; name another folder with --out%s", err, addingHint(o))
	case errors.Is(err, index.ErrForeign):
		return nil, fmt.Errorf("%w\n  nothing was changed; name another folder with --out", err)
	case err != nil:
		return nil, err
	}
	r.Bytes, err = folderSize(o.out)
	return r, err
}

// addingHint says how documents come into an index that is there, if they can.
func addingHint(o indexOptions) string {
	if kind, err := index.KindOf(o.out); err == nil && kind.Format == index.Live.Format && o.engine != engineLive {
		return ", or add to this one with --engine live"
	}
	return ""
}

func (r *indexResult) buildStatic(ctx context.Context, o indexOptions, docs iter.Seq2[search.Document, error], opts bm25.Options) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(opts.Memory))
	stats, err := bm25.Build(ctx, o.out, docs, opts)
	r.Documents, r.Terms, r.Postings, r.Duplicates = stats.Documents, stats.Terms, stats.Postings, stats.Duplicates
	return err
}

// buildLive builds a live index, or adds to the one that is there.
func (r *indexResult) buildLive(ctx context.Context, o indexOptions, docs iter.Seq2[search.Document, error], opts live.BuildOptions) error {
	if kind, err := index.KindOf(o.out); err != nil || kind.Format != index.Live.Format {
		stats, err := live.Build(ctx, o.out, docs, opts)
		r.Documents, r.Terms = stats.Documents, stats.Terms
		return err
	}
	change, err := live.Extend(ctx, o.out, docs, opts)
	r.Documents, r.Terms, r.Added, r.Updated = change.Documents, change.Terms, &change.Added, &change.Replaced
	return err
}

// folderSize returns what the files in a folder take.
func folderSize(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
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
