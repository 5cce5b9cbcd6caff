// Package utility evaluates how rollouts reached their answers, not only whether
// they are right: [Run] makes the [Report] of a run; [Gains], [Penalties],
// [Efficiency], [Grounding], [Recovery], [Quality], [Utility] and [Stability] are
// its formulas, for others that need one alone.
//
// The framework is EVAL, "Trajectory-Aware Comprehensive Evaluation"
// (arXiv:2602.21230). A rollout H that took the actions a_1…a_n and saw the
// observations o_1…o_n is worth
//
//	U(H)   = 1[correct] · E(H)^ω_E · C(H)^ω_C                            reported
//	E(H)   = R_C / J(H)                                                  reported, R_C and J open
//	p_t    = 1 + 1[g_t=0 ∧ g_{t−1}=0] · α · cos(Φ(o_t), Φ(o_{t−1}))      reported
//	C(H)   = β·G_E + (1−β)·R_R                                           reported
//	G_E    = (Π P_NLI(c_i | E_i))^{1/N}                                  reported
//	R_R    = exp(−λ · mean of D_recover over the traps entered)          reported
//
// with E its efficiency, C its quality, G_E how well the evidence carries what it
// claims, and R_R how soon it left the traps that it walked into.
//
// # Departures
//
// The paper's appendix, with all constants and some definitions, is not known here:
// the forms above come second-hand, and no figure is the paper's own. What follows
// is this project's reconstruction. Each [Report] says the same of itself
// ([Report.Method]), with the constants that it was made with.
//
//   - g_t = max(0, s_t − f_{t−1}), with s_t the cosine of the observation with the
//     target, clipped to 0…1, and the frontier f_t = max(f_{t−1}, s_t), f_0 = 0. A gain
//     below ε is none. The target is the gold answer, with the facts of the reference
//     where there is one. What a failed call showed is no gain.
//   - A cosine in p_t is clipped to 0…1, so that a penalty is no discount; p_1 = 1.
//   - J = Σ c(a_t)·p_t over the tool calls, with a table of costs c.
//   - R_C = T* + γ·ln(1+T*), with T* a cost as J is: Σ c(a) over the actions of the
//     reference or, without one, the median of Σ c(a_t) over the question's correct
//     rollouts, no less than the cheapest action, or who calls once where most call
//     nothing would have E = 0. E = min(1, R_C/J), and 1 for a rollout that called
//     nothing. A question that has neither has no E, and its rollouts, which are all
//     wrong, have U = 0.
//   - The claims of G_E are the sentences of the final explanation that can be checked
//     ([Claims]); without an explanation the one claim is the question and the answer,
//     as given. E_i are the observations that a claim cites, and otherwise those nearest
//     to it. P is clipped to a floor, so that one claim does not decide everything.
//     No claim beside an answer is G_E = 0; a rollout without an answer has no G_E.
//   - A trap is entered at the first observation that holds its document, if something
//     said later asserts its false claim; it is left at the first later step with g > 0
//     after which nothing asserts it. What asserts a claim is found by words alone
//     ([Trap]). D is the difference in steps; without a way out T_end − t + 1; at most
//     D_max. No trap entered is R_R = 1.
//   - The reproducibility score (TRS) is 1 − the mean normalised edit distance between
//     the action sequences of the rollouts of a question ([Stability]), from three on.
//   - A model may list the claims ([Extractor]), and say how probable they are
//     ([Entailer]), in the place of sentences and words ([Lexical]). What it lists that
//     the explanation does not state ([Stated]), what it lists again, and what it lists
//     beyond the 64th is counted and left out. A question with a claim that it cannot
//     judge is in none of U, C and G_E: to leave out the rollout alone would let what is
//     judged depend on what is right.
//   - The keypoint rates KSR, KCR and KOR are not EVAL's: a related note on evaluating
//     deep research has them, as the shares of keypoints that are supported, contradicted
//     and omitted ([Rates]). The keypoints are the facts of the reference here, the words
//     held against them explanation and answer, and who decides a [Checker].
//   - U_all is over all completed rollouts; U_correct over the correct ones, since the
//     reported figures exceed the reported accuracies.
//   - Entropy adaptability (E_A) is Pearson's correlation, over the turns of all rollouts
//     together, of g_t with H_{t−1} − H_t; the paper has it in words only. g_t is what all
//     calls of the turn gained. H_t is that of its step: the mean entropy of the tokens of
//     the action over the 16 likeliest at most (as ParallelMuse takes them, and of the model as it
//     is, whatever its temperature), or that of resampled actions ([ActionEntropy]). A turn
//     whose query was given has none, and turns of two rounds make no pair. Its interval is the bootstrap's over questions. The
//     correlation with the fall that follows, H_t − H_{t+1}, stands beside it.
//
// The scaffolded assessment, which needs new rollouts, is left out.
//
// Correct is exact match by [eval.Mark]. Same input and seed, same report. All
// functions are safe for concurrent use.
package utility

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"trawl/agent/llm"
	"trawl/corpus/dataset"
	"trawl/eval"
	"trawl/trajectory"
)

