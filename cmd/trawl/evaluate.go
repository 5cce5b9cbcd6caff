package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trawl/eval/utility"
	"trawl/internal/config"
)

const evaluateHelp = `Evaluate how the rollouts of a run reached their answers: U, the utility of a rollout, is
0 for a wrong answer and otherwise joins E, its efficiency, and C, its quality, which is
G_E, how well the evidence carries what it claims, and R_R, how soon it left the traps that
it walked into. TRS says how alike the rollouts of a question are. The framework is EVAL
(arXiv:2602.21230); its constants are not published, so most choices are this project's
own reconstruction, which the report tells apart and prints with every constant.

The reference trajectories and the traps of a question are read from oracle.jsonl and
traps.jsonl beside the data set, where they are. Without a reference, efficiency is
measured against the question's correct rollouts. With one, KSR, KCR and KOR say how many
of its facts the explanation and the answer support, contradict and omit; they come from a
related note and are not EVAL's.

Whether evidence carries a claim, and what is said of a fact, is judged by words (lexical),
or by a model: that of models.judge, by default the one at --endpoint, at temperature 0.
--claims endpoint has it list the claims too; what it makes up is counted and left out.
Each verdict is kept in RUN/entailments.jsonl as it comes, and never asked for again. What
the model does not judge is tried again, then counted; its question is left out of the
figures whole, and the exit status is 1: the same command asks for what is not there.

E_A, how the entropy of actions follows what is learned, needs entropies: a run records
those of tokens with --set models.agent.logprobs=16, or --resample M asks its model M times
again in each turn. What it does is kept in RUN/entropies.jsonl, a turn once it has all M,
and never asked for again. λ_min stands here if trawl scaffold RUN has measured it.

Several folders are evaluated together if they are shards of one run.

  trawl evaluate RUN
  trawl evaluate RUN --weights omega_e=0.5,omega_c=1,beta=0.7
  trawl evaluate RUN --entailment endpoint --endpoint http://127.0.0.1:8000/v1

Weights: `

// The ways to judge claims.
const (
	lexicalEntailment  = "lexical"
	endpointEntailment = "endpoint"
)

// The ways to find claims.
const (
	sentenceClaims = "sentences"
	endpointClaims = "endpoint"
)

// An evaluateOptions is what trawl evaluate was asked to do.
type evaluateOptions struct {
	dataset    string
	oracle     string
	traps      string
	entailment string
	claims     string
	weights    utility.Weights
	resample   int // how often a model is asked again in the place of each turn; 0 for not at all
	json       bool
}

// fill sets what is not set to its default.
func (o *evaluateOptions) fill() {
	o.entailment = cmp.Or(o.entailment, lexicalEntailment)
	o.claims = cmp.Or(o.claims, sentenceClaims)
	if o.weights == (utility.Weights{}) {
		o.weights = utility.DefaultWeights()
	}
}

// check reports what an option may not be.
func (o *evaluateOptions) check() error {
	switch {
	case o.entailment != lexicalEntailment && o.entailment != endpointEntailment:
		return fmt.Errorf("--entailment %s: want lexical or endpoint", o.entailment)
	case o.claims != sentenceClaims && o.claims != endpointClaims:
		return fmt.Errorf("--claims %s: want sentences or endpoint", o.claims)
	case o.resample != 0 && (o.resample < 2 || o.resample > 1000):
		return fmt.Errorf("--resample %d: want 2 to 1000, or 0 for none", o.resample)
	}
	return nil
}

