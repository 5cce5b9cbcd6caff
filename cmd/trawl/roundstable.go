package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"trawl/eval"
)

// writeRounds prints what each round was worth and what it cost, if there are
// several.
func writeRounds(w io.Writer, r *eval.Report) error {
	if len(r.Rounds) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(label string, cell func(*eval.Round) string) {
		cells := make([]string, len(r.Rounds))
		for i := range r.Rounds {
			cells[i] = cell(&r.Rounds[i])
		}
		fmt.Fprintf(tw, "%s\t%s\n", label, strings.Join(cells, "\t"))
	}
	row("round", func(x *eval.Round) string { return fmt.Sprint(x.Round) })
	scores := []struct {
		label string
		of    func(*eval.Round) *eval.Stat
	}{
		{"RT, right after this round", func(x *eval.Round) *eval.Stat { return x.RT }},
		{"AP, right after this or an earlier one", func(x *eval.Round) *eval.Stat { return x.AP }},
		{fmt.Sprintf("pass@%d", r.Rollouts), func(x *eval.Round) *eval.Stat { return x.Pass }},
		{fmt.Sprintf("majority@%d", r.Rollouts), func(x *eval.Round) *eval.Stat { return x.Majority }},
	}
	for _, s := range scores {
		if r.EM != nil {
			row(s.label, func(x *eval.Round) string { return statOf3(s.of(x)) })
		}
	}
	row("rollouts done, stopped before, failed, missing", func(x *eval.Round) string {
		return fmt.Sprintf("%d, %d, %d, %d", x.Complete, x.Stopped, x.Failed, x.Missing)
	})
	row("searches of a rollout", func(x *eval.Round) string { return fmt.Sprintf("%.2f", x.Resources.PerRollout.Searches) })
	row("model calls, with the summary", func(x *eval.Round) string {
		return fmt.Sprintf("%.2f", x.Resources.PerRollout.LLMCalls+x.Resources.PerSummary.LLMCalls)
	})
	row("prompt + completion tokens of a rollout", func(x *eval.Round) string { return tokensOf(x.Resources.PerRollout.Calls) })
	row("and of its summary", func(x *eval.Round) string { return tokensOf(x.Resources.PerSummary) })
	row("of the prompts cached", func(x *eval.Round) string {
		p := x.Resources
		return share(p.PerRollout.CachedTokens+p.PerSummary.CachedTokens, p.PerRollout.PromptTokens+p.PerSummary.PromptTokens)
	})
	row("seconds, with the summary", func(x *eval.Round) string {
		return fmt.Sprintf("%.2f", x.Resources.PerRollout.Seconds+x.Resources.PerSummary.Seconds)
	})
	row("searches made before by the rollout", func(x *eval.Round) string { return percent(x.DuplicateQueries) })
	row("… by any rollout of the question", func(x *eval.Round) string { return percent(x.DuplicatesAcross) })
	row("branches left of those planned before", func(x *eval.Round) string {
		if x.Branches.Planned == 0 {
			return "–"
		}
		return fmt.Sprintf("%s (%d of %d)", percent(x.Branches.LeftShare), x.Branches.Left, x.Branches.Planned)
	})
	row("states", func(x *eval.Round) string { return counts(x.States.Origins) })
	if err := tw.Flush(); err != nil {
		return err
	}
	if open := r.Rounds[len(r.Rounds)-1].Branches.Open; open != nil {
		fmt.Fprintf(w, "branches open at the end: %d\n", *open)
	}
	return nil
}

func tokensOf(c eval.Calls) string {
	return fmt.Sprintf("%.0f + %.0f", c.PromptTokens, c.CompletionTokens)
}

func statOf3(s *eval.Stat) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", s.Mean, s.CI95[0], s.CI95[1])
}

func share(part, whole float64) string {
	if whole == 0 {
		return "–"
	}
	part /= whole
	return percent(&part)
}

func percent(f *float64) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", *f*100)
}
