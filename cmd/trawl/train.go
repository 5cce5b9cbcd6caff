package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/config"
	"trawl/selection/gnn"
	"trawl/selection/graph"
	"trawl/selection/train"
)

const trainHelp = `Train the graph network that chooses among the rollouts of a question, on runs whose
questions have gold answers. No rollout is made and no model is called; with
--embedder URL texts are embedded by that server, once.

  trawl train RUN --out selector.safetensors
  trawl select OTHER-RUN --selector majority gnn --model selector.safetensors

One question in twenty is kept for validation, by a hash of its text, and the epoch that
does best there is kept. The paper trains on 101,323 questions in batches of 256; with
fewer, --batch is chosen so that an epoch has a hundred steps. A training that was
interrupted goes on when the same command is run again.

--ablate takes something from the model, to see what it is worth (methods and names of
the paper's ablation tables):`

// A trainOptions is what trawl train was asked to do.
type trainOptions struct {
	out, variant, labels, dataset string
	ablate                        []string
	config                        gnn.Config
	train                         train.Options
	folds                         int
	json                          bool
}

func newTrain(e env) *cobra.Command {
	var (
		o trainOptions
		f settingsFlags
	)
	cmd := &cobra.Command{
		Use:   "train RUN... --out MODEL",
		Short: "Train the graph selector on stored rollouts",
		Long:  trainHelp + "\n" + wrapped(ablationNames()) + ".",
		Args:  needs("RUN", 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return usageError{command: cmd.CommandPath(), err: err}
			}
			s, err := f.load(cmd, e)
			if err != nil {
				return err
			}
			return runTrain(cmd.Context(), e, s, args, o)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.out, "out", "", "checkpoint `file` to write, safetensors")
	fs.StringVar(&o.variant, "variant", string(graph.WebQA), "what rollouts do: webqa (search) or long-horizon (search, open, find)")
	fs.StringVar(&o.dataset, "dataset", "", "questions with answers, as `NAME:PATH` (default: those of each run)")
	fs.StringVar(&o.labels, "labels", string(byMatch), "what makes an answer right: em (exact match) or judge (the verdicts in the run folder)")
	fs.StringSliceVar(&o.ablate, "ablate", nil, "take this `part` from the model; several with commas")
	fs.IntVar(&o.train.Epochs, "epochs", 3, "passes over the training questions")
	fs.IntVar(&o.train.Batch, "batch", 0, "questions of a step (default: 256, or long-horizon 4, or fewer so that an epoch has 100 steps)")
	fs.Float64Var(&o.train.LearningRate, "learning-rate", 3e-4, "of AdamW")
	fs.IntVar(&o.config.Hidden, "hidden", gnn.DefaultHidden, "width of the network")
	fs.IntVar(&o.config.Layers, "layers", gnn.DefaultLayers, "rounds of message passing")
	fs.IntVar(&o.config.Heads, "heads", gnn.DefaultHeads, "heads of the readout's attention")
	fs.IntVar(&o.config.Ranks, "ranks", gnn.DefaultRanks, "ranks of results told apart; all further ones count as the last")
	fs.IntVar(&o.folds, "folds", 0, "cross-validate with so many folds instead of training a checkpoint, for small data")
	fs.StringVar(&o.train.State, "state", "", "`folder` for what an interrupted training goes on from (default MODEL.state)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	f.register(cmd, configGroup, seedGroup, vectorsGroup)
	return cmd
}

// ablations are what can be taken from the model.
var ablations = []struct {
	name string
	set  func(*trainOptions)
}{
	{"no-cross", func(o *trainOptions) { o.config.Ablation.NoCross = true }},
	{"no-network", func(o *trainOptions) { o.config.Ablation.NoNetwork = true }},
	{"fixed-query", func(o *trainOptions) { o.config.Ablation.FixedQuery = true }},
	{"merge-evidence", func(o *trainOptions) { o.config.Ablation.MergeEvidence = true }},
	{"merge-answers", func(o *trainOptions) { o.config.Ablation.MergeAnswers = true }},
	{"graph-readout", func(o *trainOptions) { o.config.Ablation.GraphReadout = true }},
	{"shared-context", func(o *trainOptions) { o.config.Ablation.SharedContext = true }},
	{"links-none", func(o *trainOptions) { o.config.Ablation.Links = gnn.LinksNone }},
	{"links-content", func(o *trainOptions) { o.config.Ablation.Links = gnn.LinksContent }},
	{"links-document", func(o *trainOptions) { o.config.Ablation.Links = gnn.LinksDocument }},
	{"links-both", func(o *trainOptions) { o.config.Ablation.Links = gnn.LinksBoth }},
	{"two-stage", func(o *trainOptions) { o.train.TwoStage = true }},
}

// wrapped joins names with commas, in lines for a terminal.
func wrapped(names []string) string {
	var b strings.Builder
	width := 0
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
			if width += len(name) + 2; width > 80 {
				b.WriteByte('\n')
				width = len(name)
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(name)
	}
	return b.String()
}

func ablationNames() []string {
	names := make([]string, len(ablations))
	for i, a := range ablations {
		names[i] = a.name
	}
	return names
}

// check reads what flags say in words, and makes sure that they go together.
func (o *trainOptions) check(cmd *cobra.Command) error {
	o.config.Variant = graph.Variant(o.variant)
	switch {
	case o.config.Variant != graph.WebQA && o.config.Variant != graph.LongHorizon:
		return fmt.Errorf("--variant %s: want webqa or long-horizon", o.variant)
	case o.labels != string(byMatch) && o.labels != string(byJudge):
		return fmt.Errorf("--labels %s: want em or judge", o.labels)
	case o.folds != 0 && o.folds < 2:
		return fmt.Errorf("--folds %d: want 2 or more", o.folds)
	case (o.out == "") == (o.folds == 0):
		return errors.New("want --out MODEL, or --folds to cross-validate without making one")
	case o.train.Epochs < 1 || o.train.Batch < 0 || o.train.LearningRate <= 0:
		return fmt.Errorf("--epochs %d --batch %d --learning-rate %g: want more than 0", o.train.Epochs, o.train.Batch, o.train.LearningRate)
	}
	for _, name := range o.ablate {
		i := -1
		for j, a := range ablations {
			if a.name == name {
				i = j
			}
		}
		if i < 0 {
			return fmt.Errorf("--ablate %s: want %s", name, strings.Join(ablationNames(), ", "))
		}
		ablations[i].set(o)
	}
	return nil
}

func runTrain(ctx context.Context, e env, s *config.Settings, dirs []string, o trainOptions) (err error) {
	if o.out != "" {
		if err := freeFor(o.out); err != nil {
			return err
		}
	}
	device, err := gnn.OpenDevice(s.Selection.Device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	v, err := openVectors(ctx, e, s.Models.Embedder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	data, err := poolReader{
		env: e, options: graph.Options{Variant: o.config.Variant, Ranks: o.config.Ranks}, labels: labelling(o.labels), vectors: v, dataset: o.dataset,
	}.read(ctx, dirs)
	if err != nil {
		return err
	}
	o.config.Embedding, o.config.Embedder = v.Dims(), v.Name()
	o.train.Seed = s.Seed
	o.train.Batch = batchFor(o, len(data.examples))
	t := trainer{env: e, device: device, vectors: v, data: data, options: o}
	if o.folds > 0 {
		return t.crossValidate(ctx)
	}
	return t.train(ctx)
}

// freeFor makes sure that a checkpoint can be written: it may replace one, and
// nothing else.
func freeFor(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder: --out names the file of the checkpoint", path)
	}
	if err := gnn.IsCheckpoint(path); err != nil {
		return fmt.Errorf("%w; it stays as it is: --out names a new file, or a checkpoint to replace", err)
	}
	return nil
}

// stepsPerEpoch is what an epoch has at least, if there are as many questions.
const stepsPerEpoch = 100

// batchFor returns the questions of a step where nobody says.
func batchFor(o trainOptions, questions int) int {
	most := 256
	if o.config.Variant == graph.LongHorizon {
		most = 4
	}
	if o.train.Batch > 0 {
		return min(o.train.Batch, questions)
	}
	return min(most, max(questions/stepsPerEpoch, 1))
}

// A trainer trains on what was read.
type trainer struct {
	env     env
	device  *gnn.Device
	vectors *vectors
	data    *pools
	options trainOptions
}

// model makes an untrained model.
func (t *trainer) model() (*gnn.Model[float32], error) {
	return gnn.New(t.options.config, t.options.train.Seed, t.device.Backend())
}

// train makes the checkpoint.
func (t *trainer) train(ctx context.Context) error {
	var learn, validate []train.Example
	for _, ex := range t.data.examples {
		if train.Split(ex.Question) {
			validate = append(validate, ex)
		} else {
			learn = append(learn, ex)
		}
	}
	o := t.options
	if o.train.State == "" {
		o.train.State = o.out + ".state"
	}
	t.tell(len(learn), len(validate))
	show := &trainDisplay{env: t.env}
	o.train.Progress = show.tell
	model, err := t.model()
	if err != nil {
		return err
	}
	defer model.Close()
	start := time.Now()
	result, err := train.Run(ctx, model, learn, validate, t.vectors, o.train)
	show.close()
	if ctx.Err() != nil {
		return fmt.Errorf("the same command goes on from %s", o.train.State)
	}
	if err = errors.Join(err, t.vectors.Err()); err != nil {
		return err
	}
	report := trainReport{
		Model: o.out, Questions: t.data.questions, Rollouts: t.data.rollouts, Unlabelled: t.data.unlabelled, Empty: t.data.empty,
		Graphs: result.Graphs, Validation: len(validate), Pools: t.data.graphs.Summary(), Batch: o.train.Batch, Epochs: result.Epochs, Best: result.Best, PosWeight: result.PosWeight,
		Embedder: t.vectors.Name(), Device: t.device.Name(), Seconds: time.Since(start).Seconds(), Simulated: t.data.simulated,
	}
	for _, ex := range validate {
		row := unlearnt(ex)
		report.Majority += row["majority"] / float64(len(validate))
		report.Oracle += row["oracle"] / float64(len(validate))
	}
	if err := model.Save(o.out, report.notes()); err != nil {
		return err
	}
	if err := train.Discard(o.train.State); err != nil {
		return err
	}
	if o.json {
		return writeJSON(t.env.stdout, report)
	}
	report.write(t.env)
	return nil
}

// tell says on stderr what will be trained on.
func (t *trainer) tell(learn, validate int) {
	if t.env.isQuiet() {
		return
	}
	d := t.data
	fmt.Fprintf(t.env.stderr, "trawl: %d questions, %d rollouts: %d questions to learn from, %d for validation, %d %s, %d without a candidate%s\n",
		d.questions, d.rollouts, learn, validate, d.unlabelled, labelling(t.options.labels).lacks(), d.empty, simulatedNote(d.simulated))
	fmt.Fprintf(t.env.stderr, "trawl: network on %s, vectors by %s, %d questions a step\n", t.device.Name(), t.vectors.Name(), t.options.train.Batch)
}

// A trainReport is what came of a training.
type trainReport struct {
	Model      string        `json:"model"`
	Questions  int           `json:"questions"`
	Rollouts   int           `json:"rollouts"`
	Unlabelled int           `json:"unlabelled"` // questions without labels, left out
	Empty      int           `json:"empty"`      // questions without a candidate
	Graphs     int           `json:"graphs"`     // trained on: questions with right and wrong answers
	Validation int           `json:"validation"` // questions
	Pools      graph.Summary `json:"pools"`      // of all questions with a candidate: sizes, and what rollouts share
	Batch      int           `json:"batch"`
	Epochs     []train.Epoch `json:"epochs"`
	Best       int           `json:"best_epoch"`
	PosWeight  float64       `json:"pos_weight"`
	Majority   float64       `json:"validation_majority"` // accuracy of the most frequent answers
	Oracle     float64       `json:"validation_oracle"`   // of the best ones
	Embedder   string        `json:"embedder"`
	Device     string        `json:"device"`
	Seconds    float64       `json:"seconds"`
	Simulated  bool          `json:"simulated,omitempty"` // the rollouts are of the simulated model
}

// notes are what the checkpoint keeps about its training.
func (r trainReport) notes() map[string]string {
	notes := map[string]string{
		"trawl": version(), "graphs": fmt.Sprint(r.Graphs), "best_epoch": fmt.Sprint(r.Best), "batch": fmt.Sprint(r.Batch),
	}
	if r.Simulated {
		notes[simulatedKey] = "true"
	}
	return notes
}

func (r trainReport) write(e env) {
	fmt.Fprintf(e.stdout, "%s: trained on %d questions in %.1f s%s\n\n", r.Model, r.Graphs, r.Seconds, simulatedNote(r.Simulated))
	p := r.Pools
	fmt.Fprintf(e.stdout, "a graph has on average %.1f candidates, %.1f searches and %.1f pieces of evidence; %.0f pairs of evidence of one\n", p.Candidates, p.Subqueries, p.Evidence, p.Contents.Mean)
	fmt.Fprintf(e.stdout, "content in two rollouts (%.0f %% of graphs have one); two rollouts' evidence overlaps by %.2f\n\n", 100*p.Contents.Shared, p.Overlap)
	fmt.Fprintln(e.stdout, "epoch   loss    validation accuracy   F1")
	for i, ep := range r.Epochs {
		kept := ""
		if i+1 == r.Best {
			kept = "   kept"
		}
		fmt.Fprintf(e.stdout, "%5d   %.3f   %.3f                 %.3f%s\n", i+1, ep.Loss.Total(), ep.Validation.Accuracy, ep.Validation.F1, kept)
	}
	fmt.Fprintf(e.stdout, "\naccuracy over %d validation questions, those without a right answer included; majority %.3f, oracle %.3f\n",
		r.Validation, r.Majority, r.Oracle)
	if r.Validation == 0 {
		fmt.Fprintln(e.stdout, "no question fell into validation, so the last epoch is kept; more questions, or --folds, say how good it is")
	}
	fmt.Fprintf(e.stdout, "next: trawl select RUN --selector majority gnn oracle --model %s\n", r.Model)
}

// A trainDisplay shows how far a training is: one progress for each stage or
// fold, and a line for each epoch.
type trainDisplay struct {
	env      env
	progress *progress
}

// tell is a train.Options.Progress.
func (d *trainDisplay) tell(p train.Progress) {
	epochs := (max(p.Fold-1, 0)*p.Stages+p.Stage-1)*p.Epochs + p.Epoch // the present one is the last of them
	unit, done, total := "steps", (epochs-1)*p.Batches+p.Batch, p.Stages*p.Epochs*p.Batches
	if p.Folds > 0 { // whose steps are not equally many
		unit, done, total = "epochs", epochs, p.Folds*p.Stages*p.Epochs
	}
	if d.progress == nil {
		d.progress = newProgress(d.env, unit, done-1, total)
	}
	if p.Validation == nil { // a step
		if p.Folds == 0 {
			d.progress.set(done, 0)
		}
		return
	}
	if p.Folds > 0 {
		d.progress.set(done, 0)
	}
	if d.env.isQuiet() {
		return
	}
	where := fmt.Sprintf("epoch %d of %d", p.Epoch, p.Epochs)
	if p.Stages > 1 {
		where = fmt.Sprintf("stage %d, %s", p.Stage, where)
	}
	if p.Folds > 0 {
		where = fmt.Sprintf("fold %d of %d, %s", p.Fold, p.Folds, where)
	}
	line := fmt.Sprintf("%s: loss %.3f (cross entropy %.3f, listwise %.3f, hard %.3f)", where, p.Loss.Total(), p.Loss.BCE, p.Loss.Listwise, p.Loss.Hard)
	if p.Validation.Questions > 0 {
		line += fmt.Sprintf(", validation accuracy %.3f, F1 %.3f", p.Validation.Accuracy, p.Validation.F1)
		if p.Best {
			line += ", the best so far"
		}
	}
	d.progress.note(line)
}

func (d *trainDisplay) close() {
	if d.progress != nil {
		d.progress.close()
	}
}
