package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"trawl/eval"
)

// writeReport prints a report for people: every score beside its interval and
// the number of questions, and what is not in it.
func writeReport(w io.Writer, name string, r *eval.Report) error {
	fmt.Fprintf(w, "%s: %d questions × %d rollouts, %d complete, %d failed, %d missing, %d unscored%s\n",
		name, r.Questions, r.Rollouts, r.Complete, r.Failed, r.Missing, r.Unscored, simulatedNote(r.Simulated))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if r.EM != nil || r.Judge != nil {
		fmt.Fprintln(tw, "\n\tmean\t95 % interval\tquestions")
	}
	row := func(label string, s *eval.Stat) {
		if s != nil {
			fmt.Fprintf(tw, "%s\t%.3f\t%.3f–%.3f\t%d\n", label, s.Mean, s.CI95[0], s.CI95[1], s.N)
		}
	}
	row("exact match", r.EM)
	row("F1", r.F1)
	row("contains", r.Contains)
	for _, k := range slices.Sorted(maps.Keys(r.PassAt)) {
		row(fmt.Sprintf("pass@%d", k), r.PassAt[k])
	}
	for _, k := range slices.Sorted(maps.Keys(r.MajorityAt)) {
		row(fmt.Sprintf("majority@%d", k), r.MajorityAt[k])
	}
	row("judge", r.Judge)
	for _, k := range slices.Sorted(maps.Keys(r.JudgePassAt)) {
		row(fmt.Sprintf("judge pass@%d", k), r.JudgePassAt[k])
	}
	for _, k := range slices.Sorted(maps.Keys(r.JudgeMajorityAt)) {
		row(fmt.Sprintf("judge majority@%d", k), r.JudgeMajorityAt[k])
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	writeBelow(w, r)
	if err := writeRounds(w, r); err != nil {
		return err
	}
	return writeSources(w, r)
}

// writeJudged prints how much of the run a judge ruled on.
func writeJudged(w io.Writer, r *eval.Report) {
	if r.Judged == nil {
		return
	}
	fmt.Fprintf(w, "judged      %s: %d rollouts, %d unscored", r.JudgedBy, r.Judged.Rollouts, r.Judged.Unscored)
	if c := r.Judged.Calibration; c != nil {
		fmt.Fprintf(w, "; calibration error %.3f of the %d that say how sure they are", c.Error, c.N)
	}
	fmt.Fprintln(w)
}

// writeBelow prints the figures that are no scores.
func writeBelow(w io.Writer, r *eval.Report) {
	fmt.Fprintln(w)
	writeJudged(w, r)
	d := r.Diversity
	fmt.Fprintf(w, "diversity   first queries (QPD) %s, queries across rollouts (ATD) %s, document overlap %s\n",
		number(d.QPD), number(d.ATD), number(d.Overlap))
	for _, cut := range slices.Sorted(maps.Keys(r.Retrieval.RecallAt)) {
		fmt.Fprintf(w, "recall@%-4d %.3f of a rollout's supporting documents, %.3f of all rollouts together\n",
			cut, r.Retrieval.RecallAt[cut], r.Retrieval.RecallPooledAt[cut])
	}
	c := r.Cost
	estimated := ""
	if c.Estimated {
		estimated = " (estimated)"
	}
	fmt.Fprintf(w, "cost        %d model calls, %d prompt tokens (%d cached), %d completion tokens%s, %d searches, %.1f s of wall time\n",
		c.LLMCalls, c.PromptTokens, c.CachedTokens, c.CompletionTokens, estimated, c.Searches, c.WallS)
	fmt.Fprintf(w, "ended       %s\nanswers     %s\n", counts(r.Terminations), counts(r.AnswerSources))
}

// writeSources prints the scores of each data set that the questions come from.
func writeSources(w io.Writer, r *eval.Report) error {
	if len(r.BySource) == 0 {
		return nil
	}
	k := slices.Max(slices.Collect(maps.Keys(r.PassAt)))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "\nsource\tquestions\texact match\tF1\tpass@%d\trecall@3\trecall@10\tof all rollouts\n", k)
	for _, name := range slices.Sorted(maps.Keys(r.BySource)) {
		s := r.BySource[name]
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\t%.3f\t%.3f\t%.3f\n", name, s.Questions, meanOf(s.EM), meanOf(s.F1), meanOf(s.PassAt[k]),
			s.Retrieval.RecallAt[3], s.Retrieval.RecallAt[10], s.Retrieval.RecallPooledAt[10])
	}
	return tw.Flush()
}

func meanOf(s *eval.Stat) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", s.Mean)
}

func number(f *float64) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *f)
}

// counts lists a tally, the most frequent first.
func counts[K ~string](m map[K]int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(string(a), string(b))
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return strings.Join(parts, ", ")
}
