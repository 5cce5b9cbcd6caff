package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/corpus/wiki"
	"trawl/internal/config"
	"trawl/search/bm25"
	"trawl/search/index"
	"trawl/search/opensearch"
)

const indexHelp = `Make a corpus searchable: read passages from files or folders and build a BM25 index.

  trawl index corpus.jsonl --out IDX
  trawl index wiki-18.jsonl.gz --out IDX --memory 4GiB
  trawl index enwiki-latest-pages-articles.xml.bz2 --out IDX
  trawl index notes/ --out IDX --format text --engine live
  trawl index wiki-18.jsonl.gz --out opensearch://127.0.0.1:9200/wiki-18

The engine bm25 writes an index once, in bounded memory, and searches it from the
disk's cache; any number of processes share it. The engine live is for corpora that
grow: run again with other sources, it adds their documents to the index, in place of
those with the same id. Both rank alike. A build that was cut short starts anew.

An address in place of a folder makes an index in an OpenSearch cluster, whose scores are
nearly the same. User and password are those of the address, or TRAWL_INDEX_USER and
TRAWL_INDEX_PASSWORD.

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
	chosen bool // params are the user's
	memory memorySize
	json   bool
	fresh  bool
}

func newIndexOptions() indexOptions {
	return indexOptions{engine: engineStatic, format: wiki.Auto, params: index.DefaultParams(), memory: bm25.DefaultMemory}
}

func newIndex(e env) *cobra.Command {
	o := newIndexOptions()
	cmd := &cobra.Command{
		Use:   "index SOURCE... --out DIR",
		Short: "Build a BM25 index of a corpus",
		Long:  indexHelp + strings.Join(wiki.Formats(), ", ") + ". Files may be compressed with gzip or bzip2.",
		Args:  needs("SOURCE", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			o.chosen = cmd.Flags().Changed("k1") || cmd.Flags().Changed("b")
			return runIndex(cmd.Context(), e, args, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "index `folder`, or opensearch://HOST[:PORT]/NAME")
	fs.StringVar(&o.engine, "engine", o.engine, "bm25: written once; live: grows")
	fs.StringVar(&o.format, "format", o.format, "format of the sources")
	fs.Float64Var(&o.params.K1, "k1", o.params.K1, "BM25's k1")
	fs.Float64Var(&o.params.B, "b", o.params.B, "BM25's b")
	fs.Var(&o.memory, "memory", "what building may take, for the engine bm25, such as 512MiB or 4GiB")
	fs.BoolVar(&o.fresh, "replace", false, "in OpenSearch: delete an index of trawl's that is there")
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
	case opensearch.IsAddress(o.out):
		for _, name := range []string{"engine", "memory"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is for an index in a folder, and --out is an address", name)
			}
		}
	case strings.Contains(o.out, "://"):
		return fmt.Errorf("--out %s: want a folder, or opensearch://HOST[:PORT]/NAME", config.RedactURL(o.out))
	case o.fresh:
		return errors.New("--replace is for an index in OpenSearch; remove a folder yourself")
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
	Terms      uint64         `json:"terms,omitempty"`
	Postings   uint64         `json:"postings,omitempty"`
	Duplicates *int           `json:"duplicates,omitempty"` // documents whose title, URL and text an earlier one has; only bm25 counts them
	Replaced   int            `json:"replaced"`
	Merged     int            `json:"merged"`
	Skipped    map[string]int `json:"skipped,omitempty"` // by reason
	Bytes      int64          `json:"bytes,omitempty"`   // of the folder
	Elapsed    float64        `json:"elapsed_s"`
}

func runIndex(ctx context.Context, e env, sources []string, o indexOptions) error {
	start := time.Now()
	reader := &wiki.Reader{Format: o.format, Paths: sources}
	r, err := buildIndex(ctx, e, o, reader, strings.Join(sources, " "))
	if err != nil {
		return err
	}
	r.Elapsed, r.Replaced, r.Merged, r.Skipped = time.Since(start).Seconds(), reader.Replaced, reader.Merged, reader.Skipped
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
		fmt.Fprintf(e.stdout, "%s: %d documents in %s (%.0f a second)", r.Index, r.Documents, took, float64(r.Documents)/r.Elapsed)
		if r.Bytes > 0 {
			fmt.Fprintf(e.stdout, ", %s", size(r.Bytes))
		}
		fmt.Fprintln(e.stdout)
	}
	if r.Duplicates != nil && *r.Duplicates > 0 {
		fmt.Fprintf(e.stdout, "%d documents have the title, URL and text of an earlier one; they are in the index all the same, with ids of their own\n", *r.Duplicates)
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(e.stdout, "left out %d %s\n", r.Skipped[reason], reason)
	}
	if r.Merged > 0 {
		fmt.Fprintf(e.stdout, "%d paragraphs stood in it more than once and were taken once\n", r.Merged)
	}
	if r.Replaced > 0 {
		fmt.Fprintf(e.stdout, "%d documents held bytes that are not UTF-8; they became U+FFFD\n", r.Replaced)
	}
}
