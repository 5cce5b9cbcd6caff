package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trawl/agent/llm"
	"trawl/eval/utility"
	"trawl/internal/config"
	"trawl/trajectory"
	"trawl/trajectory/store"
)

const evaluateHelp = `Evaluate how the rollouts of a run reached their answers: U, the utility of a rollout, is
0 for a wrong answer and otherwise joins E, its efficiency, and C, its quality, which is
G_E, how well the evidence carries what it claims, and R_R, how soon it left the traps that
it walked into. TRS says how alike the rollouts of a question are. The framework is EVAL
(arXiv:2602.21230); its constants are not published, so most choices are this project's
own reconstruction, which the report tells apart and prints with every constant.

The reference trajectories and the traps of a question are read from oracle.jsonl and
traps.jsonl beside the data set, where they are. Without a reference, efficiency is
measured against the question's correct rollouts. Whether evidence carries a claim is
judged by words (lexical), or by the model at --endpoint; what it does not judge is
counted and in no figure.

  trawl evaluate RUN
  trawl evaluate RUN --weights omega_e=0.5,omega_c=1,beta=0.7
  trawl evaluate RUN --entailment endpoint --endpoint http://127.0.0.1:8000/v1

Weights: `

// The ways to judge claims.
const (
	lexicalEntailment  = "lexical"
	endpointEntailment = "endpoint"
)

// An evaluateOptions is what trawl evaluate was asked to do.
type evaluateOptions struct {
	dataset    string
	oracle     string
	traps      string
	entailment string
	weights    utility.Weights
	json       bool
}

func newEvaluate(e env) *cobra.Command {
	var (
		o       evaluateOptions
		f       settingsFlags
		weights []string
	)
	cmd := &cobra.Command{
		Use:   "evaluate RUN",
		Short: "How the answers of a run were reached: efficiency, grounding, recovery",
		Long:  evaluateHelp + utility.DefaultWeights().String() + ".",
		Args:  needs("RUN", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.weights, err = parseWeights(weights); err == nil && o.entailment != lexicalEntailment && o.entailment != endpointEntailment {
				err = fmt.Errorf("--entailment %s: want lexical or endpoint", o.entailment)
			}
			if err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			s, err := f.load(cmd, e)
			if err != nil {
				return err
			}
			return runEvaluate(cmd.Context(), e, s, o, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of the run)")
	fs.StringVar(&o.oracle, "oracle", "", "reference trajectories, a JSON lines `file` (default: oracle.jsonl beside the data set)")
	fs.StringVar(&o.traps, "traps", "", "misleading documents, a JSON lines `file` (default: traps.jsonl beside the data set)")
	fs.StringSliceVar(&weights, "weights", nil, "constants of the formulas, as `name=value`, several with commas")
	fs.StringVar(&o.entailment, "entailment", lexicalEntailment, "who judges whether evidence carries a claim: lexical, or endpoint")
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

func runEvaluate(ctx context.Context, e env, s *config.Settings, o evaluateOptions, dir string) error {
	r, err := evaluate(ctx, e, s, o, dir)
	if err != nil {
		return err
	}
	if o.json {
		err = writeJSON(e.stdout, r)
	} else {
		err = writeEvaluation(e.stdout, dir, r)
	}
	switch {
	case err != nil:
		return err
	case r.Complete == 0:
		return fmt.Errorf("nothing is evaluated: %d rollouts failed, %d are missing", r.Failed, r.Missing)
	case r.PassAt1 == nil:
		return errors.New("the data set has no gold answers: utility and efficiency cannot be measured; --dataset names one that has")
	case r.Claims > 0 && r.UnscoredClaims == r.Claims:
		return fmt.Errorf("none of %d claims could be judged: G_E, C and U of correct rollouts are in no figure (%s)", r.Claims, firstFault(r))
	}
	return nil
}

// firstFault returns why the first claim was not judged.
func firstFault(r *utility.Report) string {
	for _, q := range r.Details {
		for _, d := range q.Rollouts {
			for _, c := range d.Claims {
				if c.Error != "" {
					return c.Error
				}
			}
		}
	}
	return ""
}

// evaluate evaluates the run in a folder.
func evaluate(ctx context.Context, e env, s *config.Settings, o evaluateOptions, dir string) (_ *utility.Report, err error) {
	lines, err := store.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	run := selected{scored: scored{dir: dir, manifest: lines.Manifest()}, lines: lines}
	if run.settings, err = settingsOf(run.manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	all, err := examplesOf(dir, run.manifest, o.dataset)
	if err != nil {
		return nil, err
	}
	run.examples = planned(all, run.settings)
	if err := run.tellLeftOut(e, all); err != nil {
		return nil, err
	}
	opts := utility.Options{Weights: o.weights, Rollouts: run.settings.Rollout.Count, Seed: run.manifest.Seed}
	if err := readBeside(e, &opts, o, &run); err != nil {
		return nil, err
	}
	v, err := openVectors(ctx, e, s.Models.Embedder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	opts.Embedder = tableEmbedder{v}
	judge := newRoles(e, s.Rollout.Concurrency)
	defer func() { err = errors.Join(err, judge.close()) }()
	simulated := run.settings.Simulated
	if o.entailment == endpointEntailment {
		b, err := askModel(ctx, judge, s, &opts)
		if err != nil {
			return nil, err
		}
		o.entailment += " " + b.model
		simulated = simulated || b.simulated
	}
	bar := newProgress(e, "questions", 0, len(run.examples))
	defer bar.close()
	opts.Progress = func(done int) { bar.set(done, 0) }
	round := lastRound(lines, run.settings)
	r, err := utility.Run(ctx, run.examples, func(id string) ([]*trajectory.Trajectory, error) { return wholeOutcomes(lines, id, round) }, opts)
	if err != nil {
		return nil, err
	}
	r.Embedder, r.Entailment, r.Simulated = v.Name(), o.entailment, simulated
	return r, v.Err()
}

// askModel has claims judged by the agent's model, at temperature 0.
func askModel(ctx context.Context, r *roles, s *config.Settings, opts *utility.Options) (*backend, error) {
	model, zero := s.Models.Agent, 0.0
	model.Temperature = &zero
	b, err := r.open(ctx, "agent", model)
	if err != nil {
		return nil, fmt.Errorf("entailment: %w", err)
	}
	opts.Entailer, opts.Workers = utility.Asked{Client: b.client, Sampling: sampling(model)}, s.Rollout.Concurrency
	return b, nil
}

// wholeOutcomes returns what the rollouts of a question had come to at the end of a
// round, with the steps of all rounds up to it.
func wholeOutcomes(lines *store.Reader, questionID string, round int) ([]*trajectory.Trajectory, error) {
	all, states, err := recordsOf(lines, questionID)
	if err != nil {
		return nil, err
	}
	return trajectory.Whole(trajectory.Outcomes(all, states, round), all), nil
}

// A tableEmbedder is a table of vectors as an embedder, so that a text is embedded
// once.
type tableEmbedder struct{ *vectors }

// Embed implements [llm.Embedder].
func (t tableEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	rows, err := t.Rows(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(rows))
	for i, row := range rows {
		out[i] = make([]float32, t.Dims())
		t.Read(row, out[i])
	}
	return out, t.Err()
}

var _ llm.Embedder = tableEmbedder{}
