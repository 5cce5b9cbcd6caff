package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"trawl/eval/scaffold"
)

// writeScaffold prints a scaffolding for people: the curve with its counts, λ_min in
// both versions, and by which constants.
func writeScaffold(w io.Writer, name string, r *scaffold.Report) error {
	fmt.Fprintf(w, "%s: %d tasks × %d rollouts at each of %d λ, %d failed, %d missing; %s%s\n\n",
		name, r.Tasks, r.Runs, len(r.Grid), r.Failed, r.Missing, r.Model, simulatedNote(r.Simulated))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "λ\tsteps told\tsuccess\t95 % interval\tmonotone\ttasks\trollouts\tfailed\tmissing")
	for _, p := range r.Curve {
		success, interval, fitted, tasks := "–", "", "–", 0
		if s := p.Success; s != nil {
			success, interval = fmt.Sprintf("%.3f", s.Mean), fmt.Sprintf("%.3f–%.3f", s.CI95[0], s.CI95[1])
			fitted, tasks = fmt.Sprintf("%.3f", p.Fitted), s.N
		}
		fmt.Fprintf(tw, "%s\t%.2f\t%s\t%s\t%s\t%d\t%d\t%d\t%d\n", lambdaName(p.Lambda), p.Steps, success, interval, fitted, tasks, p.Done, p.Failed, p.Missing)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if s := r.LambdaMin; s != nil {
		fmt.Fprintf(w, "λ_min       %.3f (%.3f–%.3f), mean of %d tasks; %d need no hint, %d are censored at 1\n",
			s.Mean, s.CI95[0], s.CI95[1], s.N, r.Unaided, r.Censored)
		fmt.Fprintf(w, "pooled      %.3f, of the curve above%s\n", r.Pooled.Lambda, censoredNote(r.Pooled.Censored))
		fmt.Fprintf(w, "            %s\n", r.PooledNote)
	}
	if r.Unmeasured > 0 {
		fmt.Fprintf(w, "lacking     %d tasks without any rollout done at some λ are in no figure\n", r.Unmeasured)
	}
	fmt.Fprintf(w, "leaks       %d tasks whose hints end early, before a step that states the answer; %d whose hints show a document that holds it\n",
		r.Leaks.Withheld, r.Leaks.Evident)
	fmt.Fprintf(w, "constants   θ %g, M %d, grid %s; success by %s; %d resamples, seed %d\n",
		r.Theta, r.Runs, gridText(r.Grid), r.Success, r.Resamples, r.Seed)
	if r.Runs < scaffold.DefaultRuns {
		fmt.Fprintf(w, "            fewer rollouts than the %d of the protocol: for a quick look\n", scaffold.DefaultRuns)
	}
	_, err := fmt.Fprintf(w, "\nreported of EVAL (arXiv:2602.21230), second-hand:\n  %s\nreconstructed by this project:\n  %s\n",
		strings.Join(r.Method.Reported, "\n  "), strings.Join(r.Method.Reconstruction, "\n  "))
	return err
}

func censoredNote(censored bool) string {
	if censored {
		return ", which stays below θ: censored"
	}
	return ""
}

func gridText(grid []float64) string {
	parts := make([]string, len(grid))
	for i, v := range grid {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ",")
}
