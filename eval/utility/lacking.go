package utility

import "fmt"

// explain says what is not measured, and what is so only in part.
func (r *Report) explain(logprobs int) {
	say := func(figure, format string, args ...any) {
		r.NotMeasured = append(r.NotMeasured, Unmeasured{figure, fmt.Sprintf(format, args...)})
	}
	if r.Unscored > 0 || r.Targets[unknown] == r.Questions {
		say("pass@1, U, E", "%d of %d questions have no gold answer", r.Targets[unknown], r.Questions)
	}
	if n := r.References[unknown] - r.Targets[unknown]; n > 0 {
		say("E", "%d questions have neither a reference nor a correct rollout", n)
	}
	if r.Ungraded > 0 {
		say("G_E, C, U", "%d of %d rollouts have claims that could not be listed or judged; their %d questions are left out whole", r.Ungraded, r.Complete, r.LeftOut)
	}
	r.explainKeypoints(say)
	if n := r.ClaimsFrom[FromNothing]; n > 0 {
		say("G_E, C", "%d rollouts have no answer", n)
	}
	if r.Traps.Questions < r.Questions {
		say("R_R", "no traps are known of %d of %d questions; C takes 1 there", r.Questions-r.Traps.Questions, r.Questions)
	}
	if n := r.trapsWithoutGold(); n > 0 {
		say("R_R", "%d questions with traps have no gold answer, without which nothing is a gain; C takes 1 there", n)
	}
	if r.Traps.Unseeable > 0 {
		say("R_R", "%d traps cannot be seen: nothing tells that their claim is believed", r.Traps.Unseeable)
	}
	if r.TRS == nil {
		say("TRS", "no question has %d completed rollouts", minRuns)
	}
	if why := r.lacksEntropy(logprobs); why != "" {
		say("E_A", "%s", why)
	}
	if r.LambdaMin == nil {
		say("lambda_min", "it needs new rollouts that begin with hints, which trawl scaffold RUN makes")
	}
}

// trapsWithoutGold counts the questions whose traps are of no use.
func (r *Report) trapsWithoutGold() int {
	n := 0
	for _, q := range r.Details {
		if q.Traps > 0 && q.Target == unknown {
			n++
		}
	}
	return n
}

// explainKeypoints says which rollouts have no keypoint rates.
func (r *Report) explainKeypoints(say func(figure, format string, args ...any)) {
	without := 0
	for _, q := range r.Details {
		if q.Facts == 0 {
			without++
		}
	}
	if without > 0 {
		say("KSR, KCR, KOR", "no facts are known of %d of %d questions", without, r.Questions)
	}
	if r.Keypoints.Unscored > 0 {
		say("KSR, KCR, KOR", "%d of %d facts could not be judged; their %d questions are left out whole", r.Keypoints.Unscored, r.Keypoints.Facts, r.Keypoints.LeftOut)
	}
}