// A Reference is what is known of the best way to an answer: an oracle's.
type Reference struct {
	Actions []trajectory.Kind // of the oracle's trajectory, whose cost is T*
	Facts   []string          // that the answer follows from, a sentence each
}

// Options say how rollouts are evaluated. Weights are taken literally.
type Options struct {
	Weights       Weights
	References    map[string]Reference // by question id
	Traps         map[string][]Trap    // by question id
	Embedder      llm.Embedder         // required
	Judges        Judges
	JudgesOf      func(questionID string) Judges // in the place of Judges, for those that keep what they say with a question; may be nil
	Rollouts      int                            // expected of each question, the first so many count; default: as many as there are
	Seed          int64                          // of resampling
	EntropiesFrom string                         // where the entropies of steps come from, for the report
	Logprobs      int                            // how many alternatives of a token the rollouts asked for, likewise; 0: none
	LambdaMin     *eval.Stat                     // the minimum hint rate, if it was measured (eval/scaffold), likewise
	Resamples     int                            // of the bootstrap; default 2,000
	Workers       int                            // questions at a time; default: one for each core
	Progress      func(done int)                 // told of each question that is evaluated, one call at a time; may be nil
}

// Judges say what rollouts claim, and what to think of it.
type Judges struct {
	Entailer  Entailer  // default [Lexical]
	Extractor Extractor // default: the sentences that [Claims] takes
	Checker   Checker   // of keypoints; default [LexicalPoints]
}

// judges returns who judges the rollouts of a question.
func (o *Options) judges(questionID string) Judges {
	j := o.Judges
	if o.JudgesOf != nil {
		j = o.JudgesOf(questionID)
	}
	if j.Entailer == nil {
		j.Entailer = Lexical{}
	}
	if j.Checker == nil {
		j.Checker = LexicalPoints{o.Weights.Support}
	}
	return j
}

// Run evaluates the rollouts of the examples, which read returns for a question
// id: what each came to, failed ones too, with the steps of all its rounds, whose
// turns are numbered one by one within a round and not on into the next. It fails if
// the weights are out of range, if read or the embedder fails, or if ctx ended, after
// which it reads no more; what a judge cannot judge ([ErrNoVerdict]) is counted and
// goes on.
func Run(ctx context.Context, examples []dataset.Example, read func(id string) ([]*trajectory.Trajectory, error), o Options) (*Report, error) {
	if err := o.Weights.Validate(); err != nil {
		return nil, fmt.Errorf("utility: %w", err)
	}
	if o.Embedder == nil {
		return nil, errors.New("utility: no embedder")
	}
	if o.Resamples == 0 {
		o.Resamples = eval.DefaultResamples
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	questions := make([]*question, len(examples))
	told := make(chan struct{}, len(examples))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers + 1)
	g.Go(func() error { return tell(ctx, told, len(examples), o.Progress) })
	for i, ex := range examples {
		g.Go(func() error {
			if ctx.Err() != nil { // or what is left would be read in vain
				return ctx.Err()
			}
			lines, err := read(ex.ID)
			if err == nil {
				questions[i], err = o.question(ctx, ex, lines)
			}
			if err != nil {
				return fmt.Errorf("utility: question %s: %w", ex.ID, err)
			}
			told <- struct{}{}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return o.report(questions), nil
}

// tell passes on how many questions are done.
func tell(ctx context.Context, told <-chan struct{}, n int, progress func(int)) error {
	for done := range n {
		select {
		case <-told:
		case <-ctx.Done():
			return ctx.Err()
		}
		if progress != nil {
			progress(done + 1)
		}
	}
	return nil
}

// right reports whether an answer is correct.
func right(e dataset.Example, answer string) bool { return eval.Mark(e, answer).EM }
