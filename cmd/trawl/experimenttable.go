package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"trawl/eval"
	"trawl/internal/experiment"
)

// tell prints what the arms came to and where the report is. Failed rollouts make it
// an error, so that a script notices.
func (t *trial) tell() error {
	page := filepath.Join(t.folder(experiment.ReportFolder), "index.html")
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
	})
}

// writeTable prints a row for each arm: its figures at all its rollouts.
func (t *trial) writeTable(page string) error {
	w := t.env.stdout
	fmt.Fprintf(w, "%s%s\n\n", t.experiment.Title, simulatedNote(t.simulated()))
	if len(t.arms) > 0 {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, "arm\tquestions\tk\texact match\tpass@k\tmajority@k\tQPD\tcomplete\tfailed\tmissing")
		for i, a := range t.arms {
			r := t.scores[i]
			k := 0
			for at := range maps.Keys(r.PassAt) {
				k = max(k, at)
			}
			fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t%d\n", a.name, r.Questions, r.Rollouts,
				interval(r.EM), interval(r.PassAt[k]), interval(r.MajorityAt[k]), number(r.Diversity.QPD), r.Complete, r.Failed, r.Missing)
		}
		if err := tw.Flush(); err != nil {
			return err
		}
		fmt.Fprint(w, "\nMeans with 95 % bootstrap intervals over questions")
		if len(t.arms) > 1 {
			fmt.Fprintf(w, "; differences to %s, paired, are in the report", t.experiment.Baseline)
		}
		fmt.Fprintln(w, ".")
	}
	_, err := fmt.Fprintf(w, "%s  the report: open it in a browser\n", page)
	return err
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
