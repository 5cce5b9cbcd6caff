package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"trawl/eval"
	"trawl/eval/utility"
)

// writeEvaluation prints an evaluation for people: every figure beside its interval
// and number of questions, what is not measured, and by which constants.
func writeEvaluation(w io.Writer, name string, r *utility.Report) error {
	fmt.Fprintf(w, "%s: %d questions × %d rollouts, %d complete, %d failed, %d missing, %d unscored%s\n\n",
		name, r.Questions, r.Rollouts, r.Complete, r.Failed, r.Missing, r.Unscored, simulatedNote(r.Simulated))
	if err := writeFigures(w, r); err != nil {
		return err
	}
	writeClaims(w, r)
	fmt.Fprintf(w, "target      %s; embedder %s\nreference   %s\n", counts(r.Targets), r.Embedder, counts(r.References))
	if t := r.Traps; t.Questions > 0 {
		fmt.Fprintf(w, "traps       of %d questions: seen %d times, entered %d, left before the end %d\n", t.Questions, t.Seen, t.Entered, t.Left)
	}
	writeEntropies(w, r.Entropies)
	for _, u := range r.NotMeasured {
		fmt.Fprintf(w, "lacking     %s: %s\n", u.Figure, u.Why)
	}
	fmt.Fprintf(w, "constants   %s\n", r.Constants)
	return writeMethod(w, r)
}

// writeFigures prints the means.
func writeFigures(w io.Writer, r *utility.Report) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "\tmean\t95 % interval\tquestions")
	for _, row := range []struct {
		label string
		stat  *eval.Stat
	}{
		{"pass@1", r.PassAt1}, {"U, all rollouts", r.UAll}, {"U, correct ones", r.UCorrect},
		{"E, efficiency", r.E}, {"C, quality", r.C}, {"G_E, grounding", r.GE}, {"R_R, recovery", r.RR},
		{"KSR, facts supported", r.KSR}, {"KCR, contradicted", r.KCR}, {"KOR, omitted", r.KOR}, {"TRS, reproducibility", r.TRS},
		{"E_A, adaptability", r.EA}, {"λ_min, hints needed", r.LambdaMin},
		{"tool calls", r.Actions}, {"their cost", r.Cost}, {"repetition", r.Repetition},
	} {
		if s := row.stat; s != nil {
			fmt.Fprintf(tw, "%s\t%.3f\t%.3f–%.3f\t%d\n", row.label, s.Mean, s.CI95[0], s.CI95[1], s.N)
		} else {
			fmt.Fprintf(tw, "%s\tnot measured\t\t0\n", row.label)
		}
	}
	return tw.Flush()
}

// writeClaims prints what claims and facts came to, and who judged them.
func writeClaims(w io.Writer, r *utility.Report) {
	by := r.Entailment
	if r.Judge != "" {
		by += ", judge " + r.Judge
	}
	fmt.Fprintf(w, "\nclaims      %d from %s; %d could not be judged (%d rollouts); entailment %s\n", r.Claims, counts(r.ClaimsFrom), r.UnscoredClaims, r.Ungraded, by)
	if r.ClaimsBy == endpointClaims {
		fmt.Fprintf(w, "listed      by the judge; left out are %d invented claims, %d repeated ones and %d beyond the most of one explanation; those of %d rollouts could not be read\n",
			r.InventedClaims, r.RepeatedClaims, r.BeyondClaims, r.UnreadClaims)
	}
	if k := r.Keypoints; k.Facts > 0 {
		fmt.Fprintf(w, "facts       %d: %d supported, %d contradicted, %d omitted, %d could not be judged\n", k.Facts, k.Supported, k.Contradicted, k.Omitted, k.Unscored)
	}
}

// writeEntropies prints what E_A is made of.
func writeEntropies(w io.Writer, h utility.Entropies) {
	if h.Mean == nil {
		return
	}
	fmt.Fprintf(w, "entropies   %s: mean %.3f nats, %d of %d turns without, %d pairs", h.From, *h.Mean, h.Without, h.Turns, h.Pairs)
	if f := h.Following; f != nil {
		fmt.Fprintf(w, "; with the fall that follows %.3f (%.3f–%.3f)", f.Mean, f.CI95[0], f.CI95[1])
	}
	fmt.Fprintln(w)
}

// writeMethod prints how much the exponents matter, and whose the formulas are.
func writeMethod(w io.Writer, r *utility.Report) error {
	if r.UAll != nil {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, "\nsensitivity\tomega_e\tomega_c\tU, all rollouts\tU, correct ones")
		for _, c := range r.Sweep {
			fmt.Fprintf(tw, "\t%g\t%g\t%s\t%s\n", c.OmegaE, c.OmegaC, number3(c.UAll), number3(c.UCorrect))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nreported of EVAL (arXiv:2602.21230), second-hand:\n  %s\nreconstructed by this project:\n  %s\n",
		strings.Join(r.Method.Reported, "\n  "), strings.Join(r.Method.Reconstruction, "\n  "))
	return err
}

func number3(f *float64) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *f)
}
