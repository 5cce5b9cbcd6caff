package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// write prints the result for people.
func (r *bm25Result) write(w io.Writer) error {
	r.writeSubject(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "\nbuilding\tpassages/s\tper CPU-second\tcores\tpeak memory\ton disk\topened in")
	fmt.Fprintln(tw, r.buildRow(engineStatic, r.BM25))
	if r.Bleve != nil {
		fmt.Fprintln(tw, r.buildRow(engineBleve, r.Bleve))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	r.writeBytes(w)
	fmt.Fprintf(tw, "\nsearching\tgoroutines\tp50 ms\tp95 ms\tp99 ms\tCPU ms\tqueries/s\thits\tqueries\n")
	for _, s := range r.BM25.Search {
		fmt.Fprintln(tw, searchRow(engineStatic, s))
	}
	if r.Bleve != nil {
		for _, s := range r.Bleve.Search {
			fmt.Fprintln(tw, searchRow(engineBleve, s))
		}
	}
	for _, x := range r.Ratios {
		fmt.Fprintf(tw, "bleve / bm25\t%d\t%.1f\t%.1f\t\t%.1f\n", x.Goroutines, x.P50, x.P95, x.CPU)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if err := r.writeTargets(w, tw); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nExtrapolated to the %s passages of Wikipedia's 2018 corpus, everything linear in passages,\nthough reading ten texts, much of a short search, takes as long there:\n", humanize.Comma(wikipediaCorpus))
	for _, line := range r.Wikipedia.Arithmetic {
		fmt.Fprintln(w, " ", line)
	}
	return nil
}

// writeSubject says what was measured.
func (r *bm25Result) writeSubject(w io.Writer) {
	fmt.Fprintf(w, "%s passages (%s), %s of text, written beforehand in %.1f s that count nowhere\n",
		humanize.Comma(int64(r.Passages)), r.Source, size(r.PassageBytes), r.WriteS)
	if r.Distinct < r.Passages {
		fmt.Fprintf(w, "%s of them are distinct; the others are the same under other ids, which no real corpus has\n", humanize.Comma(int64(r.Distinct)))
	}
	from := "made of passages"
	if r.QuerySource != "" {
		from = "of " + r.QuerySource
	}
	fmt.Fprintf(w, "%d questions %s, top %d; %d CPUs, whatever else they did at the time\n", r.Queries, from, r.Top, r.CPUs)
	c := r.Check
	if c.Equal == c.Queries {
		fmt.Fprintf(w, "top %d equal to search/live on %s of these passages, %d queries\n", r.Top, humanize.Comma(int64(c.Passages)), c.Queries)
	} else {
		fmt.Fprintf(w, "top %d DIFFERS from search/live on %s of these passages for %d of %d queries\n", r.Top, humanize.Comma(int64(c.Passages)), c.Queries-c.Equal, c.Queries)
	}
	if r.BleveNote != "" {
		fmt.Fprintf(w, "bleve: %s\n", r.BleveNote)
	}
}

func (r *bm25Result) buildRow(engine string, c *engineCost) string {
	b := c.Build
	return fmt.Sprintf("%s\t%.0f\t%.0f\t%.2f\t%s\t%s\t%.1f ms", engine, b.PerSecond, b.PerCPUSecond, b.Cores, size(b.PeakRSS), size(b.Bytes), c.OpenMS)
}

// writeBytes says what the bytes of our index are.
func (r *bm25Result) writeBytes(w io.Writer) {
	b := r.BM25.Build
	fmt.Fprintf(w, "bm25 has %s postings of %s terms, %.2f bytes each (%.2f with the dictionary), and texts of %.0f bytes a passage\n",
		humanize.Comma(int64(b.Postings)), humanize.Comma(int64(b.Terms)), b.PerPosting, b.WithTerms, b.TextEach)
	if r.Bleve != nil {
		fmt.Fprintf(w, "bleve has no texts, and %d segments\n", r.Bleve.Build.Segments)
	}
}

func searchRow(engine string, s searchCost) string {
	return fmt.Sprintf("%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.0f\t%.1f\t%d", engine, s.Goroutines, s.P50, s.P95, s.P99, s.CPUEach, s.PerSecond, s.Hits, s.Queries)
}

func (r *bm25Result) writeTargets(w io.Writer, tw *tabwriter.Writer) error {
	fmt.Fprintln(w)
	for _, t := range r.Targets {
		bound, met := "at least", "met"
		if t.AtMost {
			bound = "at most"
		}
		if !t.Met {
			met = "not met"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s %s\t%s\n", t.What, humanize.CommafWithDigits(t.Value, 2), bound, humanize.CommafWithDigits(t.Target, 2), met)
	}
	return tw.Flush()
}
