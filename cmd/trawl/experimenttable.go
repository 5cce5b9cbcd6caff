package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"trawl/eval"
)

// tell prints what the arms came to and where the report is. Failed rollouts make it
// an error, so that a script notices.
func (t *trial) tell() error {
	page := filepath.Join(t.reportFolder(), "index.html")
	var err error
	if t.options.json {
		err = t.writeJSON(page)
	} else {
		err = t.writeTable(page)
	}
	errs := append([]error{err}, t.errs...)
	if t.failed > 0 {
		errs = append(errs, fmt.Errorf("%d rollouts failed and are in no figure; the same command tries them again", t.failed))
	}
	return errors.Join(errs...)
}

// writeJSON prints the scores of all arms for machines.
func (t *trial) writeJSON(page string) error {
	type armScore struct {
		Name    string       `json:"name"`
		Run     string       `json:"run"`
		Command string       `json:"command"`
		Score   *eval.Report `json:"score"`
	}
	arms := make([]armScore, len(t.arms))
	for i, a := range t.arms {
		arms[i] = armScore{a.name, a.dir, a.command, t.scores[i]}
	}
	return writeJSON(t.env.stdout, map[string]any{
		"experiment": t.experiment.Name, "baseline": t.experiment.Baseline, "report": page, "arms": arms, "failed": t.failed, "simulated": t.simulated(),
		"simulation": append([]drawnVotes{}, t.drawn...),
	})
}

// writeTable prints a row for each arm, and what was simulated.
func (t *trial) writeTable(page string) error {
	w := t.env.stdout
	fmt.Fprintf(w, "%s%s\n\n", t.experiment.Title, simulatedNote(t.simulated()))
	if len(t.arms) > 0 {
		if err := t.writeArms(w); err != nil {
			return err
		}
		fmt.Fprint(w, "\nMeans with 95 % bootstrap intervals over questions")
		if len(t.arms) > 1 {
			fmt.Fprintf(w, "; differences to %s, paired, are in the report", t.experiment.Baseline)
		}
		fmt.Fprint(w, ".\n\n")
	}
	if err := t.writeSimulation(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s  the report: open it in a browser\n", page)
	return err
}

// writeArms prints a row for each arm: its figures at all its rollouts, those by k in
// a column for each number of rollouts that an arm has.
func (t *trial) writeArms(w io.Writer) error {
	var ks []int
	for _, a := range t.arms {
		ks = append(ks, a.settings.Rollout.Count)
	}
	slices.Sort(ks)
	ks = slices.DeleteFunc(slices.Compact(ks), func(k int) bool { return k == 1 }) // which is exact match
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "arm\tquestions\tk\trounds\texact match")
	for _, k := range ks {
		fmt.Fprintf(tw, "\tpass@%d\tmajority@%d", k, k)
	}
	fmt.Fprintln(tw, "\tQPD\tcomplete\tfailed\tmissing")
	for i, a := range t.arms {
		r := t.scores[i]
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%s", a.name, r.Questions, r.Rollouts, a.settings.Recursion.Rounds, interval(r.EM))
		for _, k := range ks {
			fmt.Fprintf(tw, "\t%s\t%s", interval(r.PassAt[k]), interval(r.MajorityAt[k]))
		}
		fmt.Fprintf(tw, "\t%s\t%d\t%d\t%d\n", number(r.Diversity.QPD), r.Complete, r.Failed, r.Missing)
	}
	return tw.Flush()
}

// interval returns a mean with its interval.
func interval(s *eval.Stat) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f (%.3f–%.3f)", s.Mean, s.CI95[0], s.CI95[1])
}

// simulated reports whether a run is of the simulated model.
func (t *trial) simulated() bool {
	return slices.ContainsFunc(t.scores, func(r *eval.Report) bool { return r.Simulated })
}
