package main

import (
	"fmt"
	"strconv"
	"strings"

	"trawl/trajectory/exchange"
)

// tell says what was imported.
func (im *imported) tell(e env, made bool) error {
	t, questions, k := im.roster.Tally(), len(im.roster.Questions()), im.roster.Rollouts()
	judged := len(im.roster.Verdicts())
	without := im.without()
	if im.opts.json {
		return writeJSON(e.stdout, map[string]any{
			"run": im.opts.out, "made": made, "rollouts": t.Records, "questions": questions, "rollouts_a_question": k, "failed": t.Failed,
			"answered": t.Answered, "calls": t.Calls, "calls_without_documents_read": t.Unread, "verdicts": judged,
			"contradicting_verdicts": t.Contradicts, "questions_without_rollouts": len(without), "questions_left_out": append([]string{}, without...), "files_without_rollouts": append([]string{}, im.blank...), "retried": t.Retried,
			"endings": im.roster.Endings(), "not_carried_over": lostCounts(im.roster.Lost()),
		})
	}
	verb := "imported"
	if !made {
		verb = "holds already, and is left as it was:"
	}
	fmt.Fprintf(e.stdout, "%s: %s %d rollouts of %d questions, up to %d a question; %d failed, %d have an answer\n", im.opts.out, verb, t.Records, questions, k, t.Failed, t.Answered)
	fmt.Fprintf(e.stdout, "calls: %d, of which %d are kept as the text that was shown: no documents could be told in it\n", t.Calls, t.Unread)
	if t.Retried > 0 {
		fmt.Fprintf(e.stdout, "tried again: %d lines more are of rollouts that failed in one of them; what did not fail counts\n", t.Retried)
	}
	fmt.Fprintf(e.stdout, "ended: %s\n", endings(im.roster.Endings()))
	if judged > 0 {
		fmt.Fprintf(e.stdout, "verdicts: of %d answers by %s; %d lines contradict an earlier one on the same answer and hold for their rollout alone\n", judged, im.roster.Verdicts()[0].Judge, t.Contradicts)
	}
	tellLost(e, im.roster.Lost())
	if len(im.blank) > 0 {
		fmt.Fprintf(e.stderr, "trawl: %d files hold no rollout: %s\n", len(im.blank), theFirst(im.blank))
	}
	if len(without) > 0 {
		fmt.Fprintf(e.stderr, "trawl: %d questions of the data set have no rollout: they count as missing; a data set of the others alone does not: %s\n", len(without), theFirst(without))
	}
	fmt.Fprintf(e.stdout, "next: trawl score %s; trawl select %s\n", im.opts.out, im.opts.out)
	return nil
}

// without returns the ids of the questions of the data set that no rollout is of.
func (im *imported) without() []string {
	if im.set == nil {
		return nil
	}
	has := map[string]bool{}
	for _, q := range im.roster.Questions() {
		has[q.ID] = true
	}
	var ids []string
	for _, ex := range im.set.Examples {
		if !has[ex.ID] {
			ids = append(ids, ex.ID)
		}
	}
	return ids
}

// theFirst names the first of many.
func theFirst(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// endings says how rollouts ended: in their program's words, and in trawl's.
func endings(all []exchange.Ending) string {
	var parts []string
	for _, e := range all {
		word := "no word"
		if e.Word != "" {
			word = strconv.Quote(e.Word)
		}
		parts = append(parts, fmt.Sprintf("%s %d (%s)", word, e.Count, e.Is))
	}
	return strings.Join(parts, ", ")
}

// tellLost says what could not be carried over.
func tellLost(e env, lost []exchange.Loss) {
	var parts []string
	for _, l := range lost {
		parts = append(parts, fmt.Sprintf("%s %d", l.Key, l.Count))
	}
	if len(parts) > 0 {
		fmt.Fprintf(e.stdout, "not carried over: %s\n", strings.Join(parts, ", "))
	}
}

// lostCounts returns losses as a JSON object has them.
func lostCounts(lost []exchange.Loss) map[string]int {
	out := make(map[string]int, len(lost))
	for _, l := range lost {
		out[l.Key] = l.Count
	}
	return out
}