func newEvaluate(e env) *cobra.Command {
	var (
		o       evaluateOptions
		f       settingsFlags
		weights []string
	)
	cmd := &cobra.Command{
		Use:   "evaluate RUN...",
		Short: "How the answers of a run were reached: efficiency, grounding, recovery",
		Long:  evaluateHelp + utility.DefaultWeights().String() + ".",
		Args:  needs("RUN", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.weights, err = parseWeights(weights); err == nil {
				err = o.check()
			}
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			s, err := f.load(cmd, e)
			if err != nil {
				return err
			}
			return runEvaluate(cmd.Context(), e, s, o, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of the run)")
	fs.StringVar(&o.oracle, "oracle", "", "reference trajectories, a JSON lines `file` (default: oracle.jsonl beside the data set)")
	fs.StringVar(&o.traps, "traps", "", "misleading documents, a JSON lines `file` (default: traps.jsonl beside the data set)")
	fs.StringSliceVar(&weights, "weights", nil, "constants of the formulas, as `name=value`, several with commas")
	fs.StringVar(&o.entailment, "entailment", lexicalEntailment, "who judges whether evidence carries a claim, and what is said of a fact: lexical, or endpoint")
	fs.StringVar(&o.claims, "claims", sentenceClaims, "what rollouts claim: the sentences of their explanation, or what the model at the endpoint lists")
	fs.IntVar(&o.resample, "resample", 0, "for E_A, ask the run's model so many `times` again what to do in each turn, kept turn by turn; 0: take the entropies that the run recorded")
	fs.BoolVar(&o.json, "json", false, "print JSON, with the details of every rollout")
	f.register(cmd, configGroup, endpointGroup)
	fs.StringVar(&f.model, "model", "", "model `name` at the endpoint (default: the only one that is served)")
	fs.StringVar(&f.embedder, "embedder", config.Default().Models.Embedder.Kind, "what turns texts into vectors: hashing, static:DIR, or the base `URL` of a server")
	return cmd
}

// parseWeights reads name=value pairs over the defaults.
func parseWeights(pairs []string) (utility.Weights, error) {
	w := utility.DefaultWeights()
	for _, pair := range pairs {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return w, fmt.Errorf("--weights %s: want name=value with a number, such as beta=0.7", pair)
		}
		if err := w.Set(name, v); err != nil {
			return w, fmt.Errorf("--weights: %w", err)
		}
	}
	if err := w.Validate(); err != nil {
		return w, fmt.Errorf("--weights: %w", err)
	}
	return w, nil
}

func runEvaluate(ctx context.Context, e env, s *config.Settings, o evaluateOptions, dirs []string) error {
	r, err := evaluateReport(ctx, e, s, o, dirs)
	if err != nil {
		return err
	}
	if o.json {
		err = writeJSON(e.stdout, r)
	} else {
		err = writeEvaluation(e.stdout, strings.Join(dirs, " "), r)
	}
	if err != nil {
		return err
	}
	return notEvaluated(r)
}

// notEvaluated returns an error if the figures are of nothing, or lack what a judge can
// still be asked for; nil if they are what they seem.
func notEvaluated(r *utility.Report) error {
	switch {
	case r.Complete == 0:
		return fmt.Errorf("nothing is evaluated: %d rollouts failed, %d are missing", r.Failed, r.Missing)
	case r.PassAt1 == nil:
		return errors.New("the data set has no gold answers: utility and efficiency cannot be measured; --dataset names one that has")
	case r.UnreadClaims > 0 && r.Claims == 0:
		return fmt.Errorf("the claims of none of %d rollouts could be listed: G_E, C and U of correct rollouts are in no figure (%s)", r.UnreadClaims, firstFault(r))
	case r.Claims > 0 && r.UnscoredClaims == r.Claims:
		return fmt.Errorf("none of %d claims could be judged: G_E, C and U of correct rollouts are in no figure (%s)", r.Claims, firstFault(r))
	case r.Keypoints.Facts > 0 && r.Keypoints.Unscored == r.Keypoints.Facts:
		return fmt.Errorf("none of %d facts could be judged: KSR, KCR and KOR are in no figure (%s)", r.Keypoints.Facts, firstFault(r))
	}
	return unjudged(r)
}

// unjudged returns an error if a judge left something out.
func unjudged(r *utility.Report) error {
	var said []string
	if n := r.UnscoredClaims; n > 0 {
		said = append(said, fmt.Sprintf("%d of %d claims could not be judged", n, r.Claims))
	}
	if n := r.UnreadClaims; n > 0 {
		said = append(said, fmt.Sprintf("those of %d of %d rollouts could not be listed", n, r.Complete))
	}
	if r.LeftOut > 0 {
		said = append(said, fmt.Sprintf("U, C and G_E leave out %d of %d questions", r.LeftOut, r.Questions))
	}
	if k := r.Keypoints; k.Unscored > 0 {
		said = append(said, fmt.Sprintf("%d of %d facts could not be judged; KSR, KCR and KOR leave out %d of %d questions", k.Unscored, k.Facts, k.LeftOut, r.Questions))
	}
	if said == nil {
		return nil
	}
	return fmt.Errorf("%s; the same command asks for them again (%s)", strings.Join(said, "; "), firstFault(r))
}

// firstFault returns why the first claim or fact was not judged.
func firstFault(r *utility.Report) string {
	for _, q := range r.Details {
		for _, d := range q.Rollouts {
			if d.Unread != "" {
				return d.Unread
			}
			for _, c := range d.Claims {
				if c.Error != "" {
					return c.Error
				}
			}
			for _, k := range d.Keypoints {
				if k.Error != "" {
					return k.Error
				}
			}
		}
	}
	return ""
}
