package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"trawl/search"
	"trawl/search/bm25"
)

const benchBM25Help = `Measure the static BM25 index, and bleve's own match query on the same passages and
questions beside it: building, opening, searching with one and with several goroutines.

Passages are made up, about 100 words each, with Wikipedia's shares of function words,
a Zipf–Mandelbrot law for the others, and topics; or they are those of --corpus, again
and again under other ids if they are fewer than --passages. They are written to a file
first, which is in no figure; reading it is part of building. Each engine builds and
searches in a process of its own, whose time and memory are its alone.

Questions have 5 to 12 words, each about one of the passages; or they are the lines of
--queries, which may be JSON objects with a "question". All are asked once before
anything is measured. The time of a search is that from asking to the answer, the wait
for a core included; bm25 reads the texts of its ten passages, bleve returns ids.

The top 10 of both our engines are compared on a part of the passages. A million
passages take some minutes and 2 GB of disk, most of both for bleve.`

// A benchBM25Options is what a benchmark of the index is about.
type benchBM25Options struct {
	passages   int
	corpus     string
	queries    string
	seed       int64
	goroutines int
	against    string
	memory     memorySize
	dir        string
	measure    time.Duration
	json       bool
}

const againstNone = "none"

func newBenchBM25(e env) *cobra.Command {
	o := benchBM25Options{memory: bm25.DefaultMemory}
	cmd := &cobra.Command{
		Use:   "bm25",
		Short: "The speed of the BM25 index",
		Long:  benchBM25Help,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			r, err := benchBM25(cmd.Context(), e, o)
			if err != nil {
				return err
			}
			if o.json {
				err = writeJSON(e.stdout, r)
			} else {
				err = r.write(e.stdout)
			}
			return errors.Join(err, r.Check.err())
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.passages, "passages", 1_000_000, "passages")
	fs.StringVar(&o.corpus, "corpus", "", "take passages from this `file` instead of making them up")
	fs.StringVar(&o.queries, "queries", "", "take questions from this `file` instead of making them up")
	fs.Int64Var(&o.seed, "seed", 1, "seed of passages and questions")
	fs.IntVar(&o.goroutines, "goroutines", 16, "searches at once")
	fs.StringVar(&o.against, "against", engineBleve, "bleve: what bm25 is compared with; none: nothing")
	fs.Var(&o.memory, "memory", "what building may take")
	fs.StringVar(&o.dir, "dir", "", "`folder` for passages and indexes, which stay; default a temporary one")
	fs.DurationVar(&o.measure, "measure", 2*time.Second, "how long each measurement of searches takes at least")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	cmd.AddCommand(newBenchBM25Part(e))
	return cmd
}

// check reports options that nobody can want.
func (o benchBM25Options) check() error {
	switch {
	case min(o.passages, o.goroutines) < 1 || o.measure <= 0:
		return errors.New("--passages and --goroutines must be 1 or more, --measure more than 0")
	case o.against != engineBleve && o.against != againstNone:
		return fmt.Errorf("--against %s: want %s or %s", o.against, engineBleve, againstNone)
	}
	return nil
}

func benchBM25(ctx context.Context, e env, o benchBM25Options) (r *bm25Result, err error) {
	work, clean, err := workFolder(o.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, clean(err)) }()
	b := &bm25Bench{benchBM25Options: o, env: e, work: work}
	b.result = &bm25Result{Top: benchTop, CPUs: runtime.GOMAXPROCS(0), Goroutines: o.goroutines, Memory: int64(o.memory)}
	for _, step := range []func(context.Context) error{b.prepare, b.measureOurs, b.measureBleve} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	b.result.conclude()
	return b.result, nil
}

// workFolder returns a folder for the files of a benchmark, and what is to be done
// with it at the end: a temporary one is removed, and one that was asked for is
// emptied if the benchmark failed.
func workFolder(dir string) (work string, clean func(error) error, err error) {
	if dir == "" {
		work, err = os.MkdirTemp("", "trawl-bench-")
		return work, func(error) error { return os.RemoveAll(work) }, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	if len(entries) > 0 {
		return "", nil, fmt.Errorf("bench: --dir %s is not empty; name a new folder", dir)
	}
	return dir, func(failed error) error {
		if failed == nil {
			return nil
		}
		entries, err := os.ReadDir(dir)
		for _, entry := range entries {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
		}
		return err
	}, nil
}

// A bm25Bench is a benchmark under way.
type bm25Bench struct {
	benchBM25Options
	env    env
	work   string
	result *bm25Result
}

// prepare writes passages and questions, and compares rankings on some of them.
func (b *bm25Bench) prepare(ctx context.Context) error {
	sample, err := b.writePassages(ctx)
	if err != nil {
		return err
	}
	queries, err := b.writeQueries(sample)
	if err != nil {
		return err
	}
	told := b.env.waiting("comparing rankings")
	defer told()
	b.result.Check, err = checkRanking(ctx, b.work, sample, queries)
	return err
}

// writePassages writes the passages and returns some of them, spread evenly.
func (b *bm25Bench) writePassages(ctx context.Context) ([]search.Document, error) {
	start, r := time.Now(), b.result
	r.Passages, r.Distinct, r.Source = b.passages, b.passages, fmt.Sprintf("made up, seed %d", b.seed)
	var docs iter.Seq2[search.Document, error]
	if b.corpus != "" {
		r.Distinct, r.Source = 0, b.corpus
		docs = corpusPassages(b.corpus, b.passages, &r.Distinct)
	} else {
		docs = syntheticPassages(newSynthetic(b.seed), b.passages)
	}
	bar := newProgress(b.env, "passages written", 0, b.passages)
	defer bar.close()
	stride := (b.passages + checkPassages - 1) / checkPassages
	info, err := writePassages(ctx, filepath.Join(b.work, passagesFile), telling(docs, bar), stride)
	r.PassageBytes, r.WriteS = info.bytes, time.Since(start).Seconds()
	return info.sample, err
}

// writeQueries writes the questions.
func (b *bm25Bench) writeQueries(sample []search.Document) (queries []string, err error) {
	if b.queries != "" {
		queries, err = readQueries(b.queries, benchQueries)
	} else {
		queries, err = queriesFromPassages(b.seed, sample, benchQueries)
	}
	if err != nil {
		return nil, err
	}
	b.result.Queries, b.result.QuerySource = len(queries), b.queries
	raw, err := json.Marshal(queries)
	if err != nil {
		return nil, err
	}
	return queries, os.WriteFile(filepath.Join(b.work, queriesFile), raw, 0o666)
}

func (b *bm25Bench) measureOurs(ctx context.Context) (err error) {
	b.result.BM25, err = b.measureEngine(ctx, engineStatic)
	return err
}

func (b *bm25Bench) measureBleve(ctx context.Context) (err error) {
	if b.against == againstNone {
		return nil
	}
	b.result.Bleve, err = b.measureEngine(ctx, engineBleve)
	b.result.BleveNote = bleveNote
	return err
}

// measureEngine has an engine build its index and search it.
func (b *bm25Bench) measureEngine(ctx context.Context, engine string) (*engineCost, error) {
	p := bm25Part{engine: engine, work: b.work, passages: b.passages, memory: b.memory, goroutines: b.goroutines, measure: b.measure}
	built, err := p.start(ctx, b.env, "build")
	if err != nil {
		return nil, err
	}
	told := b.env.waiting("searching with %s", engine)
	defer told()
	searched, err := p.start(ctx, b.env, "search")
	if err != nil {
		return nil, err
	}
	return &engineCost{Build: *built.Build, OpenMS: searched.OpenMS, Search: searched.Search}, nil
}
